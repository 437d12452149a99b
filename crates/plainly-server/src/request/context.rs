//! The context of one request: its sender, its session, and the messages before its reply. Handlers
//! see it through [`Context`](crate::extract::Context).

use std::sync::{Arc, OnceLock};

use http::Extensions;
use plainly_errors::Revision;
use plainly_protocol::envelope::Object;
use plainly_protocol::id::ProgressToken;
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::method::Method;
use plainly_protocol::peer::{Peer, Principal};
use plainly_protocol::trace_context::TraceContext;
use plainly_protocol::types::{ClientCapabilities, LoggingLevel};

use super::clock::HandlerClock;
use super::task_stage::TaskStage;
use crate::asking::Questions;
use crate::audience::Asker;
use crate::operation::Arrival;
use crate::outgoing::outbox::Outbox;
use crate::sessions::session::Session;
use plainly_transport::lock::Lock;
use plainly_transport::quota::Holder;

/// The context of one request. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    shared: Arc<SharedContext>,
    /// Values that the transport and the layers added to the request. Not shared, because a layer
    /// changes them for the layers below it.
    extensions: Option<Arc<Extensions>>,
}

/// The part that all clones of a context share.
#[derive(Debug)]
struct SharedContext {
    asker: Asker,
    session: Option<Arc<Session>>,
    interest: Interest,
    outbox: Outbox,
    /// The value of the last progress that was sent.
    progress: Lock<f64>,
    clock: HandlerClock,
    stage: TaskStage,
    /// The handler's questions to the client. Created on demand, because few handlers ask any.
    questions: OnceLock<Arc<Questions>>,
}

/// The messages that a client wants for its request in addition to the reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interest {
    /// The trace that the request is part of.
    pub(super) trace: Option<Box<TraceContext>>,
    pub(super) progress: Option<ProgressToken>,
    /// Whether the `_meta` with these wishes is malformed.
    is_malformed: bool,
    /// The least severe level of log messages. A session has one level for all its requests.
    pub(super) level: Option<LoggingLevel>,
}

impl Interest {
    /// The wishes in the `_meta` of a request within a session.
    pub(crate) fn of(meta: &RequestMeta<'_>) -> Self {
        Self {
            trace: meta.trace_context().map(Box::new),
            progress: meta.progress_token(),
            is_malformed: meta.is_malformed(),
            level: None,
        }
    }

    /// Like [`of`](Self::of), for a request without a session: `_meta` also has the level of log
    /// messages, which must be valid.
    pub(crate) fn modern(meta: &RequestMeta<'_>) -> serde_json::Result<Self> {
        Ok(Self {
            level: meta.log_level()?,
            ..Self::of(meta)
        })
    }
}

impl Scope {
    /// The context of a request from this peer, outside of any session.
    pub(crate) fn of(peer: Arc<Peer>, interest: Interest) -> Self {
        Self::new(peer, None, interest)
    }

    /// The context of a request from this principal, about which nothing else is known.
    pub(crate) fn of_principal(principal: Option<Principal>) -> Self {
        let peer = Peer::new(Revision::LATEST, ClientCapabilities::new(), None);
        Self::of(Arc::new(peer.principal(principal)), Interest::default())
    }

    /// The context of a request within this session.
    pub(crate) fn within(session: &Arc<Session>, interest: Interest) -> Self {
        let peer = Arc::clone(&session.peer);
        Self::new(peer, Some(Arc::clone(session)), interest)
    }

    fn new(peer: Arc<Peer>, session: Option<Arc<Session>>, mut interest: Interest) -> Self {
        let shared = SharedContext {
            asker: Asker::new(peer, interest.trace.take()),
            session,
            interest,
            outbox: Outbox::default(),
            // Below every number, so that the first progress always counts, even 0 or less.
            progress: Lock::new(f64::NEG_INFINITY),
            clock: HandlerClock::default(),
            stage: TaskStage::default(),
            questions: OnceLock::new(),
        };
        Self {
            shared: Arc::new(shared),
            extensions: None,
        }
    }

    /// Adds the extensions of the request.
    pub(crate) fn carrying(mut self, extensions: &Extensions) -> Self {
        self.extensions = (!extensions.is_empty()).then(|| Arc::new(extensions.clone()));
        self
    }

    /// The value of this type in the extensions of the request.
    pub(crate) fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.as_ref()?.get()
    }

    /// All extensions of the request.
    pub(crate) fn extensions(&self) -> Extensions {
        self.extensions.as_deref().cloned().unwrap_or_default()
    }

    pub(crate) fn peer(&self) -> &Arc<Peer> {
        &self.shared.asker.peer
    }

    /// The caller whose shares of quotas the request uses.
    pub(crate) fn caller(&self) -> Option<Holder> {
        let known = self.peer().principal.as_ref();
        let client = self.asker().client();
        Holder::of(known, client).or_else(|| self.extension().cloned())
    }

    /// The sender and the subject of the request.
    pub(crate) fn asker(&self) -> &Asker {
        &self.shared.asker
    }

    /// Sets the requested method once it is known, before the context is shared.
    pub(crate) fn asks_for(&mut self, method: Method, params: Option<&Object<'_>>) {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.asker.asks_for(method, params);
        }
    }

    /// Sets the name of a requested method that is not served.
    pub(crate) fn asks_for_unserved(&mut self, method: &str) {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.asker.asks_for_unserved(method);
        }
    }

    /// Sets the arrival of the request.
    pub(crate) fn arrived(mut self, arrival: Arrival) -> Self {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.asker.arrived(arrival);
        }
        self
    }

    /// The legacy session that the request is part of.
    pub(crate) fn session(&self) -> Option<&Arc<Session>> {
        self.shared.session.as_ref()
    }

    /// The messages that the client wants before the reply.
    pub(super) fn interest(&self) -> &Interest {
        &self.shared.interest
    }

    /// Whether the `_meta` of the request is invalid.
    pub(crate) fn has_malformed_meta(&self) -> bool {
        self.shared.interest.is_malformed
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.shared.outbox
    }

    pub(super) fn last_progress(&self) -> &Lock<f64> {
        &self.shared.progress
    }

    pub(crate) fn clock(&self) -> &HandlerClock {
        &self.shared.clock
    }

    /// The stage of the request on its way to becoming a task.
    pub(crate) fn stage(&self) -> &TaskStage {
        &self.shared.stage
    }

    /// The handler's questions to the client. They are created on the first call.
    pub(crate) fn questions(&self) -> &Arc<Questions> {
        self.shared.questions.get_or_init(Arc::default)
    }

    /// The handler's questions to the client, if they have been created.
    pub(crate) fn asked(&self) -> Option<&Arc<Questions>> {
        self.shared.questions.get()
    }
}
