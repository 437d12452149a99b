//! A whole server, tested by the bytes on the wire: both transports, every revision.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod both;
mod case;
mod fixture;
mod http;
mod log;
mod sender;
mod stream;

mod batches;
mod cancelling;
mod collections;
mod connections;
mod contents;
mod cursors;
mod eras;
mod framing;
mod headers;
mod json;
mod limits;
mod listings;
mod logs;
mod messages;
mod meta;
mod mistakes;
mod ours;
#[cfg(unix)]
mod paths;
mod prompts;
mod replies;
mod schema;
#[cfg(unix)]
mod spellings;
mod templates;

use plainly_peer::within;
