//! `plainly discover`.

use clap::Parser;

use super::{Args, ClientCommand, Command, Server, ServerArgs, Words, usage};
use crate::failure::Failure;

/// Show a server's name, revisions and capabilities
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("discover"),
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
    /// A command with these options that reaches this server without a login.
    pub(crate) fn reaching(
        options: Vec<String>,
        target: &str,
    ) -> Result<(Server, ServerArgs), Failure> {
        let line = ["plainly", "discover", "--no-login"].map(str::to_owned);
        let line = line.into_iter().chain(options).chain([target.to_owned()]);
        let args = Args::try_parse_from(line).map_err(Failure::Usage)?;
        let Command::Client(ClientCommand::Discover(mut args)) = args.command else {
            return Err(Failure::local("no such command"));
        };
        let mut words = args.words();
        let server = args.server.server(&mut words)?;
        Ok((server, args.server))
    }

    pub(crate) fn words(&mut self) -> Words {
        Words::new("discover", self.target.take())
    }
}
