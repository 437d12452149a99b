//! `plainly templates` and `plainly complete`.

use super::{ServerArgs, Words, usage, values};

/// List a server's resource templates: URIs with variables
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("templates"),
    after_help = "\
Examples:
  plainly templates http://127.0.0.1:3333/mcp
  plainly templates -- npx some-server --flag
  plainly templates http://127.0.0.1:3333/mcp --json    one MCP template object per line

The fields are the template, such as note://{user}/{id}, and the first line of its description, or \
its title or name. `plainly complete` prints the values that a variable can have, and `plainly \
read` reads a URI with all variables filled in."
)]
pub(crate) struct TemplatesArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Complete an argument of a prompt or a variable of a resource template
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("complete", "<OF> <ARGUMENT> [TEXT]"),
    after_help = "\
Examples:
  plainly complete http://127.0.0.1:3333/mcp review language      all languages that the prompt knows
  plainly complete http://127.0.0.1:3333/mcp review language py   those that begin with py
  plainly complete http://127.0.0.1:3333/mcp 'note://{user}/{id}' id --given user=ada
  plainly complete review language -- npx some-server
  plainly complete http://127.0.0.1:3333/mcp review language --json   the MCP completion object

The values are printed one a line, best first. A server sends at most 100 at once."
)]
pub(crate) struct CompleteArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The prompt, or the template with its braces
    of: Option<String>,
    /// The argument or variable
    argument: Option<String>,
    /// Its text so far [default: none]
    text: Option<String>,
    /// Another argument that is filled in already; can be given several times
    #[arg(long, value_name = "KEY=TEXT", value_parser = values::pair)]
    pub(crate) given: Vec<(String, String)>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl TemplatesArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("templates", self.target.take())
    }
}

impl CompleteArgs {
    pub(crate) fn words(&mut self) -> Words {
        let words = [
            &mut self.target,
            &mut self.of,
            &mut self.argument,
            &mut self.text,
        ];
        Words::new("complete", words.into_iter().filter_map(Option::take))
    }
}
