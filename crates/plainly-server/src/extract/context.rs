//! The client of a request, and messages to it before the response.

use plainly_protocol::peer::Principal;
use plainly_protocol::trace_context::TraceContext;
use plainly_protocol::types::{
    ClientCapabilities, Implementation, LoggingLevel, LoggingMessageParams, RawJson,
};
use serde::Serialize;
use serde_json::Value;

use super::{Call, Channel, Extract, Needs};
use crate::failure::Failure;
use crate::request::Scope;

/// The handler's access to the client: data about it, and messages before the response. The
/// client's revision is left out, because a handler is written once for all of them.
///
/// A client receives only messages that it asked for, and nothing after the response. A handler
/// waits for a client that reads slowly.
///
/// ```
/// use plainly::{Context, Progress};
///
/// async fn index(context: Context) -> String {
///     for page in 1..=3_u32 {
///         // ...
///         context.progress(Progress::new(page).of(3_u32).message(format!("page {page}"))).await;
///     }
///     "done".to_owned()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Context {
    scope: Scope,
}

impl Context {
    /// The context of a request that is served within `scope`.
    pub(crate) fn of(scope: &Scope) -> Self {
        Self {
            scope: scope.clone(),
        }
    }

    /// The name and version that the client declares, for display and logs, but not for decisions.
    pub fn client(&self) -> Option<&Implementation> {
        self.scope.peer().implementation.as_ref()
    }

    /// The client's declared capabilities.
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.scope.peer().capabilities
    }

    /// The settings of an extension, if the client declares it. Clients of revisions without
    /// extensions declare it among their experimental capabilities.
    pub fn client_extension(&self, name: &str) -> Option<&Value> {
        self.scope.peer().extension(name)
    }

    /// The authenticated client; `None` if the transport does not authenticate. Over HTTP, a layer
    /// provides it: see [`Principal`].
    pub fn principal(&self) -> Option<&Principal> {
        self.scope.peer().principal.as_ref()
    }

    /// The trace that the request is part of, if the client sent one (SEP-414), for spans and for
    /// requests that the handler sends. It proves nothing, because a client can send any trace.
    pub fn trace_context(&self) -> Option<&TraceContext> {
        self.scope.asker().trace()
    }

    /// The value of this type that a layer put into the request's extensions.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.scope.extension()
    }

    /// Reports progress, and restarts the handler's deadline. Progress must increase each time;
    /// otherwise it is not sent.
    pub async fn progress(&self, progress: impl Into<Progress>) {
        let Progress {
            progress,
            total,
            message,
        } = progress.into();
        self.scope.progress(progress, total, message).await;
    }

    /// Sends the client a log message (Logging): any JSON value, such as a string. It must not
    /// contain secrets.
    pub async fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.send(level, None, data).await;
    }

    /// Like [`log`](Self::log), for the part of the server named `logger`.
    pub async fn log_from(&self, logger: &str, level: LoggingLevel, data: impl Serialize) {
        self.send(level, Some(logger), data).await;
    }

    /// Closes the connection on which the client waits for the response, and continues. Use it for
    /// work that takes so long that an open connection is a burden. The client reconnects within
    /// about a second, receives the messages sent meanwhile, and continues to wait. Only clients of
    /// 2025-11-25 over HTTP support this (SEP-1699); for all others this call does nothing.
    pub fn close_stream(&self) {
        self.scope.close_stream();
    }

    async fn send(&self, level: LoggingLevel, logger: Option<&str>, data: impl Serialize) {
        if !self.scope.wants_log(level) {
            return;
        }
        match RawJson::encode(&data) {
            Ok(data) => {
                let mut params = LoggingMessageParams::new(level, data);
                params.logger = logger.map(str::to_owned);
                self.scope.log(&params).await;
            }
            Err(error) => tracing::error!(%error, "a log message could not be written"),
        }
    }
}

impl<C: Channel> Extract<C> for Context
where
    for<'a> C::Call<'a>: Call,
{
    fn extract(call: &C::Call<'_>) -> Result<Self, Failure> {
        Ok(Self::of(call.context().scope))
    }

    fn needs(needs: &mut Needs) {
        needs.may_log = true;
    }
}

/// Progress to report with [`Context::progress`].
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Progress {
    /// The progress so far, with an unknown total: an `f64`, or an integer of up to 32 bits
    /// (convert others with `as f64`).
    pub fn new(progress: impl Into<f64>) -> Self {
        Self {
            progress: progress.into(),
            total: None,
            message: None,
        }
    }

    /// Sets the total amount.
    #[must_use]
    pub fn of(mut self, total: impl Into<f64>) -> Self {
        self.total = Some(total.into());
        self
    }

    /// Sets a description of the current step, for the user.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = Some(message.into());
        self
    }
}

impl<N: Into<f64>> From<N> for Progress {
    fn from(progress: N) -> Self {
        Self::new(progress)
    }
}
