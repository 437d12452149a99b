//! A running request: its handler with the layers around it, the messages before its reply, and the
//! events that can end it.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use futures_util::future::{BoxFuture, CatchUnwind, FutureExt};
use futures_util::stream::{BoxStream, StreamExt};
use plainly_errors::Unavailable;

use crate::Server;
use crate::answer::Answer;
use crate::handling::{AnswerResult, RunningHandler};
use crate::in_flight::{End, Slot};
use crate::layer::{Next, Request};
use crate::load::Place;
use crate::operation::OperationOutcome;
use crate::outgoing::encode::EncodedReply;
use crate::outgoing::{Departure, ReplySource};
use crate::panics::panicked;
use crate::request::Scope;

/// A running request. Dropping it cancels its handler.
#[derive(Debug)]
pub(crate) struct RunningRequest {
    pub(crate) server: Server,
    pub(crate) id: Box<str>,
    pub(crate) scope: Scope,
    /// The slot, by which other code can end the request through its id.
    pub(crate) slot: Option<Slot>,
    pub(crate) state: State,
}

/// The state of a request.
pub(crate) enum State {
    /// A handler is running, and has a slot.
    Working { work: Work, _place: Place },
    /// A subscription that reports changes, with the answer that ends it.
    Subscribed(BoxStream<'static, Bytes>, Box<Answer>),
    /// The request is answered. The reply waits until all earlier messages have been sent; a
    /// cancelled request has no reply.
    Answered(Option<EncodedReply>),
}

/// The work on an answer.
pub(crate) enum Work {
    /// The handler itself.
    Handler(RunningHandler),
    /// The layers around the handler.
    Layers(CatchUnwind<AssertUnwindSafe<BoxFuture<'static, AnswerResult>>>),
}

impl Work {
    pub(crate) fn layers(layers: Next, request: Request) -> Self {
        let serving: BoxFuture<'static, AnswerResult> =
            Box::pin(async move { layers.serve(request).await });
        Self::Layers(AssertUnwindSafe(serving).catch_unwind())
    }
}

impl Future for Work {
    type Output = AnswerResult;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<AnswerResult> {
        match self.get_mut() {
            Self::Handler(handling) => handling.poll_unpin(context),
            Self::Layers(layers) => layers
                .poll_unpin(context)
                .map(|answered| answered.unwrap_or_else(|panic| Err(panicked(&*panic)))),
        }
    }
}

impl RunningRequest {
    /// Starts the handler. Returns the reply if it is ready and no message must be sent before it.
    pub(crate) fn begin(&mut self) -> Option<EncodedReply> {
        // The reader of the rest polls again with its own waker.
        let context = &mut Context::from_waker(Waker::noop());
        let _is_answered = self.poll_end(context);
        match &mut self.state {
            State::Answered(reply) if self.scope.outbox().is_empty() => reply.take(),
            State::Working { .. } | State::Subscribed(..) | State::Answered(_) => None,
        }
    }

    /// Polls the handler.
    fn poll_work(&mut self, context: &mut Context<'_>) {
        let State::Working { work, .. } = &mut self.state else {
            return;
        };
        match work.poll_unpin(context) {
            // Behind layers a subscription arrives like any other answer, so it begins only here.
            Poll::Ready(Ok(Answer::Subscription(messages, last))) => {
                let last = Box::new(last.into());
                self.state = State::Subscribed(messages, last);
            }
            Poll::Ready(answered) => self.answer(answered),
            Poll::Pending => {}
        }
    }

    /// Ends the request with this answer.
    fn answer(&mut self, answered: AnswerResult) {
        // A handler that was ended from outside withdraws its questions when it is dropped, so the
        // outbox is still open.
        self.state = State::Answered(None);
        // Closed before the reply is encoded, so that a task started by the handler can neither
        // delay the reply with further messages nor wait for room forever.
        self.scope.outbox().close();
        let reply = self.server.respond(&self.id, &self.scope, answered);
        self.state = State::Answered(Some(reply));
    }

    /// Ends the request without a reply. The only remaining messages are those by which the handler
    /// withdraws its questions.
    fn cancel(&mut self) {
        // A reply that waits behind other messages has already been reported.
        let is_reported = matches!(self.state, State::Answered(_));
        self.scope.outbox().clear();
        // Drops the handler while the outbox is open, so that its questions can be withdrawn. Its
        // earlier messages have been discarded.
        self.state = State::Answered(None);
        self.scope.outbox().close();
        if !is_reported {
            self.report_cancelled();
        }
    }

    fn report_cancelled(&self) {
        let asker = self.scope.asker();
        let operation = || asker.operation(&self.id, OperationOutcome::Cancelled, None);
        // There is no reply that could be withheld.
        let server = &self.server.0;
        let _ = server.observer.report(server.errors.dialect, operation);
    }

    /// Ends the request if it was cancelled or stopped.
    fn poll_slot(&mut self, context: &Context<'_>) {
        let end = self.slot.as_ref().map(|slot| slot.poll_end(context));
        let Some(Poll::Ready(end)) = end else {
            return;
        };
        self.slot = None;
        match end {
            End::Cancelled => self.cancel(),
            End::Stopped => self.stop(),
        }
    }
}

impl ReplySource for RunningRequest {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>> {
        let _is_answered = self.poll_end(context);
        // The reply comes last, even if it is ready, because the client no longer reads after it.
        if let Poll::Ready(said) = self.scope.outbox().poll_next(context) {
            return Poll::Ready(Some(said.into()));
        }
        // A message of a subscription is created when there is room for it, so that no messages
        // queue up for a client that reads slowly.
        if let State::Subscribed(messages, _) = &mut self.state {
            match ready!(messages.poll_next_unpin(context)) {
                Some(message) => return Poll::Ready(Some(Departure::Message(message))),
                None => self.stop(),
            }
        }
        match &mut self.state {
            State::Answered(reply) => Poll::Ready(reply.take().map(Departure::Reply)),
            State::Working { .. } | State::Subscribed(..) => Poll::Pending,
        }
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        // In this order, so that a last poll of the handler can't answer a request that was just
        // cancelled, which should have no response ("Cancellation").
        self.poll_slot(context);
        self.poll_work(context);
        match self.state {
            State::Answered(_) => Poll::Ready(()),
            State::Working { .. } | State::Subscribed(..) => Poll::Pending,
        }
    }

    fn stop(&mut self) {
        let last = match std::mem::replace(&mut self.state, State::Answered(None)) {
            State::Working { .. } => Err(Unavailable::ShuttingDown.into()),
            State::Subscribed(_, last) => Ok(*last),
            answered @ State::Answered(_) => {
                self.state = answered;
                return;
            }
        };
        // The handler has already been dropped, because it lived only as long as the `match`.
        self.answer(last);
    }
}

/// Reports a request whose client closed the connection.
impl Drop for RunningRequest {
    fn drop(&mut self) {
        match self.state {
            State::Working { .. } | State::Subscribed(..) => self.report_cancelled(),
            State::Answered(_) => {}
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Working { .. } => "Working",
            Self::Subscribed(..) => "Subscribed",
            Self::Answered(_) => "Answered",
        })
    }
}
