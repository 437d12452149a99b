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
  plainly ls NAME                        every command takes a name in place of a URL

It looks for .mcp.json, mcp.json and the files of Claude, VS Code, Cursor, Codex, Zed, Windsurf and Gemini, first in this directory \
and those above it up to the root of the repository, then in your own. The fields are the name, the host, the file and what the server \
is started or reached with. Of several servers with one name, the first is used. Values of variables, headers and what looks like a \
secret elsewhere are not shown.")]
pub(crate) struct ServersArgs {
    /// Look in this file, and in no other
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Print JSON, one object per server
    #[arg(long)]
    json: bool,
}

impl ServersArgs {
    /// How servers and errors are printed.
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}
