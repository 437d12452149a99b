//! `plainly servers`.

use std::path::PathBuf;

use crate::format::Format;

/// List the servers that hosts on this machine are configured with
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly servers
  plainly servers --json | jq -r .name
  plainly servers --config ./mcp.json    those of this file
  plainly servers --check                which are online, and how many tools they have
  plainly servers --allow .mcp.json      let this project's file start its servers
  plainly ls NAME                        every command takes a name in place of a URL

It looks for .mcp.json, mcp.json and the files of Claude, VS Code, Cursor, Codex, Zed, Windsurf \
and Gemini, first in this directory and those above it up to the root of the repository, then in \
your own. The fields are the name, the host, the file, and the command or URL. A server in the \
file of a project is used once you have allowed that file. Of several servers with one name, the \
first is used. Values of variables and headers are not shown, nor are those of options with names \
of secrets, nor secrets in URLs.")]
pub(crate) struct ServersArgs {
    /// Look in this file, and in no other
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Allow this project's file to start its servers, until the file changes; list them
    #[arg(long, value_name = "FILE", conflicts_with = "config")]
    pub(crate) allow: Option<PathBuf>,
    /// Connect to each, and print whether it is online and the number of its tools; the status is 3 if one can't be reached
    #[arg(long, conflicts_with = "allow")]
    pub(crate) check: bool,
    /// Print JSON, one object per server
    #[arg(long)]
    json: bool,
}

impl ServersArgs {
    /// The format of servers and errors.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}
