//! `plainly ls`.

use std::num::NonZeroUsize;

use super::{ServerArgs, Words, usage, values};

/// List resources: all of them, or the children of a collection
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("ls", "[URI]"),
    after_help = "\
Examples:
  plainly ls http://127.0.0.1:3333/mcp
  plainly ls http://127.0.0.1:3333/mcp file:///docs/guide
  plainly ls http://127.0.0.1:3333/mcp -l            a table
  plainly ls http://127.0.0.1:3333/mcp -l | cut -f 2,5    size in bytes and URI, separated by a tab
  plainly ls http://127.0.0.1:3333/mcp file:///docs -R
  plainly ls http://127.0.0.1:3333/mcp --json        one MCP resource object per line
  plainly ls -- plainly serve ./docs --stdio

With -l the fields are kind, size, modification time, MIME type and URI; - stands for a missing value. \
Pages are printed as they arrive."
)]
pub(crate) struct LsArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The collection whose children to list
    uri: Option<String>,
    /// Show more than each URI
    #[arg(short, long)]
    pub(crate) long: bool,
    /// Also list the contents of the collections below the URI
    #[arg(short = 'R', long)]
    pub(crate) recursive: bool,
    /// Stop after this many resources
    #[arg(long, value_name = "COUNT", value_parser = values::count, allow_negative_numbers = true)]
    pub(crate) limit: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl LsArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("ls", self.target.take().into_iter().chain(self.uri.take()))
    }
}
