//! Options of `plainly explain`.

use plainly::errors::Revision;

use super::values;
use crate::format::Format;

/// Explain an error: its meaning, whose fault it is, and what to do
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly explain -32602                          a code; also a name (NOT_FOUND), a kind of
                                                  data.kind (unknown_tool), an HTTP status (401)
  plainly explain '{\"code\": -32002, \"message\": \"Unknown tool\"}'
  plainly ls http://127.0.0.1:3333/mcp --json 2>&1 | plainly explain --json | jq -r .advice
  plainly explain --revision 2025-11-25 < response.json
  plainly explain --list                          every JSON-RPC and MCP code, then every problem
  plainly explain --list --revision 2025-11-25    how that revision writes each condition

It reads the number or the name of an error, and JSON: a JSON-RPC response or its error alone, a \
tool's result, a problem, an RFC 9457 body, an error of OAuth, and what --json prints; in one \
piece, or one in each line. Other text is rejected, except messages of the form \"MCP error \
-32601: …\" and frequent messages about TLS. Each error is explained by itself; with --json as one \
object per line. A hint is the meaning of an error in a known implementation, where that differs \
from the specification: it is likely, not certain. The exit status is 2 if nothing in the input is \
an error; the message has the reason.

The fields of --list are code, name, revisions, whether to retry and, unless printed to a \
terminal, the meaning; with --revision they are code, name, HTTP status and condition. Outside a \
terminal, fields are separated by tabs. No server is contacted.")]
pub(crate) struct ExplainArgs {
    /// The error [default: standard input]
    #[arg(value_name = "ERROR", allow_negative_numbers = true)]
    pub(crate) error: Vec<String>,

    /// List all codes and problems
    #[arg(long, conflicts_with = "error")]
    pub(crate) list: bool,

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
