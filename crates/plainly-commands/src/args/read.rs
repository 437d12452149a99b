//! `plainly read` and `plainly stat`.

use std::path::PathBuf;

use super::{ServerArgs, Words, usage};

/// Write a resource's content to standard output or a file, byte for byte
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("read", "<URI>"),
    after_help = "\
Examples:
  plainly read http://127.0.0.1:3333/mcp file:///docs/intro.md
  plainly read http://127.0.0.1:3333/mcp file:///docs/logo.png -o logo.png
  plainly read http://127.0.0.1:3333/mcp file:///docs/report.pdf --as text/plain
  plainly read http://127.0.0.1:3333/mcp file:///docs/intro.md --json   all representations, and _meta
  plainly read http://127.0.0.1:3333/mcp file:///docs --save docs        all contents, each in a file
  plainly read file:///docs/intro.md -- npx some-server --flag

If there are several representations, the first is written: the one the server prefers. --as picks another. On a \
terminal, binary content is refused and control characters in text are escaped, unless -o - asks for the bytes."
)]
pub(crate) struct ReadArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The resource
    uri: Option<String>,
    /// Write to this file; - is standard output, also for binary content on a terminal
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Write each of the contents to a file in this directory, and print their names; no file is replaced
    #[arg(long, value_name = "DIR", conflicts_with_all = ["json", "output", "mime_type"])]
    pub(crate) save: Option<PathBuf>,
    /// Write the representation with this MIME type
    #[arg(long = "as", value_name = "TYPE", conflicts_with = "json")]
    pub(crate) mime_type: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Show a resource's metadata without reading it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = usage!("stat", "<URI>"),
    after_help = "\
Examples:
  plainly stat http://127.0.0.1:3333/mcp file:///docs/intro.md
  plainly stat http://127.0.0.1:3333/mcp file:///docs/intro.md --json

If the server doesn't support resources/metadata, its listing is searched instead."
)]
pub(crate) struct StatArgs {
    /// The server's URL, or its name in the configuration of a host
    target: Option<String>,
    /// The resource
    uri: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl ReadArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new(
            "read",
            self.target.take().into_iter().chain(self.uri.take()),
        )
    }
}

impl StatArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new(
            "stat",
            self.target.take().into_iter().chain(self.uri.take()),
        )
    }
}
