//! The messages that are sent to the client for one request or batch, and their source.

pub(super) mod encode;
pub(super) mod notifications;
pub(super) mod outbox;
pub(super) mod unsent;

use std::fmt;
use std::task::{Context, Poll};

use bytes::Bytes;

use self::encode::EncodedReply;
use self::outbox::OutboxItem;

/// An item that is sent to the client.
#[derive(Debug)]
pub(super) enum Departure {
    /// A notification, or a request of the server, before the reply.
    Message(Bytes),
    /// A request that the client close the connection and reconnect for the following items. Sent
    /// only if the client supports it.
    Pause,
    /// The reply, which is the last item.
    Reply(EncodedReply),
}

/// The source of outgoing messages: a running request, or a batch of them.
pub(super) trait ReplySource: fmt::Debug + Send {
    /// The next message; `None` after the last. Handlers only make progress while this is polled.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>>;

    /// Runs the handlers while no message is read. Ready once they have ended.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()>;

    /// Ends the handlers. The remaining messages are then available at once.
    fn stop(&mut self);
}

impl Departure {
    /// The bytes to send, if there are any.
    pub(super) fn into_bytes(self) -> Option<Bytes> {
        match self {
            Self::Message(message) => Some(message),
            Self::Reply(encoded) => Some(encoded.bytes),
            Self::Pause => None,
        }
    }
}

impl From<OutboxItem> for Departure {
    fn from(said: OutboxItem) -> Self {
        match said {
            OutboxItem::Message(message) => Self::Message(message),
            OutboxItem::Pause => Self::Pause,
        }
    }
}
