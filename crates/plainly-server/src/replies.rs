//! Everything that is sent for one request or batch, as a stream: messages, and at the end the
//! reply. Each transport sends it in its own way: as lines, as the body of one HTTP response, or as
//! events.

mod respond;
pub(super) mod running;

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream::BoxStream;
use futures_util::{Stream, StreamExt};

use self::running::RunningRequest;
use super::outgoing::encode::EncodedReply;
use super::outgoing::{Departure, ReplySource};
use plainly_transport::{Event, Feed};

/// The messages and the reply for a request or batch. There is no reply if the request was
/// cancelled or the message expects none. Dropping it cancels the handlers.
#[derive(Debug, Default)]
pub(super) struct Replies {
    /// The next item, if it has already been read from the source or never had one.
    next: Option<Departure>,
    origin: Origin,
}

#[derive(Debug, Default)]
enum Origin {
    /// There are no further items.
    #[default]
    Over,
    Request(RunningRequest),
    Other(Box<dyn ReplySource>),
}

impl Replies {
    /// A reply that is ready.
    pub(super) fn ready(reply: EncodedReply) -> Self {
        Self {
            next: Some(Departure::Reply(reply)),
            origin: Origin::Over,
        }
    }

    /// The replies of a running request.
    pub(super) fn of(running: RunningRequest) -> Self {
        Self {
            next: None,
            origin: Origin::Request(running),
        }
    }

    /// The replies of several requests.
    pub(super) fn from_source(source: impl ReplySource + 'static) -> Self {
        Self {
            next: None,
            origin: Origin::Other(Box::new(source)),
        }
    }

    /// Notifications without a request, and therefore without a reply.
    pub(super) fn notifications(messages: BoxStream<'static, Bytes>) -> Self {
        Self::from_source(Notifications(messages))
    }

    /// Starts the handler. Returns its reply if the handler ends at once and has sent no messages.
    pub(super) fn begin(&mut self) -> Option<EncodedReply> {
        // Messages stay in the outbox, because a subsequent cancellation withdraws them.
        let reply = match &mut self.origin {
            Origin::Request(running) => running.begin()?,
            Origin::Over | Origin::Other(_) => return self.take_reply(),
        };
        self.origin = Origin::Over;
        Some(reply)
    }

    /// Waits for the first item, and stores it.
    pub(super) async fn first(&mut self) {
        if self.next.is_none() {
            // Stored, because it determines whether the HTTP response is a single message or a
            // stream of events.
            self.next = self.next().await;
        }
    }

    /// The reply, if it is the next item.
    pub(super) fn take_reply(&mut self) -> Option<EncodedReply> {
        match self.next.take() {
            Some(Departure::Reply(reply)) => Some(reply),
            next => {
                self.next = next;
                None
            }
        }
    }

    /// Whether no item is left to send and nothing is running.
    pub(super) fn is_over(&self) -> bool {
        self.next.is_none() && matches!(self.origin, Origin::Over)
    }

    fn source(&mut self) -> Option<&mut dyn ReplySource> {
        match &mut self.origin {
            Origin::Over => None,
            Origin::Request(running) => Some(running),
            Origin::Other(source) => Some(&mut **source),
        }
    }
}

impl Stream for Replies {
    type Item = Departure;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Departure>> {
        let this = self.get_mut();
        if let Some(next) = this.next.take() {
            return Poll::Ready(Some(next));
        }
        let next = match this.source() {
            Some(source) => ready!(source.poll_next(context)),
            None => None,
        };
        if matches!(next, None | Some(Departure::Reply(_))) {
            // Releases the slot of the handler now, not when the reply is read.
            this.origin = Origin::Over;
        }
        Poll::Ready(next)
    }
}

impl ReplySource for Replies {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>> {
        self.poll_next_unpin(context)
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.source()
            .map_or(Poll::Ready(()), |source| source.poll_end(context))
    }

    fn stop(&mut self) {
        self.source().into_iter().for_each(ReplySource::stop);
    }
}

impl Feed for Replies {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            match ready!(self.poll_next_unpin(context)).map(Departure::into_bytes) {
                Some(Some(message)) => return Poll::Ready(Some(message.into())),
                // A pause has no effect here, because a client that can't reconnect continues to
                // wait.
                Some(None) => {}
                None => return Poll::Ready(None),
            }
        }
    }

    fn end(&mut self) {
        self.stop();
    }
}

struct Notifications(BoxStream<'static, Bytes>);

impl ReplySource for Notifications {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>> {
        let message = ready!(self.0.poll_next_unpin(context));
        Poll::Ready(message.map(Departure::Message))
    }

    // There is no handler, so there is no end to wait for.
    fn poll_end(&mut self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }

    fn stop(&mut self) {
        self.0 = futures_util::stream::empty().boxed();
    }
}

impl std::fmt::Debug for Notifications {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Notifications")
    }
}
