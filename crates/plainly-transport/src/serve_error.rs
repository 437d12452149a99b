//! The failures of a server as a whole: it cannot listen, or its connection fails.

use std::io;
use std::net::SocketAddr;

/// The reason why a server can't listen or its connection failed. `?` converts it to an
/// [`io::Error`] of the same [kind](Self::kind).
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// The host of the address could not be looked up, or has no address.
    #[error("cannot look up the address to listen at")]
    Lookup(#[source] io::Error),
    /// The system does not allow the server to listen there, usually because another process
    /// already does.
    #[error("cannot listen at {address}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The server listens on an address other than loopback, and its service does not name the
    /// hosts that clients use (`HttpService::allow_host`).
    #[error("{0} is not a loopback address: name the hosts that clients use (allow_host)")]
    Nameless(SocketAddr),
    /// The connection to the only peer failed.
    #[error("the connection to the client failed")]
    Connection(#[source] io::Error),
}

plainly_errors::debug_with_causes!(ServeError);

impl ServeError {
    /// The kind of the failure, as for an [`io::Error`].
    pub fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Lookup(source) | Self::Listen { source, .. } => source.kind(),
            Self::Nameless(_) => io::ErrorKind::InvalidInput,
            Self::Connection(source) => source.kind(),
        }
    }
}

impl From<ServeError> for io::Error {
    fn from(error: ServeError) -> Self {
        Self::new(error.kind(), error)
    }
}
