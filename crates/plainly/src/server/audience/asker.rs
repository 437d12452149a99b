//! The sender of a request, as far as the report of its outcome depends on it.

use std::sync::Arc;

use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

/// The peer that waits for the outcome of a handler, and the method that it called.
#[derive(Clone)]
pub(in crate::server) struct Asker {
    pub(in crate::server) method: Method,
    pub(in crate::server) peer: Arc<Peer>,
    /// The keys of the questions of an earlier round that the user declined.
    pub(in crate::server) declined: Vec<String>,
}
