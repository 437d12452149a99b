//! A request that is being served: what is said before its reply, and the reply. Its cancellation and the end of the server
//! end here.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::{FutureExt, Stream};

use super::dispatch::Entered;
use super::encode::Encoded;
use super::handling::Handling;
use super::in_flight::{Ending, Tracked};
use super::outbox::Said;
use super::scope::Scope;

/// A request that is being served: a stream of what is sent for it, in the end its reply; no reply if it is cancelled.
/// Dropping it cancels the handler.
#[derive(Debug)]
pub(super) struct Running {
    id: Box<str>,
    scope: Scope,
    /// Until it has ended.
    handling: Option<Handling>,
    tracked: Option<Tracked>,
    /// What waits until the messages before it are sent.
    reply: Option<Encoded>,
    entered: Entered,
}

/// What is sent for one request, or several at once.
pub(super) trait Sending: Stream<Item = Sent> + Unpin + fmt::Debug + Send + 'static {
    /// Ends it from outside: what is left to send is there at once.
    fn stop(&mut self);
}

/// What is sent for a request.
#[derive(Debug)]
pub(super) enum Sent {
    /// A message before the reply.
    Before(Bytes),
    /// The client may come again for what follows: only where it can.
    Pause,
    /// The reply, after which nothing comes.
    Reply(Encoded),
}

/// How far a handler has come that was polled once.
pub(super) enum Begun {
    /// It has ended, and said nothing before.
    Done(Encoded),
    /// There is more to come.
    Pending(Running),
}

impl Running {
    pub(super) fn new(entered: Entered, id: &str, scope: Scope, handling: Handling) -> Self {
        Self {
            id: id.into(),
            scope,
            handling: Some(handling),
            tracked: None,
            reply: None,
            entered,
        }
    }

    /// Lets it be ended from outside.
    pub(super) fn tracked(mut self, tracked: Option<Tracked>) -> Self {
        self.tracked = tracked;
        self
    }

    /// Polls the handler once: one that is ready at once costs no place among those in flight.
    pub(super) async fn begin(mut self) -> Begun {
        std::future::poll_fn(|context| {
            self.poll_handling(context);
            Poll::Ready(())
        })
        .await;
        match self.reply.take() {
            Some(reply) if self.scope.outbox().is_empty() => Begun::Done(reply),
            reply => {
                self.reply = reply;
                Begun::Pending(self)
            }
        }
    }

    /// Lets the handler go on, if it still runs.
    fn poll_handling(&mut self, context: &mut Context<'_>) {
        let polled = self.handling.as_mut().map(|one| one.poll_unpin(context));
        if let Some(Poll::Ready(outcome)) = polled {
            let (server, revision) = (self.entered.server(), self.scope.peer().revision);
            let reply = server.respond(&self.id, revision, outcome);
            self.end_with(reply);
        }
    }

    /// Ends it without a reply. What is left to say is what the handler takes back of what it asked.
    fn cancel(&mut self) {
        self.tracked = None;
        self.reply = None;
        self.scope.outbox().clear();
        self.handling = None;
        self.scope.outbox().close();
    }

    fn end_with(&mut self, reply: Encoded) {
        self.handling = None;
        self.scope.outbox().close();
        self.reply = Some(reply);
    }
}

impl Stream for Running {
    type Item = Sent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Sent>> {
        let this = self.get_mut();
        match this
            .tracked
            .as_mut()
            .map(|tracked| tracked.poll_ending(context))
        {
            Some(Poll::Ready(Ending::Cancelled)) => this.cancel(),
            Some(Poll::Ready(Ending::Stopped)) => {
                this.tracked = None;
                this.stop();
            }
            Some(Poll::Pending) | None => {}
        }
        this.poll_handling(context);
        if let Poll::Ready(said) = this.scope.outbox().poll_next(context) {
            return Poll::Ready(Some(said.into()));
        }
        match (this.reply.take(), &this.handling) {
            (Some(reply), _) => Poll::Ready(Some(Sent::Reply(reply))),
            (None, Some(_)) => Poll::Pending,
            (None, None) => Poll::Ready(None),
        }
    }
}

impl Sending for Running {
    fn stop(&mut self) {
        if self.handling.is_some() {
            let (server, revision) = (self.entered.server(), self.scope.peer().revision);
            let reply = server.shutting_down(&self.id, revision);
            self.end_with(reply);
        }
    }
}

impl Sent {
    /// The message that it is.
    pub(super) fn message(self) -> Option<Bytes> {
        match self {
            Self::Before(message) => Some(message),
            Self::Reply(encoded) => Some(encoded.bytes),
            Self::Pause => None,
        }
    }
}

impl From<Said> for Sent {
    fn from(said: Said) -> Self {
        match said {
            Said::Message(message) => Self::Before(message),
            Said::Pause => Self::Pause,
        }
    }
}
