//! `plainly tools` and `plainly call`.

use super::{SaveArgs, ServerArgs, Words, usage};

/// List a server's tools, or show one with its arguments
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("tools", "[TOOL]"),
    after_help = "\
Examples:
  plainly tools http://127.0.0.1:3333/mcp
  plainly tools http://127.0.0.1:3333/mcp search    its arguments, and how to call it
  plainly tools -- npx some-server --flag
  plainly tools http://127.0.0.1:3333/mcp --json    one MCP tool object per line, with its schemas

The fields are the name, the first line of the description (or the title if there is none), and \
the problems that the tool declares."
)]
pub(crate) struct ToolsArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The tool to show [default: list all]
    tool: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Call a tool and print its result
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("call", "<TOOL> [ARGUMENT]..."),
    after_help = "\
Examples:
  plainly call http://127.0.0.1:3333/mcp search pattern='error codes'
  plainly call http://127.0.0.1:3333/mcp search pattern=mcp limit=10     a number, if the tool's schema has one
  plainly call http://127.0.0.1:3333/mcp add tags=a tags=b point:='[1, 2]'   a list; := takes JSON as it is
  plainly call http://127.0.0.1:3333/mcp write path=a.md text=@draft.md  what is in a file; @@ for a real @
  date | plainly call http://127.0.0.1:3333/mcp write path=a.md text=-   standard input
  plainly call http://127.0.0.1:3333/mcp search --args '{\"pattern\": \"mcp\"}' limit=10
  plainly call http://127.0.0.1:3333/mcp search --args @arguments.json   sent as it is, and at once
  plainly call http://127.0.0.1:3333/mcp screenshot -o page.png
  plainly call search query=mcp -- npx some-server
  plainly call http://127.0.0.1:3333/mcp scan --task    print the id of the task, and end
  plainly call book --answer name=Ada --answer seats:=2 -- npx some-server    for a tool that asks

A tool may ask questions: on a terminal you answer them, elsewhere --answer does. Text is printed \
as it is. Other content is described, unless -o or --save writes it, and PNG images are shown by \
terminals that can. --json prints the whole MCP result. A tool that reports a failure has its own \
exit status, and its message goes to standard error. An interrupt cancels a call, also if it has \
become a task."
)]
pub(crate) struct CallArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The tool
    tool: Option<String>,
    /// An argument for the tool: key=text, key=@FILE or key:=JSON; - is standard input
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,
    /// All arguments for the tool as one JSON object, or @FILE or -; arguments given one by one
    /// replace those in the object
    #[arg(long, value_name = "JSON", allow_hyphen_values = true)]
    pub(crate) args: Option<String>,
    /// If the server turns the call into a task, print the task's id and exit; `task answer`
    /// answers its questions
    #[arg(long)]
    pub(crate) task: bool,
    #[command(flatten)]
    pub(crate) save: SaveArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl ToolsArgs {
    pub(crate) fn words(&mut self) -> Words {
        let words = self.target.take().into_iter().chain(self.tool.take());
        Words::new("tools", words)
    }
}

impl CallArgs {
    pub(crate) fn words(&mut self) -> Words {
        let named = self.target.take().into_iter().chain(self.tool.take());
        Words::new("call", named.chain(self.arguments.drain(..)))
    }
}
