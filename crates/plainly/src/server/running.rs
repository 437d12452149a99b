//! A request that is being served: what is said before its reply, and the reply. Its cancellation and the end of the server
//! end here.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use futures_util::future::{BoxFuture, CatchUnwind, FutureExt};

use super::audience::panicked;
use super::dispatch::Entered;
use super::encode::Encoded;
use super::handling::Handling;
use super::in_flight::{Ending, Tracked};
use super::layer::{Next, Request, Settled};
use super::listening::Listening;
use super::request::OutboxItem;
use super::request::Scope;

/// A request that is being served: a stream of what is sent for it, in the end its reply; no reply if it is cancelled.
/// Dropping it cancels the handler.
#[derive(Debug)]
pub(super) struct Running {
    id: Box<str>,
    scope: Scope,
    /// Until it has ended.
    work: Option<Work>,
    tracked: Option<Tracked>,
    /// What waits until the messages before it are sent.
    last: Option<Sent>,
    entered: Entered,
}

/// What is sent for one request, or several at once.
pub(super) trait Sending: Stream<Item = Sent> + Unpin + fmt::Debug + Send + 'static {
    /// Lets what runs go on while nobody takes what it says; ready once it has ended.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()>;

    /// Ends it from outside: what is left to send is there at once.
    fn stop(&mut self);
}

/// What leads to the reply.
pub(super) enum Work {
    /// The handler.
    Handler(Handling),
    /// Layers around it.
    Layered(CatchUnwind<AssertUnwindSafe<BoxFuture<'static, Settled>>>),
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
    /// In its place messages for as long as the peer listens. Nothing comes before it.
    Listening(Box<Listening>),
}

/// How far a handler has come that was polled once.
pub(super) enum Begun {
    /// It has ended, and said nothing before.
    Done(Encoded),
    /// There is more to come.
    Pending(Box<Running>),
}

impl Running {
    pub(super) fn new(entered: Entered, id: &str, scope: Scope, work: Work) -> Self {
        Self {
            id: id.into(),
            scope,
            work: Some(work),
            tracked: None,
            last: None,
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
            self.poll_work(context);
            Poll::Ready(())
        })
        .await;
        match self.last.take() {
            Some(Sent::Reply(reply)) if self.scope.outbox().is_empty() => Begun::Done(reply),
            last => {
                self.last = last;
                Begun::Pending(Box::new(self))
            }
        }
    }

    /// Lets the handler go on, if it still runs.
    fn poll_work(&mut self, context: &mut Context<'_>) {
        let polled = self.work.as_mut().map(|work| work.poll_unpin(context));
        if let Some(Poll::Ready(settled)) = polled {
            self.end_with(match settled {
                Settled::Left(answered) => {
                    let (server, revision) = (self.entered.server(), self.scope.peer().revision);
                    Sent::Reply(server.respond(&self.id, revision, answered))
                }
                Settled::Right(listening) => Sent::Listening(listening),
            });
        }
    }

    /// Ends it without a reply. What is left to say is what the handler takes back of what it asked.
    fn cancel(&mut self) {
        self.tracked = None;
        self.last = None;
        self.scope.outbox().clear();
        self.work = None;
        self.scope.outbox().close();
    }

    fn end_with(&mut self, last: Sent) {
        self.work = None;
        self.scope.outbox().close();
        self.last = Some(last);
    }
}

impl Stream for Running {
    type Item = Sent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Sent>> {
        let this = self.get_mut();
        let ended = this.poll_end(context);
        if let Poll::Ready(said) = this.scope.outbox().poll_next(context) {
            return Poll::Ready(Some(said.into()));
        }
        ended.map(|()| this.last.take())
    }
}

impl Sending for Running {
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let tracked = self.tracked.as_mut();
        match tracked.map(|tracked| tracked.poll_ending(context)) {
            Some(Poll::Ready(Ending::Cancelled)) => self.cancel(),
            Some(Poll::Ready(Ending::Stopped)) => {
                self.tracked = None;
                self.stop();
            }
            Some(Poll::Pending) | None => {}
        }
        self.poll_work(context);
        match self.work {
            Some(_) => Poll::Pending,
            None => Poll::Ready(()),
        }
    }

    fn stop(&mut self) {
        if self.work.is_some() {
            let (server, revision) = (self.entered.server(), self.scope.peer().revision);
            let reply = server.shutting_down(&self.id, revision);
            self.end_with(Sent::Reply(reply));
        }
    }
}

impl Sent {
    /// The message that it is.
    pub(super) fn message(self) -> Option<Bytes> {
        match self {
            Self::Before(message) => Some(message),
            Self::Reply(encoded) => Some(encoded.bytes),
            Self::Pause | Self::Listening(_) => None,
        }
    }
}

impl Work {
    pub(super) fn layered(layers: Next, request: Request) -> Self {
        let serving: BoxFuture<'static, Settled> =
            Box::pin(async move { layers.serve(request).await });
        Self::Layered(AssertUnwindSafe(serving).catch_unwind())
    }
}

impl Future for Work {
    type Output = Settled;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Settled> {
        match self.get_mut() {
            Self::Handler(handling) => handling.poll_unpin(context).map(Settled::Left),
            Self::Layered(serving) => serving
                .poll_unpin(context)
                .map(|served| served.unwrap_or_else(|panic| Settled::Left(Err(panicked(&*panic))))),
        }
    }
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Handler(_) => "Handler",
            Self::Layered(_) => "Layered",
        })
    }
}

impl From<OutboxItem> for Sent {
    fn from(item: OutboxItem) -> Self {
        match item {
            OutboxItem::Message(message) => Self::Before(message),
            OutboxItem::Pause => Self::Pause,
        }
    }
}
