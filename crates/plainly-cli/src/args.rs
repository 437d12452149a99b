//! The command line as plain data, and the texts that teach it. Nothing here does anything.

mod codes;
mod host;
mod log;
mod mount;
mod prompts;
mod server;
mod templates;
mod tools;
mod values;

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, Subcommand};

pub(crate) use self::codes::{CodesArgs, ExplainArgs};
pub(crate) use self::host::Host;
pub(crate) use self::log::LogArgs;
pub(crate) use self::mount::Mount;
pub(crate) use self::prompts::{PromptArgs, PromptsArgs};
pub(crate) use self::server::{Server, ServerArgs, Words};
pub(crate) use self::templates::{CompleteArgs, TemplatesArgs};
pub(crate) use self::tools::{CallArgs, ToolsArgs};
use crate::exit;
use crate::format::Format;

/// Serve directories over MCP, and talk to any MCP server
#[derive(Debug, Parser)]
#[command(name = "plainly", version, after_help = exit::help())]
pub(crate) struct Args {
    #[command(flatten)]
    pub(crate) log: LogArgs,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(ServeArgs),
    #[command(flatten)]
    Client(ClientCommand),
    Codes(CodesArgs),
    Explain(ExplainArgs),
    Completions(CompletionsArgs),
}

impl Command {
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Client(client) => client.server().format(),
            Self::Codes(args) => args.format(),
            Self::Explain(args) => args.format(),
            Self::Serve(_) | Self::Completions(_) => Format::Text,
        }
    }
}

/// What talks to a server.
#[derive(Debug, Subcommand)]
pub(crate) enum ClientCommand {
    Discover(DiscoverArgs),
    Ls(LsArgs),
    Stat(StatArgs),
    Read(ReadArgs),
    Watch(WatchArgs),
    Templates(TemplatesArgs),
    Tools(ToolsArgs),
    Call(CallArgs),
    Prompts(PromptsArgs),
    Prompt(PromptArgs),
    Complete(CompleteArgs),
}

impl ClientCommand {
    fn server(&self) -> &ServerArgs {
        match self {
            Self::Discover(args) => &args.server,
            Self::Ls(args) => &args.server,
            Self::Stat(args) => &args.server,
            Self::Read(args) => &args.server,
            Self::Watch(args) => &args.server,
            Self::Templates(args) => &args.server,
            Self::Tools(args) => &args.server,
            Self::Call(args) => &args.server,
            Self::Prompts(args) => &args.server,
            Self::Prompt(args) => &args.server,
            Self::Complete(args) => &args.server,
        }
    }
}

/// The largest file that is read unless another size is given, in bytes.
pub(crate) const LARGEST_FILE: u64 = 16 << 20;

/// Serve directories: every file is a resource, every directory a collection
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly serve ./docs                          over HTTP at http://127.0.0.1:3333/mcp
  plainly serve docs=./docs src=./src --stdio   two named directories, over stdio
  plainly serve ./docs --http 127.0.0.1:0       on any free port; the URL is printed
  plainly serve ./docs --http 0.0.0.0:3333 --allow-host docs.example.com
  plainly serve ./docs --print-config vscode > .vscode/mcp.json
  plainly serve ./docs --print-config claude | sh

Files have URIs like file:///docs/guide/hosts.md: the directory's name, then the path below it. Hidden files, files \
ignored by .gitignore or .ignore, and links that lead outside are not served. Nothing is ever written.")]
pub(crate) struct ServeArgs {
    /// A directory to serve under its own name, or NAME=DIR to serve it under another
    #[arg(required = true, value_name = "DIR", value_parser = mount::parser())]
    pub(crate) mounts: Vec<Mount>,

    /// Serve HTTP at this address; port 0 picks a free port [default: 127.0.0.1:3333]
    #[arg(long, value_name = "ADDRESS", value_parser = values::address, conflicts_with = "stdio")]
    pub(crate) http: Option<SocketAddr>,

    /// Serve over standard input and output, for the process that started this one
    #[arg(long)]
    pub(crate) stdio: bool,

