//! A request whose handler runs: what is said before its reply, and the reply. Its deadline, its cancellation and the end of
//! the server end here.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{CatchUnwind, FutureExt};
use futures_util::{Stream, StreamExt};
use plainly_errors::{Internal, ProtocolError};
use tokio::time::{Instant, Sleep};

use super::answer::{Answer, AnswerFuture};
use super::audience::{Asker, Audience, Ended, panicked};
use super::dispatch::Entered;
use super::encode::Encoded;
use super::failure::Failure;
use super::in_flight::{Ending, Tracked};
use super::scope::Scope;
use crate::transport::{Event, Feed};

/// A request whose handler runs: a stream of what is sent for it, in the end its reply; no reply if it is cancelled.
/// Dropping it cancels the handler.
pub(super) struct Running {
    id: Box<str>,
    scope: Scope,
    audience: Audience,
    asker: Asker,
    /// Until it has ended.
    handler: Option<CatchUnwind<AssertUnwindSafe<AnswerFuture>>>,
    deadline: Deadline,
    tracked: Option<Tracked>,
    /// What waits until the messages before it are sent.
    reply: Option<Encoded>,
    entered: Entered,
}

/// What is sent for a request.
pub(super) enum Sent {
    /// A message before the reply.
    Before(Bytes),
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
    pub(super) fn new(
        entered: Entered,
        id: &str,
        scope: Scope,
        audience: Audience,
        asker: Asker,
        handler: AnswerFuture,
    ) -> Self {
        Self {
            id: id.into(),
            scope,
            audience,
            asker,
            handler: Some(AssertUnwindSafe(handler).catch_unwind()),
            deadline: Deadline::new(entered.server().limits().deadline),
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
            self.poll_handler(context);
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
    fn poll_handler(&mut self, context: &mut Context<'_>) {
        let Some(handler) = &mut self.handler else {
            return;
        };
        let ended: Ended = match handler.poll_unpin(context) {
            Poll::Ready(ended) => ended.map_err(|payload| panicked(&*payload)),
            Poll::Pending => match self.ended_from_outside(context) {
                Some(ended) => ended,
                None => return,
            },
        };
        self.end_with(|running| {
            let (server, revision) = (running.entered.server(), running.asker.peer.revision);
            let outcome = running
                .audience
                .deliver(ended, &running.asker, server.0.masking)
                .and_then(|answer| running.carrying(answer));
            server.respond(&running.id, revision, outcome)
        });
    }

    /// Why a handler that waits need not go on: the client must be asked first, or its time is over.
    fn ended_from_outside(&mut self, context: &mut Context<'_>) -> Option<Ended> {
        let seals = &self.entered.server().0.seals;
        if self.scope.outbox().is_empty()
            && let Some(suspended) = self.scope.questions().suspend(seals, context)
        {
            let asked = suspended.map(Answer::InputRequired);
            return Some(Ok(asked.map_err(Failure::from)));
        }
        if self.deadline.poll(&self.scope, context).is_pending() {
            return None;
        }
        let limit_ms = u64::try_from(self.deadline.limit.as_millis()).unwrap_or(u64::MAX);
        Some(Err(Internal::DeadlineExceeded { limit_ms }.into()))
    }

    /// The same answer; if it asks for something, with the answers so far.
    fn carrying(&self, answer: Answer) -> Result<Answer, ProtocolError> {
        match answer {
            Answer::InputRequired(result) => {
                let seals = &self.entered.server().0.seals;
                let result = self.scope.questions().carry(result, seals)?;
                Ok(Answer::InputRequired(result))
            }
            other => Ok(other),
        }
    }

    /// Ends it from outside: what is left to send is there at once.
    fn stop(&mut self) {
        if self.handler.is_some() {
            self.end_with(|running| {
                let (server, revision) = (running.entered.server(), running.asker.peer.revision);
                server.shutting_down(&running.id, revision)
            });
        }
    }

    /// Ends it without a reply. What is left to say is what the handler takes back of what it asked.
    fn cancel(&mut self) {
        self.tracked = None;
        self.reply = None;
        self.scope.outbox().clear();
        self.handler = None;
        self.scope.outbox().close();
    }

    fn end_with(&mut self, reply: impl FnOnce(&Self) -> Encoded) {
        self.handler = None;
        self.scope.outbox().close();
        self.reply = Some(reply(self));
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
        this.poll_handler(context);
        if let Poll::Ready(message) = this.scope.outbox().poll_next(context) {
            return Poll::Ready(Some(Sent::Before(message)));
        }
        match (this.reply.take(), &this.handler) {
            (Some(reply), _) => Poll::Ready(Some(Sent::Reply(reply))),
            (None, Some(_)) => Poll::Pending,
            (None, None) => Poll::Ready(None),
        }
    }
}

/// Over HTTP, once it has said something: the rest of it.
impl Feed for Running {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        self.poll_next_unpin(context)
            .map(|sent| sent.map(|sent| sent.into_bytes().into()))
    }

    fn end(&mut self) {
        self.stop();
    }
}

impl Sent {
    pub(super) fn into_bytes(self) -> Bytes {
        match self {
            Self::Before(message) => message,
            Self::Reply(encoded) => encoded.bytes,
        }
    }
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Until when a handler may run. One that is ready at once costs no look at the clock; one that makes progress has more time.
struct Deadline {
    limit: Duration,
    /// When it ends, and at which of its beginnings that was decided.
    sleep: Option<(Pin<Box<Sleep>>, usize)>,
}

impl Deadline {
    fn new(limit: Duration) -> Self {
        Self { limit, sleep: None }
    }

    fn poll(&mut self, scope: &Scope, context: &mut Context<'_>) -> Poll<()> {
        let Some(beginning) = scope.beginnings() else {
            return Poll::Pending;
        };
        let (sleep, begun) = self
            .sleep
            .get_or_insert_with(|| (Box::pin(tokio::time::sleep(self.limit)), beginning));
        if *begun != beginning {
            *begun = beginning;
            sleep.as_mut().reset(Instant::now() + self.limit);
        }
        sleep.as_mut().poll(context)
    }
}
