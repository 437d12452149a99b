//! What one request is served within: who asks, in which session, and what they want to hear before the reply. Handlers see
//! of it what [`Context`](super::extract::Context) shows.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Extensions;
use plainly_errors::ProtocolError;
use plainly_protocol::id::ProgressToken;
use plainly_protocol::meta::{LOG_LEVEL, RequestMeta};
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{LoggingLevel, LoggingMessageParams, ProgressParams};
use serde::Serialize;

use super::asking::Questions;
use super::notices;
use super::outbox::Outbox;
use super::session::Session;
use super::tasks::Stage;
use crate::lock::Lock;

/// What one request is served within. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Scope(Arc<Inner>, Option<Arc<Extensions>>);

#[derive(Debug)]
struct Inner {
    peer: Arc<Peer>,
    session: Option<Arc<Session>>,
    wants: Wants,
    outbox: Outbox,
    /// How far the last message of progress said that it was.
    progress: Lock<f64>,
    /// How often the deadline was put off.
    put_off: AtomicUsize,
    /// How many wait for the client, while no deadline counts.
    waiting: AtomicUsize,
    /// Where it stands on its way to becoming a task.
    stage: Stage,
    /// What its handler asks the client.
    questions: Questions,
}

/// What a client wants to hear before the reply.
#[derive(Clone, Debug, Default)]
pub(super) struct Wants {
    progress: Option<ProgressToken>,
    /// A session has a level for all its requests.
    level: Option<LoggingLevel>,
}

impl Wants {
    /// What the `_meta` of a request within a session says.
    pub(super) fn of(meta: &RequestMeta<'_>) -> Self {
        Self {
            progress: meta.progress_token(),
            level: None,
        }
    }

    /// As [`of`](Self::of), of a request that stands for itself: the level of log messages is in it too, and must be one.
    pub(super) fn modern(meta: &RequestMeta<'_>) -> Result<Self, ProtocolError> {
        let level = meta.log_level().map_err(|error| {
            ProtocolError::invalid_params(format!("Invalid params: _meta {LOG_LEVEL}: {error}"))
        })?;
        Ok(Self {
            level,
            ..Self::of(meta)
        })
    }
}

impl Scope {
    /// Of a request of this peer, within no session.
    pub(super) fn of(peer: Arc<Peer>, wants: Wants) -> Self {
        Self::new(peer, None, wants)
    }

    /// Of a request within this session.
    pub(super) fn within(session: &Arc<Session>, wants: Wants) -> Self {
        Self::new(Arc::clone(&session.peer), Some(Arc::clone(session)), wants)
    }

    fn new(peer: Arc<Peer>, session: Option<Arc<Session>>, wants: Wants) -> Self {
        let inner = Inner {
            peer,
            session,
            wants,
            outbox: Outbox::default(),
            progress: Lock::new(f64::NEG_INFINITY),
            put_off: AtomicUsize::new(0),
            waiting: AtomicUsize::new(0),
            stage: Stage::default(),
            questions: Questions::default(),
        };
        Self(Arc::new(inner), None)
    }

    /// The same with what came beside the request.
    pub(super) fn carrying(mut self, extensions: &Extensions) -> Self {
        self.1 = (!extensions.is_empty()).then(|| Arc::new(extensions.clone()));
        self
    }

    /// What came beside the request, of this type.
    pub(super) fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.1.as_ref()?.get()
    }

    /// All that came beside the request.
    pub(super) fn extensions(&self) -> Extensions {
        self.1.as_deref().cloned().unwrap_or_default()
    }

    pub(super) fn peer(&self) -> &Arc<Peer> {
        &self.0.peer
    }

    /// The legacy session that the request is part of.
    pub(super) fn session(&self) -> Option<&Arc<Session>> {
        self.0.session.as_ref()
    }

    pub(super) fn stage(&self) -> &Stage {
        &self.0.stage
    }

    pub(super) fn outbox(&self) -> &Outbox {
        &self.0.outbox
    }

    pub(super) fn questions(&self) -> &Questions {
        &self.0.questions
    }

    /// Tells how far the handler has come, if the client wants to know; and it has more time. What is no progress is not
    /// told. Of a task the client hears the message alone, when it asks.
    pub(super) async fn progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) {
        if !self.advance(progress) {
            return tracing::debug!(progress, "not told: that is no progress");
        }
        self.put_off();
        if let Some(message) = &message {
            self.0.stage.say(message).await;
        }
        if let Some(token) = &self.0.wants.progress {
            let mut params = ProgressParams::new(token.clone(), progress);
            (params.total, params.message) = (total, message);
            self.tell(Method::Progress, &params).await;
        }
    }

    /// Whether `progress` is more than ever before. It is a number.
    fn advance(&self, progress: f64) -> bool {
        let mut last = self.0.progress.lock();
        let is_more = progress.is_finite() && progress > *last;
        if is_more {
            *last = progress;
        }
        is_more
    }

    /// Whether a log message of `level` is wanted.
    pub(super) fn wants_log(&self, level: LoggingLevel) -> bool {
        let least = match self.session() {
            Some(session) => Some(session.level()),
            None => self.0.wants.level,
        };
        least.is_some_and(|least| level >= least)
    }

    /// Sends a log message.
    pub(super) async fn log(&self, params: &LoggingMessageParams) {
        self.tell(Method::LoggingMessage, params).await;
    }

    async fn tell(&self, method: Method, params: &impl Serialize) {
        match notices::notification(method, params) {
            Ok(message) => self.0.outbox.send(message).await,
            Err(error) => tracing::error!(%error, "a notification could not be written"),
        }
    }

    /// Has the client poll for what follows, if it can.
    pub(super) fn close_stream(&self) {
        let streams = self.session().and_then(|session| session.streams.as_ref());
        if streams.is_some_and(|streams| streams.can_poll()) {
            self.0.outbox.pause();
        }
    }

    /// Begins the handler's time anew.
    pub(super) fn put_off(&self) {
        self.0.put_off.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the handler's time began anew; nothing while it does not count.
    pub(super) fn beginnings(&self) -> Option<usize> {
        let is_waiting = self.0.waiting.load(Ordering::Relaxed) > 0;
        (!is_waiting).then(|| self.0.put_off.load(Ordering::Relaxed))
    }

    /// The handler waits for the client: its time does not count until this is dropped, and then begins anew.
    pub(super) fn wait(&self) -> Waiting {
        self.0.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting(self.clone())
    }
}

/// A handler waits for the client.
#[derive(Debug)]
pub(super) struct Waiting(Scope);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.put_off();
        self.0.0.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
