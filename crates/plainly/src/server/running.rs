//! A request whose handler runs: what is said before its reply, and the reply. Its deadline, its cancellation and the end of
//! the server end here.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use futures_util::future::{CatchUnwind, FutureExt};
use plainly_errors::Internal;
use tokio::time::{Instant, Sleep};

use super::answer::AnswerFuture;
use super::audience::{Asker, Audience, Ended, panicked};
use super::dispatch::Entered;
use super::encode::Encoded;
use super::in_flight::{Ending, Tracked};
use super::outbox::Said;
use super::scope::Scope;
use super::tasks::Call;

/// A request whose handler runs: a stream of what is sent for it, in the end its reply; no reply if it is cancelled.
/// Dropping it cancels the handler.
pub(super) struct Running {
    id: Box<str>,
    scope: Scope,
    audience: Audience,
    asker: Asker,
    /// Until it has ended.
    handler: Option<Guarded>,
    deadline: Deadline,
    tracked: Option<Tracked>,
    /// What waits until the messages before it are sent.
    reply: Option<Encoded>,
    entered: Entered,
}

/// A handler whose panics end it alone.
pub(super) type Guarded = CatchUnwind<AssertUnwindSafe<AnswerFuture>>;

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
        self.become_task_if_due(false);
        let Some(handler) = &mut self.handler else {
            return;
        };
        let mut polled = handler.poll_unpin(context);
        if polled.is_pending() && self.become_task_if_due(true) {
            polled = self
                .handler
                .as_mut()
                .map_or(Poll::Pending, |making| making.poll_unpin(context));
        }
        let ended: Ended = match polled {
            Poll::Ready(ended) => ended.map_err(|payload| panicked(&*payload)),
            Poll::Pending if self.deadline.poll(&self.scope, context).is_ready() => {
                let limit_ms = u64::try_from(self.deadline.limit.as_millis()).unwrap_or(u64::MAX);
                Err(Internal::DeadlineExceeded { limit_ms }.into())
            }
            Poll::Pending => return,
        };
        self.end_with(|running| {
            let masking = running.entered.server().0.masking;
            let outcome = running.audience.deliver(ended, &running.asker, masking);
            let (server, revision) = (running.entered.server(), running.asker.peer.revision);
            server.respond(&running.id, revision, outcome)
        });
    }

    /// Lets the handler, if its time has come, go on as a task: what is left to do here is to answer with its handle.
    fn become_task_if_due(&mut self, is_waiting: bool) -> bool {
        if !self.scope.stage().is_due(is_waiting) {
            return false;
        }
        let Some(handler) = self.handler.take() else {
            return false;
        };
        let call = Call {
            scope: self.scope.clone(),
            // How the handler ends is the task's; that there is none is for the host's code.
            audience: std::mem::replace(&mut self.audience, Audience::Code),
            asker: self.asker.clone(),
            handler,
        };
        let making: AnswerFuture = Box::pin(self.entered.server().clone().make_task(call));
        self.handler = Some(AssertUnwindSafe(making).catch_unwind());
        true
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
            Some(Poll::Ready(Ending::Cancelled)) => return Poll::Ready(None),
            Some(Poll::Ready(Ending::Stopped)) => {
                this.tracked = None;
                this.stop();
            }
            Some(Poll::Pending) | None => {}
        }
        this.poll_handler(context);
        if let Poll::Ready(said) = this.scope.outbox().poll_next(context) {
            return Poll::Ready(Some(said.into()));
        }
        match (this.reply.take(), &this.handler) {
            (Some(reply), _) => Poll::Ready(Some(Sent::Reply(reply))),
            (None, Some(_)) => Poll::Pending,
            (None, None) => Poll::Ready(None),
        }
    }
}

impl Sending for Running {
    fn stop(&mut self) {
        if self.handler.is_some() {
            self.end_with(|running| {
                let (server, revision) = (running.entered.server(), running.asker.peer.revision);
                server.shutting_down(&running.id, revision)
            });
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
