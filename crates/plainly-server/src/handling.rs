//! A running handler, up to the outcome of its request: its deadline, its panics, and the questions
//! that suspend it. Messages before the outcome go through the [`Outbox`](super::request).

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::future::FutureExt;
use plainly_errors::{Internal, ProtocolError};
use tokio::time::{Instant, Sleep};

use super::Server;
use super::answer::{Answer, AnswerFuture};
use super::audience::{Audience, HandlerEnd};
use super::failure::Failure;
use super::panics::{GuardedHandler, guarded, panicked};
use super::request::Scope;
use super::tasks::TaskCall;
use crate::store::StoreCaller;

/// The outcome of a request: its answer, or a protocol error.
pub(super) type AnswerResult = Result<Answer, ProtocolError>;

/// The answer of a call, after its handler was called.
pub(super) enum CallAnswer {
    /// The answer is available.
    Now(AnswerResult),
    /// The handler is running.
    Later(RunningHandler),
}

/// A running handler, as the future of its request's outcome. Dropping it cancels the handler.
pub(super) struct RunningHandler {
    server: Server,
    scope: Scope,
    audience: Audience,
    handler: GuardedHandler,
    deadline: Deadline,
}

impl RunningHandler {
    pub(super) fn new(
        server: &Server,
        scope: Scope,
        audience: Audience,
        handler: AnswerFuture,
    ) -> Self {
        Self {
            audience,
            handler: guarded(scope.closing(handler)),
            scope,
            deadline: Deadline::new(server.limits().deadline),
            server: server.clone(),
        }
    }

    fn poll_handler(&mut self, context: &mut Context<'_>) -> Poll<HandlerEnd> {
        // Before the first poll, because a call that becomes a task at once must begin within the
        // task.
        self.become_task_if_due(false, context);
        let caller = self.scope.caller();
        let mut polled = StoreCaller::calls(caller.clone(), || self.handler.poll_unpin(context));
        // The handler is now the future that creates the task. Without a first poll here, nothing
        // would wake it.
        if polled.is_pending() && self.become_task_if_due(true, context) {
            polled = StoreCaller::calls(caller, || self.handler.poll_unpin(context));
        }
        polled.map(|ended| ended.map_err(|payload| panicked(&*payload)))
    }

    /// Ready if a waiting handler must end, because the client has to be asked first or its time is
    /// over.
    fn poll_ended_from_outside(&mut self, context: &mut Context<'_>) -> Poll<HandlerEnd> {
        let seals = &self.server.0.features.seals;
        // Not while messages wait to be read, because part of the handler may be waiting for room
        // to send more and would be cut off.
        if self.scope.outbox().poll_empty(context).is_ready()
            && let Some(questions) = self.scope.asked()
            && let Some(suspended) = questions.suspend(seals, context)
        {
            let asked = suspended.map(Answer::InputRequired);
            return Poll::Ready(Ok(asked.map_err(Failure::from)));
        }
        ready!(self.deadline.poll(&self.scope, context));
        let limit_ms = u64::try_from(self.deadline.limit.as_millis()).unwrap_or(u64::MAX);
        Poll::Ready(Err(Internal::DeadlineExceeded { limit_ms }.into()))
    }

    /// Adds the client's answers so far to an answer that asks more questions. Any other answer is
    /// returned unchanged.
    fn carrying(&self, answer: Answer) -> AnswerResult {
        let Answer::InputRequired(result) = answer else {
            return Ok(answer);
        };
        let seals = &self.server.0.features.seals;
        let result = match self.scope.asked() {
            Some(questions) => questions.carry(result, seals)?,
            None => result,
        };
        Ok(Answer::InputRequired(result))
    }

    /// Moves the handler into a task if that is due. Afterwards this future only answers with the
    /// handle of the task.
    fn become_task_if_due(&mut self, is_waiting: bool, context: &Context<'_>) -> bool {
        let is_due = self.scope.stage().is_due(is_waiting, context);
        if is_due {
            // The task will get the answers, however long its creation takes.
            self.scope.questions().park();
            // A placeholder that is never polled, while the handler moves from here to the task.
            let nothing = guarded(Box::pin(std::future::pending()));
            let call = TaskCall {
                scope: self.scope.clone(),
                // The task's audience reads the outcome of the handler. The host's code reads the
                // error if the task can't be created.
                audience: std::mem::replace(&mut self.audience, Audience::Code),
            };
            let handler = std::mem::replace(&mut self.handler, nothing);
            let tasks = Arc::clone(&self.server.0.tasks);
            self.handler = guarded(Box::pin(tasks.create(call, handler)));
        }
        is_due
    }
}

impl Future for RunningHandler {
    type Output = AnswerResult;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<AnswerResult> {
        let this = self.get_mut();
        let ended = match this.poll_handler(context) {
            Poll::Ready(ended) => ended,
            Poll::Pending => ready!(this.poll_ended_from_outside(context)),
        };
        let policy = this.server.0.errors;
        let outcome = this.audience.deliver(ended, this.scope.asker(), policy);
        Poll::Ready(outcome.and_then(|answer| this.carrying(answer)))
    }
}

impl fmt::Debug for RunningHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunningHandler").finish_non_exhaustive()
    }
}

/// The time limit of a handler. A handler that is ready at once does not read the clock. Progress
/// restarts the time.
struct Deadline {
    limit: Duration,
    /// The timer, and the number of restarts when it was set; `None` if the handler's time was
    /// suspended then.
    sleep: Option<(Pin<Box<Sleep>>, Option<usize>)>,
}

/// The minimum interval between checks whether a handler's time is still suspended.
const PAUSE: Duration = Duration::from_secs(1);

impl Deadline {
    fn new(limit: Duration) -> Self {
        Self { limit, sleep: None }
    }

    fn poll(&mut self, scope: &Scope, context: &mut Context<'_>) -> Poll<()> {
        let beginning = scope.clock().restarts();
        let (sleep, begun) = self
            .sleep
            .get_or_insert_with(|| (Box::pin(tokio::time::sleep(self.limit)), beginning));
        if *begun != beginning {
            *begun = beginning;
            sleep.as_mut().reset(Instant::now() + self.limit);
        }
        while let Poll::Ready(()) = sleep.as_mut().poll(context) {
            if beginning.is_some() {
                return Poll::Ready(());
            }
            // The question may be waiting in another task, whose answer does not wake this one.
            let look = Instant::now() + self.limit.max(PAUSE);
            sleep.as_mut().reset(look);
        }
        Poll::Pending
    }
}
