//! What a handler was called for, and by whom.

use std::sync::Arc;

use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

/// Whoever waits for the end of a handler.
#[derive(Clone)]
pub(in crate::server) struct Asker {
    pub(in crate::server) method: Method,
    pub(in crate::server) peer: Arc<Peer>,
    /// The keys of what the user was asked in an earlier round, and did not want.
    pub(in crate::server) declined: Vec<String>,
}