    /// Over HTTP, also accept requests for this host, such as docs.example.com or docs.example.com:8443
    #[arg(long, value_name = "HOST", conflicts_with = "stdio")]
    pub(crate) allow_host: Vec<String>,

    /// Over HTTP, also accept requests with this Origin, such as https://app.example.com; to read the replies, web pages
    /// also need CORS headers, which a proxy must add
    #[arg(long, value_name = "ORIGIN", conflicts_with = "stdio")]
    pub(crate) allow_origin: Vec<String>,

    /// Over HTTP, also serve the HTTP with SSE transport at /sse, for clients that only support 2024-11-05
    #[arg(long, conflicts_with = "stdio")]
    pub(crate) sse: bool,

    /// The server's name, also used in mcp.json [default: plainly, and in mcp.json the first directory's name]
    #[arg(long)]
    pub(crate) name: Option<String>,

    /// Also serve files and directories whose names start with a dot
    #[arg(long)]
    pub(crate) hidden: bool,

    /// Also serve files that .gitignore and .ignore exclude
    #[arg(long)]
    pub(crate) no_ignore: bool,

    /// Serve only resources, no tools. The tools are for hosts that expose only tools to the model; they read and search
    /// the files
    #[arg(long)]
    pub(crate) no_tools: bool,

    /// Serve every file only as it is. By default HTML and CSV are also available as Markdown, PDF as text, and JSON
    /// without line breaks as indented JSON
    #[arg(long)]
    pub(crate) as_is: bool,

    /// Let clients cache replies for this many seconds [default: they ask every time]
    #[arg(long, value_name = "SECONDS", value_parser = values::seconds, allow_negative_numbers = true)]
    pub(crate) ttl: Option<Duration>,

    /// Encrypt the cursors of long listings with the keys in this file, one per line as 64 hexadecimal digits, so that any server
    /// with the same directories, --name and keys can continue them. The first key encrypts; all keys decrypt
    #[arg(long, value_name = "FILE")]
    pub(crate) key_file: Option<PathBuf>,

    /// Don't serve, but print what this host must be told to start the server with these directories and options; with
    /// --http, to connect to it
    #[arg(long, value_name = "HOST", conflicts_with_all = ["allow_origin", "sse"])]
    pub(crate) print_config: Option<Host>,

    /// The largest file that can be read; larger files are only listed. Clients may accept less in one reply: plainly's own
    /// accept 32 MiB, enough for a binary file of about 24 MiB
    #[arg(long, value_name = "BYTES", default_value = "16M", value_parser = values::size, allow_negative_numbers = true)]
    pub(crate) max_file_size: u64,
}

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
    /// The server's URL
    target: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// List resources: all of them, or the children of a collection
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly ls [OPTIONS] <TARGET> [URI]\n       plainly ls [OPTIONS] [URI] -- <COMMAND>...",
    after_help = "\
Examples:
  plainly ls http://127.0.0.1:3333/mcp
  plainly ls http://127.0.0.1:3333/mcp file:///docs/guide
  plainly ls http://127.0.0.1:3333/mcp -l            a table
  plainly ls http://127.0.0.1:3333/mcp -l | cut -f 2,5    size in bytes and URI, separated by a tab
  plainly ls http://127.0.0.1:3333/mcp file:///docs -R
  plainly ls http://127.0.0.1:3333/mcp --json        one MCP resource object per line
  plainly ls -- plainly serve ./docs --stdio

