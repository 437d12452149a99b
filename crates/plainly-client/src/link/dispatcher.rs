//! Passes a server's messages other than replies to the responsible part of the client. Every
//! connection has one dispatcher, which knows methods, but not how messages are transported.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use plainly_errors::Revision;
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use tokio::task::JoinSet;

use crate::cache::Shelf;
use crate::link::answer::Respondent;
use crate::link::answer::questions::ServerQuestions;
use crate::link::log::Log;
use crate::link::subscriptions::SubscriptionTable;
use crate::link::visits::CompletedVisits;
use crate::message::limits::ClientLimits;
use crate::message::progress::ProgressTable;
use crate::message::reply::ServerRequest;
use crate::message::timeouts::{CallQuestions, QuestionPermit};
use crate::message::traffic::Tap;
use plainly_transport::EscapedText;
use plainly_transport::lock::Lock;

/// Passes a server's requests and notifications to the responsible part of the client.
#[derive(Debug)]
pub(crate) struct Dispatcher {
    pub(crate) revision: AgreedRevision,
    pub(crate) subscriptions: Arc<SubscriptionTable>,
    pub(crate) progress: ProgressTable,
    pub(crate) questions: ServerQuestions,
    pub(crate) visits: CompletedVisits,
    pub(crate) limits: ClientLimits,
    /// Reports the traffic on the connection.
    pub(crate) tap: Tap,
    log: Option<Log>,
}

/// The revision of a connection. It changes if the server later refuses it.
#[derive(Debug)]
pub(crate) struct AgreedRevision(Lock<Revision>);

impl Default for AgreedRevision {
    /// A legacy revision until one is agreed on, because only a legacy server may send requests
    /// that early.
    fn default() -> Self {
        Self(Lock::new(Revision::LATEST_LEGACY))
    }
}

impl AgreedRevision {
    pub(crate) fn get(&self) -> Revision {
        *self.0.lock()
    }

    pub(crate) fn set(&self, revision: Revision) {
        *self.0.lock() = revision;
    }
}

impl Dispatcher {
    /// Creates a dispatcher that passes requests to `respondent` and log messages to `log`.
    pub(crate) fn new(
        respondent: Arc<Respondent>,
        log: Option<Log>,
        tap: Tap,
        limits: ClientLimits,
        shelf: Option<Shelf>,
    ) -> Self {
        Self {
            questions: ServerQuestions::new(respondent, limits.questions),
            limits,
            tap,
            log,
            revision: AgreedRevision::default(),
            subscriptions: SubscriptionTable::new(shelf).into(),
            progress: ProgressTable::default(),
            visits: CompletedVisits::default(),
        }
    }

    /// Handles a notification. `on` is the `subscriptions/listen` request on whose stream it came,
    /// if any.
    pub(crate) fn notification(&self, method: &str, params: &[u8], on: Option<&RequestId>) {
        // This is no error, because JSON-RPC has no answer to a notification, not even to an
        // unknown one.
        let Some(method) = Method::find(method, self.revision.get()) else {
            return;
        };
        if method == Method::Progress {
            self.progress.take(params);
        } else if method == Method::LoggingMessage {
            if let Some(log) = &self.log {
                log.take(params);
            }
        } else if method == Method::Cancelled && !self.revision.get().traits().asks_in_results {
            // With it, a legacy server cancels its own question, and a modern one ends a
            // subscription of this client.
            self.questions.cancel(params);
        } else if method == Method::ElicitationComplete {
            self.visits.take(params);
        } else {
            self.subscriptions.take(method, params, on);
        }
    }

    /// Answers a request through `send`, in one of the `tasks` of the stream that the request came
    /// on. The request counts as open until the permit that `send` gets is dropped, and counts for
    /// the call `of` if that call is known. Returns the answer instead if it is available at once.
    pub(crate) fn request<S, F>(
        &self,
        request: ServerRequest,
        of: Option<&CallQuestions<'_>>,
        tasks: &mut JoinSet<()>,
        send: S,
    ) -> Option<Bytes>
    where
        S: FnOnce(Bytes, QuestionPermit) -> F + Send + 'static,
        F: Future<Output = ()> + Send,
    {
        let revision = self.revision.get();
        if revision.traits().asks_in_results {
            let method = request.method;
            tracing::warn!(method = %EscapedText(method.as_deref().unwrap_or_default()), "the server must not send requests: not answered");
            return None;
        }
        self.questions.ask(request, revision, of, tasks, send)
    }

    /// The handlers of the server's questions.
    pub(crate) fn respondent(&self) -> &Respondent {
        self.questions.respondent()
    }

    /// Whether this client wants a legacy server's unsolicited messages.
    pub(crate) fn wants_server_messages(&self) -> bool {
        self.log.is_some() || self.respondent().answers_any()
    }
}
