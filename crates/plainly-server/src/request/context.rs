//! The context of one request: its sender, its session, and the messages before its reply. Handlers see the part of it
//! that [`Context`](crate::extract::Context) shows.

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

/// The context that one request is served in. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Scope {
    shared: Arc<SharedContext>,
    /// Values that the transport and the layers added to the request. Not shared: a layer changes them for those below
    /// it.
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
    /// The questions of its handler to the client. Few handlers ask: for the others they are never made.
    questions: OnceLock<Arc<Questions>>,
}

/// The messages that a client wants for its request besides the reply.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interest {
    /// The trace that the request is part of.
    pub(super) trace: Option<Box<TraceContext>>,
    pub(super) progress: Option<ProgressToken>,
    /// Whether the `_meta` with these wishes is malformed.
    is_malformed: bool,
    /// The least severe log messages; a session has one level for all its requests.
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

    /// As [`of`](Self::of), of a request that stands for itself: the level of log messages is in it too, and must be one.
    pub(crate) fn modern(meta: &RequestMeta<'_>) -> serde_json::Result<Self> {
        Ok(Self {
            level: meta.log_level()?,
            ..Self::of(meta)
        })
    }
}

impl Scope {
    /// The context of a request of this peer, outside of any session.
    pub(crate) fn of(peer: Arc<Peer>, interest: Interest) -> Self {
        Self::new(peer, None, interest)
    }

    /// The context of a request of this principal, of which nothing else is known.
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

    /// Adds the values that came with the request.
    pub(crate) fn carrying(mut self, extensions: &Extensions) -> Self {
        self.extensions = (!extensions.is_empty()).then(|| Arc::new(extensions.clone()));
        self
    }

    /// The value of this type that was added to the request.
    pub(crate) fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.extensions.as_ref()?.get()
    }

    /// All values that were added to the request.
    pub(crate) fn extensions(&self) -> Extensions {
        self.extensions.as_deref().cloned().unwrap_or_default()
    }

    pub(crate) fn peer(&self) -> &Arc<Peer> {
        &self.shared.asker.peer
    }

    /// The caller whose shares the request takes of.
    pub(crate) fn caller(&self) -> Option<Holder> {
        let known = self.peer().principal.as_ref();
        let client = self.asker().client();
        Holder::of(known, client).or_else(|| self.extension().cloned())
    }

    /// The sender of the request, and its subject.
    pub(crate) fn asker(&self) -> &Asker {
        &self.shared.asker
    }

    /// Sets the requested method, once it is known, and before the context is shared.
    pub(crate) fn asks_for(&mut self, method: Method, params: Option<&Object<'_>>) {
        if let Some(shared) = Arc::get_mut(&mut self.shared) {
            shared.asker.asks_for(method, params);
        }
    }

    /// Sets the name of the requested method, which is not served.
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

    /// The messages that its client wants before the reply.
    pub(super) fn interest(&self) -> &Interest {
        &self.shared.interest
    }

    /// Whether the `_meta` of the request is something else than it can be.
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

    /// Its stage on the way to becoming a task.
    pub(crate) fn stage(&self) -> &TaskStage {
        &self.shared.stage
    }

    /// The questions of its handler to the client, which may ask from now on.
    pub(crate) fn questions(&self) -> &Arc<Questions> {
        self.shared.questions.get_or_init(Arc::default)
    }

    /// The questions of its handler to the client, if it can ask.
    pub(crate) fn asked(&self) -> Option<&Arc<Questions>> {
        self.shared.questions.get()
    }
}
