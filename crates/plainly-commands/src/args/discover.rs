//! `plainly discover`.

use std::ffi::OsString;
use std::path::Path;

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
    /// A command that reaches a server with these options, without a login.
    pub(crate) fn reaching(
        options: Vec<String>,
        target: &str,
    ) -> Result<(Server, ServerArgs), Failure> {
        let line = ["plainly", "discover", "--no-login"].map(str::to_owned);
        let line = line.into_iter().chain(options).chain([target.to_owned()]);
        Self::parsed(line.map(OsString::from))
    }

    /// A command that starts this program as its server, with these environment variables and
    /// arguments.
    pub(crate) fn starting(
        env: &[(String, String)],
        program: &Path,
        args: &[String],
    ) -> Result<(Server, ServerArgs), Failure> {
        let variables = env
            .iter()
            .flat_map(|(name, value)| ["--env".to_owned(), format!("{name}={value}")]);
        let line = ["plainly", "discover"].into_iter().map(str::to_owned);
        let line = line.chain(variables).chain(["--".to_owned()]);
        let line = line.map(OsString::from).chain([program.into()]);
        Self::parsed(line.chain(args.iter().map(OsString::from)))
    }

    fn parsed(line: impl Iterator<Item = OsString>) -> Result<(Server, ServerArgs), Failure> {
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
