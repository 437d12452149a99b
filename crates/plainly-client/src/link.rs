//! The connection to a server, over any transport, and the ids of the requests on it. A call needs
//! nothing else, even before the revision is known.

pub(crate) mod answer;
pub(crate) mod backoff;
pub(crate) mod dispatcher;
pub(crate) mod inbox;
pub(crate) mod log;
pub(crate) mod stream;
pub(crate) mod subscriptions;
pub(crate) mod visits;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending};
use http::{HeaderName, HeaderValue};
use plainly_errors::{Certainty, Revision};
use plainly_protocol::method::Method;
use plainly_protocol::types::{EmptyResult, InputResponseParams, ListenParams, SubscriptionFilter};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::task::AbortHandle;
use tokio::time::timeout;

use crate::cache::Fetch;
use crate::error::Error;
use crate::link::dispatcher::Dispatcher;
use crate::link::inbox::Inbox;
use crate::link::subscriptions::SubscriptionTable;
use crate::message::budget::Budget;
use crate::message::mirror::Mirror;
use crate::message::progress::ProgressListener;
use crate::message::reply::{CallReply, TypedResult};
use crate::message::request::{OutgoingRequest, RawMembers, RequestExtras, RequestWriter};
use crate::message::timeouts::CallQuestions;
use crate::message::trace_context::TraceContext;
use plainly_transport::Frame;

/// A connection that exchanges messages with a server, over
/// [`Messages`](plainly_transport::Messages) or as HTTP requests.
pub(crate) trait ClientConnection: fmt::Debug + Send + Sync {
    /// Sends a request and waits for the reply. Dropping the future cancels the request.
    fn call<'a>(
        &'a self,
        request: &'a OutgoingRequest<'a>,
    ) -> BoxFuture<'a, Result<CallReply, Error>>;

    /// Sends a notification of `method`.
    fn notify(&self, frame: Frame, method: Method) -> BoxFuture<'_, Result<(), Error>>;

    /// Ends the connection and every call in flight on it.
    fn close(&self) -> BoxFuture<'_, ()>;

    /// Waits until the connection is over, and returns the reason. Never returns if each request
    /// has a connection of its own.
    fn closed(&self) -> BoxFuture<'_, Error> {
        pending().boxed()
    }

    /// Fails if the connection is over.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    /// Handles the server's messages other than replies.
    fn dispatcher(&self) -> &Dispatcher;

    /// The number of bytes received.
    fn received(&self) -> u64;

    /// The transport in a word.
    fn transport(&self) -> &'static str {
        "stream"
    }

    /// The last message since the server's last reply that answers no request.
    fn stray(&self) -> Option<String> {
        None
    }
}

/// The features of Streamable HTTP only, where each request has a connection of its own.
pub(crate) trait StreamableHttp: fmt::Debug + Send + Sync {
    /// The arguments to repeat in headers.
    fn mirror(&self) -> &Mirror;

    /// The credentials that a request would have now, in addition to the headers that the client
    /// was built with; `None` if they can't be obtained.
    fn credentials(&self) -> BoxFuture<'_, Option<Vec<(HeaderName, HeaderValue)>>>;

    /// Opens the stream on which a legacy server sends messages that answer no request, until the
    /// result is dropped; `None` if the server has no such stream.
    fn open_server_stream(
        self: Arc<Self>,
    ) -> BoxFuture<'static, Result<Option<Arc<BackgroundTask>>, Error>>;

    /// Keeps a legacy server's stream open for messages other than those of subscriptions.
    fn keep_server_stream(self: Arc<Self>) -> BoxFuture<'static, BackgroundTask>;
}

/// A task that is aborted when this is dropped, or no task.
#[derive(Debug)]
pub(crate) struct BackgroundTask(Option<AbortHandle>);

impl BackgroundTask {
    pub(crate) const NONE: Self = Self(None);

    pub(crate) fn spawn(work: impl Future<Output = ()> + Send + 'static) -> Self {
        Self(Some(tokio::spawn(work).abort_handle()))
    }

    /// Whether the task has ended on its own; true if there is no task.
    #[cfg(feature = "http")]
    pub(crate) fn is_finished(&self) -> bool {
        self.0.as_ref().is_none_or(AbortHandle::is_finished)
    }
}

impl Drop for BackgroundTask {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// A connection and the ids of its requests.
#[derive(Debug)]
pub(crate) struct Link {
    connection: Arc<dyn ClientConnection>,
    /// The connection, if it is one over Streamable HTTP.
    http: Option<Arc<dyn StreamableHttp>>,
    last_id: AtomicI64,
    /// The certainty that the meaning of a server's error must have.
    pub(crate) least: Certainty,
}

/// The additions to one call besides its parameters.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct CallExtras<'a> {
    /// More members of its `_meta`, as [`RequestExtras`] has them.
    pub(crate) meta: Option<&'a RawMembers>,
    /// The answers to the questions that the server asked before.
    pub(crate) inputs: Option<&'a InputResponseParams>,
    /// Receives the progress of the call.
    pub(crate) progress: Option<&'a Arc<ProgressListener>>,
    /// Counts the questions that the server asks during the call.
    pub(crate) questions: Option<&'a CallQuestions<'a>>,
    /// The cache lookup for the call, if its result may be cached.
    pub(crate) fetch: Option<&'a Fetch>,
    /// Whether the call is about a task, or may be answered with one.
    pub(crate) tasks: bool,
    /// The exchanges that the call may cost.
    pub(crate) budget: Option<&'a Budget>,
    /// The trace that the call is part of; `None` for the current one.
    pub(crate) trace: Option<&'a TraceContext>,
}

