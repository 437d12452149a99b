//! `plainly install` and `plainly uninstall`.

use clap::builder::NonEmptyStringValueParser;

use super::values::{self, HeaderArg};
use super::{ContentArgs, Host, WriteArgs};
use crate::format::Format;

/// Add a server to the configuration of a host
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "\
plainly install [OPTIONS] <HOST> [NAME] -- <COMMAND>...
       plainly install [OPTIONS] <HOST> <NAME> <URL>
       plainly install [OPTIONS] <HOST> <DIR>...",
    after_help = "\
Examples:
  plainly install cursor -- npx -y @modelcontextprotocol/server-memory
  plainly install codex db --env PGHOST=localhost -- uvx some-server
  plainly install vscode docs https://docs.example.com/mcp --project
  plainly install claude notes https://notes.example.com/mcp --header 'Authorization: Bearer ${NOTES_TOKEN}'
  plainly install zed ./docs           this directory, served by plainly
  plainly install zed ./docs --hidden  hidden files too
  plainly install zed ./docs --write   the host can change its files
  plainly install zed ./docs --dry-run print the change, and write nothing
  plainly install vscode ./docs --project --portable

Paths of existing files are written as absolute paths, because hosts start servers from any \
directory. ${NAME} in a header, in a URL or in --env is a variable, written as the host spells it. \
Everything else in the file stays as it is, comments too. The earlier file is saved beside it, as \
FILE.plainly-backup."
)]
pub(crate) struct InstallArgs {
    /// The host
    #[arg(value_enum)]
    pub(crate) host: Host,
    /// The server's name in the host, and its URL; or directories that plainly serves
    #[arg(value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) words: Vec<String>,
    /// A variable for the server that is started; can be given several times
    #[arg(long, value_name = "KEY=VALUE", value_parser = values::variable)]
    pub(crate) env: Vec<(String, String)>,
    /// A header for the server at the URL; can be given several times
    #[arg(long = "header", value_name = "NAME: VALUE", value_parser = values::Header)]
    pub(crate) headers: Vec<HeaderArg>,
    /// Replace another server of the same name
    #[arg(long)]
    pub(crate) force: bool,
    /// With --project, write paths from the project's directory, and `plainly` without a path, for
    /// a file that others share
    #[arg(long, requires = "project")]
    pub(crate) portable: bool,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
    #[command(flatten, next_help_heading = "Directories that plainly serves")]
    pub(crate) content: ContentArgs,
    #[command(flatten)]
    pub(crate) writing: WriteArgs,
    /// The command that starts the server, with its arguments
    #[arg(last = true)]
    pub(crate) command: Vec<String>,
}

/// Remove a server from the configuration of a host
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly uninstall cursor memory
  plainly uninstall vscode docs --project
  plainly uninstall zed docs --dry-run    print the change, and write nothing

Everything else in the file stays as it is. The earlier file is saved beside it, as FILE.plainly-backup.")]
pub(crate) struct UninstallArgs {
    /// The host
    #[arg(value_enum)]
    pub(crate) host: Host,
    /// The server's name in the host
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) change: ChangeArgs,
}

/// The file to change, and the report of the change.
#[derive(Debug, clap::Args)]
pub(crate) struct ChangeArgs {
    /// Change the host's file in this directory [default: your own file, for all projects]
    #[arg(long)]
    pub(crate) project: bool,
    /// Print the change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl ChangeArgs {
    /// The format of the change and of errors.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}
