//! The messages that leave for the client on behalf of one request or batch, and their source.

pub(super) mod encode;
pub(super) mod notifications;
pub(super) mod outbox;
pub(super) mod unsent;

use std::fmt;
use std::task::{Context, Poll};

use bytes::Bytes;

use self::encode::EncodedReply;
use self::outbox::OutboxItem;

/// Something that leaves for the client.
#[derive(Debug)]
pub(super) enum Departure {
    /// A notification, or a request of ours, before the reply.
    Message(Bytes),
    /// The client is to hang up and come back for what follows. Sent only if it can.
    Pause,
    /// The reply, after which nothing comes.
    Reply(EncodedReply),
}

/// The source of outgoing messages: a running request, or a batch of them.
pub(super) trait ReplySource: fmt::Debug + Send {
    /// The next message; `None` once everything was sent. Handlers only make progress while this is polled.
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>>;

    /// Lets handlers make progress while no message is read; ready once they have ended.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()>;

    /// Ends the handlers. The remaining messages are then available at once.
    fn stop(&mut self);
}

impl Departure {
    /// The bytes to be sent, if there are any.
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
