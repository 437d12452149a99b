//! The permissions of a sender that a gate of the transport has authenticated.

use std::fmt;

use http::HeaderMap;
use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Message;

/// The permissions of a sender, which a gate adds to the extensions of a frame as
/// `Arc<dyn Permissions>`. The server checks them for each message before it processes the message.
pub trait Permissions: fmt::Debug + Send + Sync {
    /// The error and the headers of the response, if the sender may not send this message.
    fn refuses(&self, message: &Message<'_>) -> Option<(ProtocolError, HeaderMap)>;
}
