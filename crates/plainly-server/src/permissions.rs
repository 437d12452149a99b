//! What a sender may do, where a gate of the transport has authenticated it.

use std::fmt;

use http::HeaderMap;
use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Message;

/// The permissions of a sender, which a gate puts among the extensions of a frame as `Arc<dyn Permissions>`. The server asks them
/// about each message before it reads more of it.
pub trait Permissions: fmt::Debug + Send + Sync {
    /// Refuses a message that needs more than its sender may do; with headers of the response.
    fn refuses(&self, message: &Message<'_>) -> Option<(ProtocolError, HeaderMap)>;
}
