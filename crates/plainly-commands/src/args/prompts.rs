//! `plainly prompts` and `plainly prompt`.

use super::{SaveArgs, ServerArgs, Words, usage};

/// List a server's prompts, or show one with its arguments
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("prompts", "[PROMPT]"),
    after_help = "\
Examples:
  plainly prompts http://127.0.0.1:3333/mcp
  plainly prompts http://127.0.0.1:3333/mcp review    its arguments, and how to use it
  plainly prompts -- npx some-server --flag
  plainly prompts http://127.0.0.1:3333/mcp --json    one MCP prompt object per line, with its arguments

The fields are those of `plainly tools`."
)]
pub(crate) struct PromptsArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The prompt to show [default: list all]
    prompt: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Fill in a prompt and print its messages
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("prompt", "<PROMPT> [ARGUMENT]..."),
    after_help = "\
Examples:
  plainly prompt http://127.0.0.1:3333/mcp review code='fn main() {}' language=rust
  plainly prompt http://127.0.0.1:3333/mcp review code=@main.rs           what is in a file
  git diff | plainly prompt http://127.0.0.1:3333/mcp review code=-       standard input
  plainly prompt review code='fn main() {}' -- npx some-server
  plainly prompt http://127.0.0.1:3333/mcp review code='x' --json    the whole MCP result

A single message is printed as it is; several are each preceded by a line with their role. Other content is \
as with `call`."
)]
pub(crate) struct PromptArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The prompt
    prompt: Option<String>,
    /// An argument for the prompt: key=text, or key=@FILE; - is standard input
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) save: SaveArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl PromptsArgs {
    pub(crate) fn words(&mut self) -> Words {
        let words = self.target.take().into_iter().chain(self.prompt.take());
        Words::new("prompts", words)
    }
}

impl PromptArgs {
    pub(crate) fn words(&mut self) -> Words {
        let named = self.target.take().into_iter().chain(self.prompt.take());
        Words::new("prompt", named.chain(self.arguments.drain(..)))
    }
}