impl Link {
    /// A link over any connection.
    pub(crate) fn new(connection: impl ClientConnection + 'static) -> Self {
        Self::of(Arc::new(connection))
    }

    fn of(connection: Arc<dyn ClientConnection>) -> Self {
        Self {
            connection,
            http: None,
            last_id: AtomicI64::new(0),
            least: Certainty::default(),
        }
    }

    /// A link over Streamable HTTP.
    #[cfg(feature = "http")]
    pub(crate) fn over_http(connection: impl ClientConnection + StreamableHttp + 'static) -> Self {
        let connection = Arc::new(connection);
        Self {
            http: Some(Arc::clone(&connection) as Arc<dyn StreamableHttp>),
            ..Self::of(connection)
        }
    }

    /// The connection, if it uses Streamable HTTP.
    pub(crate) fn http(&self) -> Option<&Arc<dyn StreamableHttp>> {
        self.http.as_ref()
    }

    /// Calls `method` and reads the result. Dropping the future cancels the request.
    pub(crate) async fn call<T: DeserializeOwned>(
        &self,
        writer: &RequestWriter,
        method: Method,
        params: &(impl Serialize + Sync),
    ) -> Result<TypedResult<T>, Error> {
        let reply = self
            .ask(writer, method, params, CallExtras::default())
            .await?;
        reply.decode(method, params, self.least)
    }

    /// Calls `method` and leaves the reply unread. Dropping the future cancels the request.
    pub(crate) async fn ask(
        &self,
        writer: &RequestWriter,
        method: Method,
        params: &(impl Serialize + Sync),
        extras: CallExtras<'_>,
    ) -> Result<CallReply, Error> {
        let request_extras = RequestExtras {
            progress: extras.progress.is_some(),
            meta: extras.meta,
            inputs: extras.inputs,
            questions: extras.questions,
            fetch: extras.fetch,
            mirror: self.http.as_ref().map(|http| http.mirror()),
            tasks: extras.tasks,
            budget: extras.budget,
            trace: extras.trace,
        };
        let request = writer.request(self.next_id(), method, params, request_extras)?;
        // Before the request is sent, because progress may be the first message that arrives.
        let progress = &self.dispatcher().progress;
        let _entry = extras
            .progress
            .map(|listener| progress.add(&request.id, listener));
        self.connection.call(&request).await
    }

    /// Listens until the subscription ends. Dropping the future cancels it.
    pub(crate) async fn listen(
        &self,
        writer: &RequestWriter,
        filter: SubscriptionFilter,
        meta: &RawMembers,
        inbox: &Arc<Inbox>,
    ) -> Result<(), Error> {
        let method = Method::Listen;
        let params = ListenParams::new(filter);
        let extras = RequestExtras {
            tasks: params.notifications.task_ids.is_some(),
            meta: Some(meta),
            ..RequestExtras::default()
        };
        let request = writer.request(self.next_id(), method, &params, extras)?;
        let _entry = self.subscriptions().add(Some(request.id.clone()), inbox);
        let reply = self.connection.call(&request).await?;
        let ended = reply.decode::<EmptyResult>(method, &params, self.least);
        ended.map(drop)
    }

    /// Sends a notification without parameters.
    pub(crate) async fn notify(&self, writer: &RequestWriter, method: Method) -> Result<(), Error> {
        let frame = writer.notification(method);
        self.connection.notify(frame, method).await
    }

    /// The credentials that a request would have now, if they can be obtained within this time.
    pub(crate) async fn credentials(
        &self,
        within: Duration,
    ) -> Option<Vec<(HeaderName, HeaderValue)>> {
        match &self.http {
            Some(http) => timeout(within, http.credentials()).await.ok()?,
            None => Some(Vec::new()),
        }
    }

    /// Handles the server's messages other than replies.
    pub(crate) fn dispatcher(&self) -> &Dispatcher {
        self.connection.dispatcher()
    }

    /// The subscriptions of this connection.
    pub(crate) fn subscriptions(&self) -> &Arc<SubscriptionTable> {
        &self.dispatcher().subscriptions
    }

    /// The connection itself.
    pub(crate) fn connection(&self) -> &Arc<dyn ClientConnection> {
        &self.connection
    }

    /// Adds the message that the server sent instead, if no reply came.
    pub(crate) fn tell_stray(&self, error: Error) -> Error {
        match self.connection.stray() {
            None => error,
            sent => error.with_instead(sent),
        }
    }

    fn next_id(&self) -> i64 {
        self.last_id.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sets the revision in use from now on.
    pub(crate) fn speak(&self, revision: Revision) {
        self.dispatcher().revision.set(revision);
    }
}
