//! Serves one request from a known peer: exactly one reply, whatever the handler does. Panics, deadlines and overload end
//! here.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_errors::{ErrorKind, Internal, ProtocolError, Revision, Unavailable};
use plainly_protocol::envelope::Request;
use plainly_protocol::peer::Peer;

use super::Server;
use super::answer::{Answer, AnswerFuture};
use super::audience::{Asker, Audience, Ended, panicked};
use super::encode::Encoded;
use super::incident::chain;
use super::listening::Listening;
use super::news::News;
use super::route::Step;
use super::url_elicitation::declined;

/// How far a request has come.
pub(super) enum Started {
    /// It is answered.
    Done(Encoded),
    /// Its handler runs.
    Running(Running),
    /// What it asks for comes message by message.
    Listening(Listening),
}

/// How far a handler has come that was polled once.
pub(super) enum Begun {
    /// It was ready at once.
    Done(Encoded),
    /// It runs on.
    Pending(BoxFuture<'static, Encoded>),
}

/// A request whose handler runs. Dropping it cancels the handler, and there is no reply.
pub(super) struct Running {
    server: Server,
    audience: Audience,
    id: Box<str>,
    asker: Asker,
    handler: AnswerFuture,
    _entered: Entered,
}

impl Server {
    /// Starts serving `request`; `news` are those of the peer's session, if it has one.
    pub(super) fn start(
        &self,
        request: &Request<'_>,
        peer: &Arc<Peer>,
        news: Option<&Arc<News>>,
    ) -> Started {
        let done =
            |outcome| Started::Done(self.respond(request.id.as_raw(), peer.revision, outcome));
        let method = match self.0.routes.find(&request.method, peer) {
            Ok(method) => method,
            Err(error) => return done(Err(error)),
        };
        let asker = || Asker {
            method,
            peer: Arc::clone(peer),
            declined: declined(method, request.params.as_ref()),
        };
        let route = || self.route(method, request.params.as_ref(), peer, news);
        let step = match catch_unwind(AssertUnwindSafe(route)) {
            Ok(step) => step,
            Err(panic) => {
                let ended = Err(panicked(&*panic));
                let audience = Audience::of(method);
                return done(audience.deliver(ended, &asker(), self.0.masking));
            }
        };
        match step {
            Ok(Step::Now(answer)) => done(Ok(*answer)),
            Err(error) => done(Err(error)),
            Ok(Step::Listen(filter)) => match caught(|| self.listen(request.id.as_raw(), filter)) {
                Ok(listening) => Started::Listening(listening),
                Err(error) => done(Err(error)),
            },
            Ok(Step::Later(audience, handler)) => match self.enter() {
                Some(entered) => Started::Running(Running {
                    server: self.clone(),
                    audience,
                    id: request.id.as_raw().into(),
                    asker: asker(),
                    handler,
                    _entered: entered,
                }),
                None => done(Err(Unavailable::Overloaded.into())),
            },
        }
    }

    /// Writes a response, and logs what went wrong inside.
    pub(super) fn respond(
        &self,
        id: &str,
        revision: Revision,
        outcome: Result<Answer, ProtocolError>,
    ) -> Encoded {
        if let Err(error) = &outcome
            && let ErrorKind::Internal(detail) = error.kind()
            && !matches!(detail, Internal::Incident { .. })
        {
            tracing::error!(id, error = %chain(error), "a request failed inside the server");
        }
        self.0.encoder.response(id, revision, outcome)
    }

    fn enter(&self) -> Option<Entered> {
        let before = self.0.load.0.fetch_add(1, Ordering::Relaxed);
        let entered = Entered(self.clone());
        (before < self.limits().requests).then_some(entered)
    }
}

impl Running {
    /// Polls the handler once: one that is ready at once costs no place among those in flight.
    pub(super) async fn begin(self) -> Begun {
        let mut finishing: BoxFuture<'static, Encoded> = Box::pin(self.finish());
        match poll_fn(|cx| Poll::Ready(finishing.as_mut().poll(cx))).await {
            Poll::Ready(encoded) => Begun::Done(encoded),
            Poll::Pending => Begun::Pending(finishing),
        }
    }

    /// Waits for the handler and writes its response.
    pub(super) async fn finish(self) -> Encoded {
        let ended = by_deadline(self.handler, self.server.limits().deadline).await;
        self.server.respond(
            &self.id,
            self.asker.peer.revision,
            self.audience
                .deliver(ended, &self.asker, self.server.0.masking),
        )
    }
}

/// What `calling` gives; what of an author's it calls may panic, which fails this alone.
pub(super) fn caught<T>(
    calling: impl FnOnce() -> Result<T, ProtocolError>,
) -> Result<T, ProtocolError> {
    catch_unwind(AssertUnwindSafe(calling)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// Runs a handler until it ends, or the deadline. One that is ready at once costs no look at the clock.
async fn by_deadline(handler: AnswerFuture, deadline: Duration) -> Ended {
    let mut guarded = AssertUnwindSafe(handler).catch_unwind();
    let first = poll_fn(|context| Poll::Ready(guarded.poll_unpin(context))).await;
    let ended = match first {
        Poll::Ready(ended) => ended,
        Poll::Pending => match tokio::time::timeout(deadline, guarded).await {
            Ok(ended) => ended,
            Err(_elapsed) => {
                let limit_ms = u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX);
                return Err(Internal::DeadlineExceeded { limit_ms }.into());
            }
        },
    };
    ended.map_err(|payload| panicked(&*payload))
}

/// How many requests run.
#[derive(Debug, Default)]
pub(super) struct Load(AtomicUsize);

/// One of them.
struct Entered(Server);

impl Drop for Entered {
    fn drop(&mut self) {
        self.0.0.load.0.fetch_sub(1, Ordering::Relaxed);
    }
}
