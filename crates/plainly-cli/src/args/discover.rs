//! `plainly discover`.

use super::{ServerArgs, Words};

/// Show what a server is, which revisions it supports and what it offers
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly discover [OPTIONS] <TARGET>\n       plainly discover [OPTIONS] -- <COMMAND>...",
    after_help = "\
Examples:
  plainly discover http://127.0.0.1:3333/mcp
  plainly discover -- npx some-server --flag
  plainly discover http://127.0.0.1:3333/mcp --revision 2025-11-25"
)]
pub(crate) struct DiscoverArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl DiscoverArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("discover", self.target.take())
    }
}
