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
//! All subjects are below `plainly.v1.NAME`, and there are two streams: `plainly_NAME_records` in
//! files, and `plainly_NAME_journals` in memory. The first replica that finds a stream missing
//! creates it. Nothing is ever deleted; entries expire.

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

/// The maximum size of a message's subject and headers, in bytes.
const AROUND_A_VALUE: usize = 8 * 1024;

/// One replica's connection to NATS. Clones share the connection, which closes with the last of
/// them.
#[derive(Clone)]
pub struct Nats {
    id: ReplicaId,
    /// The prefix of each subject: `plainly.v1.NAME`.
    root: Arc<str>,
    connection: Connection,
    streams: Arc<Streams>,
}

impl Nats {
    /// Connects to the servers at these URLs once awaited. The connection is made in the
    /// background, and retried as long as necessary. Uses only TLS for a `tls` URL, or if a server
    /// requires TLS.
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
