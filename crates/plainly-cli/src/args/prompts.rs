//! `plainly prompts` and `plainly prompt`.

use super::{ServerArgs, Words};

/// List a server's prompts
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly prompts [OPTIONS] <TARGET>\n       plainly prompts [OPTIONS] -- <COMMAND>...",
    after_help = "\
Examples:
  plainly prompts http://127.0.0.1:3333/mcp
  plainly prompts -- npx some-server --flag
  plainly prompts http://127.0.0.1:3333/mcp --json    one MCP prompt object per line, with its arguments

The fields are those of `plainly tools`."
)]
pub(crate) struct PromptsArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Fill in a prompt and print its messages
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly prompt [OPTIONS] <TARGET> <PROMPT> [ARGUMENT]...\n       plainly prompt [OPTIONS] <PROMPT> [ARGUMENT]... -- <COMMAND>...",
    after_help = "\
Examples:
  plainly prompt http://127.0.0.1:3333/mcp review code='fn main() {}' language=rust
  plainly prompt review code='fn main() {}' -- npx some-server
  plainly prompt http://127.0.0.1:3333/mcp review code='x' --json    the whole MCP result

A single message is printed as it is; several are each preceded by a line with their role. Text is printed as it is; other \
content is only described."
)]
pub(crate) struct PromptArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The prompt
    prompt: Option<String>,
    /// An argument for the prompt: key=text
    #[arg(value_name = "ARGUMENT")]
    arguments: Vec<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl PromptsArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("prompts", self.target.take())
    }
}

impl PromptArgs {
    pub(crate) fn words(&mut self) -> Words {
        let named = self.target.take().into_iter().chain(self.prompt.take());
        Words::new("prompt", named.chain(self.arguments.drain(..)))
    }
}
