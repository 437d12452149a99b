//! Passes a request of a known peer to its handler. Admission happens here: the id must be free,
//! and there must be room.

use std::sync::Arc;

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Request;
use plainly_protocol::method::Method;

use super::Server;
use super::answer::Answer;
use super::audience::{Audience, MethodAnswer};
use super::handling::{CallAnswer, RunningHandler};
use super::in_flight::{InFlight, SlotKind};
use super::layer;
use super::load::Place;
use super::mistakes;
use super::panics::caught;
use super::replies::Replies;
use super::replies::running::{RunningRequest, State, Work};
use super::request::{MethodCall, Scope};

impl Server {
    /// Serves a request, and tracks it among those in flight on its connection or session, if any.
    pub(super) fn dispatch(
        &self,
        request: &Request<'_>,
        mut scope: Scope,
        in_flight: Option<&Arc<InFlight>>,
    ) -> Replies {
        self.admit(request, &mut scope, in_flight)
            .unwrap_or_else(|error| {
                Replies::ready(self.respond(request.id.as_raw(), &scope, Err(error)))
            })
    }

    fn admit(
        &self,
        request: &Request<'_>,
        scope: &mut Scope,
        in_flight: Option<&Arc<InFlight>>,
    ) -> Result<Replies, ProtocolError> {
        let id = request.id.as_raw();
        // First, so that a method that is not served uses neither an id nor a slot.
        let found = self.0.discovery.find(&request.method, scope.peer());
        let method = found.inspect_err(|_| scope.asks_for_unserved(&request.method))?;
        scope.asks_for(method, request.params.as_ref());
        if scope.has_malformed_meta() {
            return Err(mistakes::in_meta(method, request.params.as_ref()));
        }
        // Modern HTTP has no table, because each request is alone on its exchange and closing the
        // response cancels it (2026-07-28, Streamable HTTP, "Cancellation").
        let slot = in_flight
            .map(|all| all.admit(request.id.to_owned(), kind(method)))
            .transpose()?;
        let call = MethodCall {
            method,
            id,
            params: request.params.as_ref(),
            scope,
        };
        let state = match &self.0.layers {
            // A layer may wait for any time, so with layers every request needs a slot, even one
            // that is answered at once.
            Some(layers) => State::Working {
                _place: self.place(scope)?,
                work: Work::layers(layers.clone(), layer::Request::new(self, &call)),
            },
            None => {
                // Before the handler is called, because it may do anything before it returns its
                // future.
                let place = (!is_answered_at_once(method)).then(|| self.place(scope));
                let place = place.transpose()?;
                match self.handle(&call) {
                    CallAnswer::Later(handling) => State::Working {
                        // A request without a slot is a listing of sources, none of which has been
                        // called yet, or a change of a session that is still to be stored.
                        _place: place.map_or_else(|| self.place(scope), Ok)?,
                        work: Work::Handler(handling),
                    },
                    CallAnswer::Now(Ok(Answer::Subscription(messages, last))) => {
                        State::Subscribed(messages, Box::new(last.into()))
                    }
                    CallAnswer::Now(answered) => {
                        return Ok(Replies::ready(self.respond(id, scope, answered)));
                    }
                }
            }
        };
        let running = RunningRequest {
            server: self.clone(),
            id: id.into(),
            scope: scope.clone(),
            slot,
            state,
        };
        Ok(Replies::of(running))
    }

    /// A slot for a handler.
    fn place(&self, scope: &Scope) -> Result<Place, ProtocolError> {
        self.0.load.admit(scope.caller())
    }

    /// Passes a request to its handler, behind all layers.
    pub(super) fn handle(&self, call: &MethodCall<'_>) -> CallAnswer {
        match caught(|| self.route(call)) {
            Ok(Ok(MethodAnswer::Now(answer))) => CallAnswer::Now(Ok(answer)),
            Ok(Ok(MethodAnswer::Later(audience, handler))) => {
                let scope = call.scope.clone();
                CallAnswer::Later(RunningHandler::new(self, scope, audience, handler))
            }
            Ok(Err(error)) => CallAnswer::Now(Err(error)),
            Err(error) => {
                // The handler panicked before it could name its audience, so the method determines
                // it.
                let audience = Audience::of(call.method);
                CallAnswer::Now(audience.deliver(Err(error), call.scope.asker(), self.0.errors))
            }
        }
    }
}

/// Whether this server answers `method` without a handler and therefore without a slot. This is a
/// property of the server's handlers, not of the method. Subscriptions are counted elsewhere.
fn is_answered_at_once(method: Method) -> bool {
    matches!(
        method,
        Method::Ping
            | Method::Discover
            | Method::SetLevel
            | Method::Listen
            | Method::Unsubscribe
            | Method::ListTools
            | Method::ListPrompts
            | Method::ListResourceTemplates
    )
}

fn kind(method: Method) -> SlotKind {
    if method == Method::Listen {
        SlotKind::Subscription
    } else if method == Method::Ping {
        SlotKind::Ping
    } else {
        SlotKind::Call
    }
}
