//! Who asks, and what they are told before the reply.

use plainly_protocol::peer::Principal;
use plainly_protocol::types::{
    ClientCapabilities, Implementation, LoggingLevel, LoggingMessageParams, RawJson,
};
use serde::Serialize;

use super::{Call, Channel, Extract, Needs};
use crate::server::failure::Failure;
use crate::server::request::Scope;

/// What a handler can know of the client, and tell it before the reply. It says nothing of the client's revision: a handler
/// is written once for all.
///
/// A client hears no more than it asked for, and nothing after the reply. One that reads slowly makes the handler wait.
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
    pub(in crate::server) fn of(scope: &Scope) -> Self {
        Self {
            scope: scope.clone(),
        }
    }

    /// The name and version that the client gives itself: for display and logs, never for decisions.
    pub fn client(&self) -> Option<&Implementation> {
        self.scope.peer().implementation.as_ref()
    }

    /// What the client declared that it can do.
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.scope.peer().capabilities
    }

    /// The client as the transport has identified it; nobody where nothing asks for a proof. Over HTTP a layer says so: see
    /// [`Principal`].
    pub fn principal(&self) -> Option<&Principal> {
        self.scope.peer().principal.as_ref()
    }

    /// What a layer found out about the request and put into its extensions, of this type.
    pub fn extension<T: Send + Sync + 'static>(&self) -> Option<&T> {
        self.scope.extension()
    }

    /// Tells how far the handler has come (Progress), and gives it as much time again as it had in the beginning. Each time
    /// it must have come farther than before: what hasn't is not told.
    pub async fn progress(&self, progress: impl Into<Progress>) {
        let Progress {
            progress,
            total,
            message,
        } = progress.into();
        self.scope.progress(progress, total, message).await;
    }

    /// Sends the client a log message (Logging): any value that is JSON, such as a sentence. Nothing secret must be in it.
    pub async fn log(&self, level: LoggingLevel, data: impl Serialize) {
        self.send(level, None, data).await;
    }

    /// As [`log`](Self::log), from the part of the server that is called `logger`.
    pub async fn log_from(&self, logger: &str, level: LoggingLevel, data: impl Serialize) {
        self.send(level, Some(logger), data).await;
    }

    /// Closes the connection on which the client waits for the reply, and goes on: for what takes so long that holding a
    /// connection open is a burden. The client comes again within a second or so, hears what was said meanwhile, and then
    /// waits on. That is something only clients of 2025-11-25 over HTTP can do (SEP-1699); for all others it does nothing.
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

/// How far a handler has come: what [`Context::progress`] tells.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    progress: f64,
    total: Option<f64>,
    message: Option<String>,
}

impl Progress {
    /// So far, of nobody knows how much: an `f64`, or an integer of up to 32 bits (of others, `as f64`).
    pub fn new(progress: impl Into<f64>) -> Self {
        Self {
            progress: progress.into(),
            total: None,
            message: None,
        }
    }

    /// How far there is to go, in all.
    #[must_use]
    pub fn of(mut self, total: impl Into<f64>) -> Self {
        self.total = Some(total.into());
        self
    }

    /// What is being done, for people.
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
