//! NATS with JetStream as the [`Engine`] that the replicas of an MCP server share.
//!
//! ```no_run
//! use plainly_nats::Nats;
//!
//! # async fn connect() -> Result<(), plainly_nats::SettingsError> {
//! let nats = Nats::connect(["nats://n1", "nats://n2", "nats://n3"])
//!     .name("notes")
//!     .credentials("/run/secrets/notes.creds")
//!     .await?;
//! # Ok(())
//! # }
//! ```
//!
//! Everything is below the subject `plainly.v1.NAME`, and in two streams: `plainly_NAME_records` in
//! files, and `plainly_NAME_journals` in memory. The first replica that finds a stream missing makes
//! it. Nothing is ever deleted: it expires.

mod api;
mod bus;
mod connection;
mod journals;
mod records;
mod report;
mod settings;
mod streams;

use std::fmt;
use std::sync::Arc;

use plainly_cluster::{Engine, EngineError, EngineReport, ReplicaId};

use self::connection::Connection;
pub use self::settings::{Connecting, SettingsError};
use self::streams::Streams;

/// The bytes of a message that are not its value: the subject and the headers.
const AROUND_A_VALUE: usize = 8 * 1024;

/// One replica's connection to NATS. Clones share it; it closes with the last of them.
#[derive(Clone)]
pub struct Nats {
    id: ReplicaId,
    /// The prefix of each subject: `plainly.v1.NAME`.
    root: Arc<str>,
    connection: Connection,
    streams: Arc<Streams>,
}

impl Nats {
    /// Connects to the servers at these URLs, in the background and for as long as it takes, once
    /// this is awaited. What is a `tls` URL, or a server that wants TLS, is only reached by TLS.
    pub fn connect<U: Into<String>>(urls: impl IntoIterator<Item = U>) -> Connecting {
        Connecting::new(urls.into_iter().map(Into::into).collect())
    }
}

impl Engine for Nats {
    fn is_connected(&self) -> bool {
        self.connection.is_up()
    }

    fn max_value(&self) -> usize {
        self.connection.max_payload().saturating_sub(AROUND_A_VALUE)
    }

    async fn report(&self) -> Result<EngineReport, EngineError> {
        report::report(self).await
    }
}

impl fmt::Debug for Nats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Nats")
            .field("id", &self.id)
            .field("root", &self.root)
            .finish_non_exhaustive()
    }
}
