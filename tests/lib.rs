//! End-to-end tests live in `tests/`. The examples of the README and the guide are compiled here, with what they share.

pub mod valid;
#[path = "peer/src/words.rs"]
mod words;

use plainly::client::{Client, Error};
use plainly::errors::{Dialect, Revision};
use plainly::server::Server;
use plainly::store::Store;
use serde_json::Value;

#[path = "../crates/plainly/examples/tree.rs"]
#[expect(dead_code, reason = "of the example only the store is shared")]
mod tree;

/// A client of `server`, in the same process; what the two say is held to the schemas.
///
/// # Errors
///
/// If the two can't agree on a revision.
pub async fn connect(server: Server) -> Result<Client, Error> {
    let (reader, writer) = valid::overheard(server);
    Client::over(reader, writer).connect().await
}

/// A server's error as the newest revision writes it; `null` for a local error.
#[must_use]
pub fn wire(error: &Error) -> Value {
    let write = |error| Dialect::default().encode(error, Revision::LATEST);
    serde_json::to_value(error.protocol().map(write)).expect("an error is JSON")
}

/// The store of the example `tree`: notes in folders.
#[must_use]
pub fn tree() -> impl Store + Clone {
    tree::tree()
}

#[cfg(doctest)]
mod examples {
    #[doc = include_str!("../README.md")]
    struct Readme;

    #[doc = include_str!("../docs/guide/server.md")]
    struct Server;

    #[doc = include_str!("../docs/guide/client.md")]
    struct Client;

    #[doc = include_str!("../docs/errors.md")]
    struct Errors;

    #[doc = include_str!("../docs/resources.md")]
    struct Resources;

    #[doc = include_str!("../docs/server.md")]
    struct Around;

    #[doc = include_str!("../docs/testing.md")]
    struct Testing;
}
