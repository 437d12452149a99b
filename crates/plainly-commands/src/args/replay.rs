//! `plainly replay`.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::values;

/// Answer clients as a recorded server did
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly tools http://127.0.0.1:3333/mcp --record tools.jsonl    makes a recording
  plainly tools -- plainly replay tools.jsonl                     the recording as a server, over stdio
  plainly replay tools.jsonl --http 127.0.0.1:0                   over HTTP; the URL is printed

It answers each request as in the recording. It recognises a request by its method and parameters; \
equal requests get the recorded answers in their order. Messages that the server sent by itself come \
at their place. A request that is not recorded is an error that lists the recorded ones.

Known secrets are masked in recordings.")]
pub(crate) struct ReplayArgs {
    /// A recording, made with --record
    pub(crate) file: PathBuf,
    /// Replay the server at this address instead of over standard input and output; port 0 picks a free port
    #[arg(long, value_name = "ADDRESS", value_parser = values::address)]
    pub(crate) http: Option<SocketAddr>,
}
