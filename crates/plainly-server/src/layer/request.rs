//! A request that passes through the layers.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use http::Extensions;
use plainly_protocol::envelope::{self, Object};
use plainly_protocol::method::Method;
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::trace_context::TraceContext;

use crate::Server;
use crate::handling::{AnswerResult, CallAnswer};
use crate::request::{MethodCall, Scope};

/// A request that passes through the layers to its handler. Passing on several clones runs the
/// handler several times.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) subject: Arc<RequestHead>,
    extensions: Extensions,
}

/// The content of a request, which layers can't change.
#[derive(Debug)]
pub(super) struct RequestHead {
    pub(super) server: Server,
    pub(super) scope: Scope,
    pub(super) method: Method,
    pub(super) name: Option<String>,
    id: Box<str>,
    params: Option<Box<str>>,
}

impl Request {
    pub(crate) fn new(server: &Server, call: &MethodCall<'_>) -> Self {
        let subject = RequestHead {
            server: server.clone(),
            scope: call.scope.clone(),
            method: call.method,
            name: call.subject_name().map(Cow::into_owned),
            id: call.id.into(),
            params: call.params.map(|params| params.raw().into()),
        };
        Self {
            subject: Arc::new(subject),
            extensions: call.scope.extensions(),
        }
    }

    /// The method.
    pub fn method(&self) -> Method {
        self.subject.method
    }

    /// The name of the tool or prompt, the URI of the resource, or the id of the task. `None` if
    /// the method has none or the request lacks it.
    pub fn name(&self) -> Option<&str> {
        self.subject.name.as_deref()
    }

    /// The arguments of the tool or prompt, as JSON that has not been validated against a schema.
    /// Their length is within the server's limits.
    pub fn arguments(&self) -> Option<&str> {
        self.params()?.get("arguments")
    }

    /// All parameters as a JSON object.
    pub fn raw_params(&self) -> &str {
        self.subject.params.as_deref().unwrap_or("{}")
    }

    /// The id as JSON.
    pub fn id(&self) -> &str {
        &self.subject.id
    }

    /// Adds a note for readers of [operations](crate::Operation), such as an audit. Only the first
    /// note is stored.
    pub fn note(&self, note: impl Into<Box<str>>) {
        self.subject.scope.asker().note(note.into());
    }

    /// The client that sent the request.
    pub fn peer(&self) -> &Peer {
        self.subject.scope.peer()
    }

    /// The principal that the transport has authenticated.
    pub fn principal(&self) -> Option<&Principal> {
        self.peer().principal.as_ref()
    }

    /// The address of the client, if it is known.
    pub fn client(&self) -> Option<IpAddr> {
        self.subject.scope.asker().client()
    }

    /// The trace that the request is part of (SEP-414).
    pub fn trace(&self) -> Option<&TraceContext> {
        self.subject.scope.asker().trace()
    }

    /// The extensions that earlier layers and a surrounding HTTP server have added.
    pub fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// The extensions, for adding values that the handler gets from
    /// [`Context::extension`](crate::extract::Context::extension). Adding another [`Principal`]
    /// does not change the request's sender.
    pub fn extensions_mut(&mut self) -> &mut Extensions {
        &mut self.extensions
    }

    /// Passes the request from the last layer to its handler.
    pub(super) async fn serve(self) -> AnswerResult {
        let handled = {
            let RequestHead {
                server, method, id, ..
            } = &*self.subject;
            let scope = self.subject.scope.clone().carrying(&self.extensions);
            let params = self.params();
            server.handle(&MethodCall {
                method: *method,
                id,
                params: params.as_ref(),
                scope: &scope,
            })
        };
        match handled {
            CallAnswer::Now(answered) => answered,
            CallAnswer::Later(handling) => handling.await,
        }
    }

    /// The parameters, which were validated when the request was received.
    fn params(&self) -> Option<Object<'_>> {
        let raw = self.subject.params.as_deref()?;
        envelope::parse_object(raw, &self.subject.server.limits().envelope).ok()
    }
}
