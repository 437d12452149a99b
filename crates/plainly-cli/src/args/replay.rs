//! `plainly replay`.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::{ServerArgs, Words, values};

/// Answer clients as a recorded server did, or compare a server with its recording
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "plainly replay [OPTIONS] <FILE>\n       plainly replay [OPTIONS] <FILE> <TARGET>\n       plainly replay [OPTIONS] <FILE> -- <COMMAND>...",
    after_help = "\
Examples:
  plainly tools http://127.0.0.1:3333/mcp --record tools.jsonl    makes a recording
  plainly tools -- plainly replay tools.jsonl                     the recording as a server, over stdio
  plainly replay tools.jsonl --http 127.0.0.1:0                   over HTTP; the URL is printed
  plainly replay tools.jsonl http://127.0.0.1:3333/mcp            compares the server's answers
  plainly replay tools.jsonl --json -- npx some-server

As a server, it answers each request as in the recording. It recognises a request by its method \
and parameters; equal requests get the recorded answers in their order. Messages that the server \
sent by itself come at their place. A request that is not recorded is an error that lists the \
recorded ones.

With a server, it sends the recorded requests and prints the differences between the answers; if \
there are any, the exit status is 1. With --json, each request is an object: {\"line\": …, \
\"method\": …, \"outcome\": \"same\", \"different\" or \"skipped\", \"differences\": [{\"at\": \
JSON Pointer, \"recorded\": …, \"live\": …}]}.

Secrets are masked in recordings, and requests that had one are skipped."
)]
pub(crate) struct ReplayArgs {
    /// A recording, made with --record
    pub(crate) file: PathBuf,
    /// The URL of a server to compare with the recording
    target: Option<String>,
    /// Replay the server at this address instead of over standard input and output; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", value_parser = values::address, conflicts_with = "target")]
    pub(crate) http: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl ReplayArgs {
    /// Whether it is the server that is replayed, and not the client.
    pub(crate) fn is_server(&self) -> bool {
        self.target.is_none() && !self.server.has_command()
    }

    pub(crate) fn words(&mut self) -> Words {
        Words::new("replay", self.target.take())
    }
}
