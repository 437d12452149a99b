//! Serves one request from a known peer: exactly one reply, whatever the handler does. Panics and overload end here.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly_errors::{ErrorKind, Internal, ProtocolError, Revision, Unavailable};
use plainly_protocol::envelope::{Object, Request};
use plainly_protocol::method::Method;

use super::Server;
use super::answer::Answer;
use super::audience::{Asker, Audience, panicked};
use super::encode::Encoded;
use super::handling::{Answered, Handling};
use super::incident::chain;
use super::layer;
use super::listening::Listening;
use super::request::Scope;
use super::route::Step;
use super::running::{Running, Work};
use super::shares::{Share, Shares};
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

/// What a request leads to, once its parameters are read.
pub(super) enum Served {
    /// It is answered.
    Done(Result<Box<Answer>, ProtocolError>),
    /// Its handler runs.
    Handling(Handling),
    /// What it asks for comes message by message.
    Listening(Listening),
}

impl Server {
    /// Starts serving `request` within `scope`.
    pub(super) fn start(&self, request: &Request<'_>, scope: Scope) -> Started {
        let (id, revision) = (request.id.as_raw(), scope.peer().revision);
        let done = |outcome| Started::Done(self.respond(id, revision, outcome));
        let method = match self.0.routes.find(&request.method, scope.peer()) {
            Ok(method) => method,
            Err(error) => return done(Err(error)),
        };
        let params = request.params.as_ref();
        if let Some(layers) = &self.0.layers {
            return match self.enter(&scope) {
                Some(entered) => {
                    let request = layer::Request::new(self, method, id, params, scope.clone());
                    let serving = Work::layered(layers.clone(), request);
                    Started::Running(Running::new(entered, id, scope, serving))
                }
                None => done(Err(Unavailable::Overloaded.into())),
            };
        }
        match self.begin(method, id, params, &scope) {
            Served::Done(answered) => done(answered.map(|answer| *answer)),
            Served::Listening(listening) => Started::Listening(listening),
            Served::Handling(handling) => match self.enter(&scope) {
                Some(entered) => {
                    Started::Running(Running::new(entered, id, scope, Work::Handler(handling)))
                }
                None => done(Err(Unavailable::Overloaded.into())),
            },
        }
    }

    /// Begins to serve the request `id`, a JSON token, for `method`.
    pub(super) fn begin(
        &self,
        method: Method,
        id: &str,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Served {
        let asker = || Asker {
            method,
            peer: Arc::clone(scope.peer()),
            declined: declined(method, params),
        };
        let route = || self.route(method, params, scope);
        match catch_unwind(AssertUnwindSafe(route)) {
            Ok(Ok(Step::Now(answer))) => Served::Done(Ok(answer)),
            Ok(Err(error)) => Served::Done(Err(error)),
            Ok(Ok(Step::Listen(filter))) => match caught(|| self.listen(id, filter, scope)) {
                Ok(listening) => Served::Listening(listening),
                Err(error) => Served::Done(Err(error)),
            },
            Ok(Ok(Step::Later(audience, handler))) => {
                let scope = scope.clone();
                Served::Handling(Handling::new(self, scope, audience, asker(), handler))
            }
            Err(panic) => {
                let ended = Err(panicked(&*panic));
                let audience = Audience::of(method);
                let answered = audience.deliver(ended, &asker(), self.0.masking);
                Served::Done(answered.map(Box::new))
            }
        }
    }

    /// Writes a response, and logs what went wrong inside. Where there is no room for it, another one.
    pub(super) fn respond(&self, id: &str, revision: Revision, outcome: Answered) -> Encoded {
        if let Err(error) = &outcome
            && let ErrorKind::Internal(detail) = error.kind()
            && !matches!(detail, Internal::Incident { .. })
        {
            tracing::error!(id, error = %chain(error), "a request failed inside the server");
        }
        let encoded = self.0.encoder.response(id, revision, outcome);
        let http_status = encoded.http_status;
        match self.0.unsent.hold(encoded.bytes) {
            Ok(bytes) => Encoded { http_status, bytes },
            Err(_no_room) => {
                let overloaded = Unavailable::Overloaded.into();
                self.0.encoder.error(Some(id), revision, &overloaded)
            }
        }
    }

    fn enter(&self, scope: &Scope) -> Option<Entered> {
        let (limits, load) = (self.limits(), &self.0.load);
        let principal = scope.peer().principal.as_ref();
        let share = load.shares.take(principal, limits.requests_per_principal)?;
        let before = load.count.fetch_add(1, Ordering::Relaxed);
        let entered = Entered {
            server: self.clone(),
            _share: share,
        };
        (before < limits.requests).then_some(entered)
    }
}

/// What `calling` gives; what of an author's it calls may panic, which fails this alone.
pub(super) fn caught<T>(
    calling: impl FnOnce() -> Result<T, ProtocolError>,
) -> Result<T, ProtocolError> {
    catch_unwind(AssertUnwindSafe(calling)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// How many requests run.
#[derive(Debug, Default)]
pub(super) struct Load {
    count: AtomicUsize,
    /// Of which principal.
    shares: Shares,
}

/// One of them, and the server that it is served by.
#[derive(Debug)]
pub(super) struct Entered {
    server: Server,
    _share: Share,
}

impl Entered {
    pub(super) fn server(&self) -> &Server {
        &self.server
    }
}

impl Drop for Entered {
    fn drop(&mut self) {
        self.server.0.load.count.fetch_sub(1, Ordering::Relaxed);
    }
}
