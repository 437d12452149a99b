//! Options of `plainly codes` and `plainly explain`. Only their examples show numbers of errors.

use plainly::errors::Revision;

use super::values;
use crate::explain::Coded;
use crate::format::Format;

/// Explain error codes: their meaning, their senders, and what to do about them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly codes                          every JSON-RPC and MCP code, then every problem
  plainly codes -32042                   a number; an undefined one is explained by its range
  plainly codes HeaderMismatch           a name, in any spelling
  plainly codes NOT_FOUND                a problem: a failure in an application's own terms
  plainly codes --revision 2025-11-25    how that revision writes each condition
  plainly codes -32042 --json | jq -r .advice

The fields are code, name, revisions, whether to retry and, unless printed to a terminal, the \
meaning; with --revision they are code, name, HTTP status and condition. Outside a terminal, \
fields are separated by tabs. No server is contacted.")]
pub(crate) struct CodesArgs {
    /// A code, its name or the name of a problem [default: all]
    #[arg(value_parser = Coded::parse, allow_negative_numbers = true)]
    pub(crate) code: Option<Coded>,

    /// Only the codes that this protocol revision defines
    #[arg(long, value_parser = values::revision())]
    pub(crate) revision: Option<Revision>,

    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

impl CodesArgs {
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}

/// Explain an error: its meaning, whose fault it is, and what to do
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly explain -32602                          a code; also a name (NOT_FOUND), what data.kind says
                                                  (unknown_tool) or an HTTP status (401)
  plainly explain '{\"code\": -32002, \"message\": \"Unknown tool\"}'
  curl -si https://mcp.example.com/mcp | plainly explain
  plainly ls http://127.0.0.1:3333/mcp --json 2>&1 | plainly explain --json | jq -r .advice
  plainly explain --revision 2025-11-25 < response.json

It reads a JSON-RPC response or its error alone, a tool's result, an HTTP response with its head \
as curl -i prints it, events of a stream, a problem or an RFC 9457 body, the lines of plainly's \
own log, and any text with a code in it. Each error is explained by itself; with --json as one \
object per line. A hint is the meaning of an error in a known implementation, where that differs \
from the specification: it is likely, not certain. The exit status is 2 if nothing in the input is \
an error; the message has the reason. No server is contacted.")]
pub(crate) struct ExplainArgs {
    /// The error [default: standard input]
    #[arg(value_name = "ERROR", allow_negative_numbers = true)]
    pub(crate) error: Vec<String>,

    /// Explain it for this protocol revision [default: for all]
    #[arg(long, value_parser = values::revision())]
    pub(crate) revision: Option<Revision>,

    /// Print JSON, one object for each error
    #[arg(long)]
    json: bool,
}

impl ExplainArgs {
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}