With -l the fields are kind, size, modification time, MIME type and URI; - means that the server doesn't say. \
Pages are printed as they arrive."
)]
pub(crate) struct LsArgs {
    /// The server's URL
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

/// Show a resource's metadata without reading it
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly stat [OPTIONS] <TARGET> <URI>\n       plainly stat [OPTIONS] <URI> -- <COMMAND>...",
    after_help = "\
Examples:
  plainly stat http://127.0.0.1:3333/mcp file:///docs/intro.md
  plainly stat http://127.0.0.1:3333/mcp file:///docs/intro.md --json

If the server doesn't support resources/metadata, its listing is searched instead."
)]
pub(crate) struct StatArgs {
    /// The server's URL
    target: Option<String>,
    /// The resource
    uri: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Write a resource's content to standard output or a file, byte for byte
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly read [OPTIONS] <TARGET> <URI>\n       plainly read [OPTIONS] <URI> -- <COMMAND>...",
    after_help = "\
Examples:
  plainly read http://127.0.0.1:3333/mcp file:///docs/intro.md
  plainly read http://127.0.0.1:3333/mcp file:///docs/logo.png -o logo.png
  plainly read http://127.0.0.1:3333/mcp file:///docs/report.pdf --as text/plain
  plainly read http://127.0.0.1:3333/mcp file:///docs/intro.md --json   all representations, and _meta
  plainly read file:///docs/intro.md -- npx some-server --flag

If there are several representations, the first is written: the one the server prefers. --as picks another. On a \
terminal, binary content is refused and control characters in text are escaped, unless -o - asks for the bytes."
)]
pub(crate) struct ReadArgs {
    /// The server's URL
    target: Option<String>,
    /// The resource
    uri: Option<String>,
    /// Write to this file; - is standard output, whatever the content is
    #[arg(short, long, value_name = "FILE", conflicts_with = "json")]
    pub(crate) output: Option<PathBuf>,
    /// Write the representation with this MIME type
    #[arg(long = "as", value_name = "TYPE", conflicts_with = "json")]
    pub(crate) mime_type: Option<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Print changes as they happen, until interrupted
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly watch [OPTIONS] <TARGET> [URI]...\n       plainly watch [OPTIONS] [URI]... -- <COMMAND>...",
    after_help = "\
Examples:
  plainly watch http://127.0.0.1:3333/mcp file:///docs/intro.md
  plainly watch http://127.0.0.1:3333/mcp file:///docs          a collection: any change in it
  plainly watch http://127.0.0.1:3333/mcp                       the lists of resources, tools, prompts
  plainly watch http://127.0.0.1:3333/mcp file:///docs --json | while read -r change; do make; done
  plainly watch file:///docs/intro.md -- plainly serve ./docs --stdio

Each change is one line:
  updated URI       the resource has changed or is gone
  listing changed   the list of resources has changed
  tools changed     the list of tools has changed
  prompts changed   the list of prompts has changed
  missed changes    some changes were lost: look at everything again

With --json each is an object: {\"change\": \"updated\", \"uri\": URI}, or {\"change\": \"listing\"}, \"tools\", \"prompts\" or \
\"missed\". Several changes in quick succession are reported once. A resource that doesn't exist yet, or whose changes the \
server doesn't report, causes a warning. It is an error if the server reports no changes at all, or ends the subscription."
)]
pub(crate) struct WatchArgs {
    /// The server's URL
    target: Option<String>,
    /// The resources to watch [default: only the lists of resources, tools and prompts]
    #[arg(value_name = "URI")]
    uris: Vec<String>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

/// Print a shell completion script
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly completions bash > ~/.local/share/bash-completion/completions/plainly
  plainly completions zsh > ~/.zfunc/_plainly
  plainly completions fish > ~/.config/fish/completions/plainly.fish")]
pub(crate) struct CompletionsArgs {
    #[arg(value_parser = clap::builder::EnumValueParser::<Shell>::new())]
    pub(crate) shell: Shell,
}

/// The shells that completions are made for.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl DiscoverArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("discover", self.target.take())
    }
}

impl LsArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new("ls", self.target.take().into_iter().chain(self.uri.take()))
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

impl ReadArgs {
    pub(crate) fn words(&mut self) -> Words {
        Words::new(
            "read",
            self.target.take().into_iter().chain(self.uri.take()),
        )
    }
}

impl WatchArgs {
    pub(crate) fn words(&mut self) -> Words {
        let uris = self.uris.drain(..);
        Words::new("watch", self.target.take().into_iter().chain(uris))
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        Args::command().debug_assert();
    }
}
