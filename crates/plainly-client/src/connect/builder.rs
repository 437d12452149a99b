//! Configures a client: its server, its identity, and its timeouts.

mod answers;

use std::time::Duration;

use plainly_errors::{Certainty, Revision};
use plainly_protocol::types::{
    ClientCapabilities, Implementation, LoggingLevel, LoggingMessageParams, RESOURCES_EXTENSION,
};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::cache::{Cache, Shelf};
use crate::connect::Client;
use crate::connect::operation::{Observer, Operation};
use crate::connect::options::{Checks, ClientOptions};
use crate::connect::retries::Retries;
use crate::error::Result;
use crate::link::Link;
use crate::link::answer::QuestionHandlers;
use crate::link::log::Log;
use crate::link::stream::MessageConnection;
use crate::message::clocks::Clocks;
use crate::message::limits::ClientLimits;
use crate::message::request::Introduction;
use crate::message::trace_context::{TraceContext, TraceSource};
use crate::message::traffic::{Tap, Traffic};
use plainly_transport::lines::Lines;
use plainly_transport::{Messages, Meter};

/// A client that is not connected yet. `T` is the transport to its server: `Http`, `Spawn`,
/// `InMemory`, [`Over`] or [`OverMessages`].
#[derive(Debug)]
#[must_use = "nothing happens until `connect`"]
pub struct Builder<T> {
    pub(crate) target: T,
    pub(crate) options: ClientOptions,
}

/// A server at the other end of any byte stream.
#[derive(Debug)]
pub struct Over<R, W> {
    pub(crate) reader: R,
    pub(crate) writer: W,
}

/// A server at the other end of any connection that carries whole messages.
#[derive(Debug)]
pub struct OverMessages<M> {
    pub(crate) messages: M,
}

impl Client {
    /// A client for a server at the other end of a byte stream, with one message per line.
    pub fn over<R, W>(reader: R, writer: W) -> Builder<Over<R, W>>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Builder::new(Over { reader, writer })
    }

    /// A client for a server at the other end of any connection that carries whole messages, such
    /// as a WebSocket.
    pub fn over_messages<M: Messages + 'static>(messages: M) -> Builder<OverMessages<M>> {
        Builder::new(OverMessages { messages })
    }
}

impl<T> Builder<T> {
    pub(crate) fn new(target: T) -> Self {
        Self {
            target,
            options: ClientOptions {
                introduction: Introduction {
                    implementation: Implementation::new("plainly", env!("CARGO_PKG_VERSION")),
                    capabilities: with_own(ClientCapabilities::new()),
                    log_level: None,
                    trace: TraceSource::default(),
                },
                revision: None,
                probes: true,
                timeout: Duration::from_secs(60),
                longest: Duration::from_secs(60 * 60),
                connect_timeout: Duration::from_secs(30),
                handlers: QuestionHandlers::default(),
                limits: ClientLimits::default(),
                log: None,
                clocks: Clocks::default(),
                tap: Tap::default(),
                observer: Observer::default(),
                least: Certainty::default(),
                retries: Retries::NONE,
                shelf: None,
                checks: Checks::default(),
            },
        }
    }

    /// These settings, for another server.
    pub(crate) fn with_target<U>(self, target: U) -> Builder<U> {
        Builder {
            target,
            options: self.options,
        }
    }

    /// Sets the client's name, which is sent to the server. `plainly` by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.options.introduction.implementation.name = name.into();
        self
    }

    /// Sets the client's version, which is sent to the server. This crate's by default.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.options.introduction.implementation.version = version.into();
        self
    }

    /// Sets the declared capabilities. The capabilities that follow from the handlers for the
    /// server's questions are declared as well, and so is the extension `dev.plainly/resources`,
    /// with which servers send all formats of a resource. No others by default.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.options.introduction.capabilities = with_own(capabilities);
        self.declare()
    }

    /// Sets the timeout for one request, including its reply. 60 s by default. When it expires, the
    /// request is cancelled.
    ///
    /// It restarts when the server reports [progress](crate::Call::on_progress), and when the
    /// server has received the answer to a question.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// Sets the timeout for one request, however often [`timeout`](Self::timeout) restarts. 1 h by
    /// default; never less than `timeout`.
    pub fn longest(mut self, time: Duration) -> Self {
        self.options.longest = time;
        self
    }

    /// Requests the server's log messages from this level up, and passes them to `tell`. Servers
    /// before 2026-07-28 send all of their log messages, newer ones only those about a request of
    /// this client.
    ///
    /// `tell` runs where the connection is read, and must neither block nor wait for a call.
    pub fn on_log(
        mut self,
        level: LoggingLevel,
        tell: impl Fn(LoggingMessageParams) + Send + Sync + 'static,
    ) -> Self {
        self.options.introduction.log_level = Some(level);
        self.options.log = Some(Log::new(level, tell));
        self
    }

    /// Like [`on_log`](Self::on_log), without a request to servers before 2026-07-28. These choose
    /// the messages that they send, and the messages from this level up are passed to `tell`.
    pub fn on_unasked_log(
        self,
        level: LoggingLevel,
        tell: impl Fn(LoggingMessageParams) + Send + Sync + 'static,
    ) -> Self {
        let mut builder = self.on_log(level, tell);
        builder.options.log = builder.options.log.map(Log::unasked);
        builder
    }

    /// Passes all messages between client and server to `see`, in both directions and over every
    /// transport, for traces and recordings.
    ///
    /// `see` runs where the connection is read and written, for several calls at once; it must
    /// neither block nor wait for a call.
    ///
    /// ```no_run
    /// use std::time::Instant;
    ///
    /// use plainly::client::{Client, Traffic};
    ///
    /// # async fn example() -> plainly::client::Result<()> {
    /// let start = Instant::now();
    /// let client = Client::http("http://127.0.0.1:3333/mcp")
    ///     .on_traffic(move |traffic| match traffic {
    ///         Traffic::Sent(json) => eprintln!("{:?} -> {}", start.elapsed(), String::from_utf8_lossy(json)),
    ///         Traffic::Received(json) => eprintln!("{:?} <- {}", start.elapsed(), String::from_utf8_lossy(json)),
    ///         _ => {}
    ///     })
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_traffic(mut self, see: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        self.options.tap = Tap::new(see);
        self
    }

    /// Reports each call to `count` when it has ended, for metrics. A call that is answered with
    /// questions is reported at each round, and a call that continues as a task at each request for
    /// the task. Neither dropped calls nor the requests that open the connection or a subscription
    /// are reported.
    ///
    /// `count` runs where the call was awaited, and should not block. The names of OpenTelemetry
    /// apply: a histogram `mcp.client.operation.duration` in seconds, with `mcp.method.name`,
    /// `mcp.protocol.version` and, for a failure, `error.type`.
    ///
    /// ```no_run
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use plainly::Client;
    ///
    /// static FAILED: AtomicU64 = AtomicU64::new(0);
    ///
    /// # async fn example() -> plainly::client::Result<()> {
    /// let client = Client::http("http://127.0.0.1:3333/mcp")
    ///     .on_operation(|operation| {
    ///         if operation.error.is_some() {
    ///             FAILED.fetch_add(1, Ordering::Relaxed);
    ///         }
    ///     })
    ///     .connect()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn on_operation(mut self, count: impl Fn(&Operation<'_>) + Send + Sync + 'static) -> Self {
        self.options.observer.count(count);
        self
    }

    /// Begins a trace for each call, or a part of a trace, such as a span of OpenTelemetry. All
    /// messages of the call carry it in `_meta` (SEP-414), and the [operation](Operation::trace)
    /// has it at the end. A call whose future is dropped is not reported as ended.
    ///
    /// `begin` runs where the call is awaited.
    pub fn trace_calls(
        mut self,
        begin: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.options.observer.begin = TraceSource::new(begin);
        self
    }

    /// Sends the trace that `current` returns with each request and each notification, in `_meta`
    /// (SEP-414). None by default.
    ///
    /// `current` runs where the call is awaited.
    pub fn trace_context(
        mut self,
        current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static,
    ) -> Self {
        self.options.introduction.trace = TraceSource::new(current);
        self
    }

    /// Sets the timeout for connecting and negotiating a revision. 30 s by default.
    ///
    /// If a server is silent for half of that, or for 10 s, the client also tries the legacy
    /// handshake.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.connect_timeout = timeout;
        self
    }

    /// Sets the certainty that the meaning of a server's error must have. By default, a
    /// [likely](Certainty::Likely) meaning counts: a missing resource is recognised whichever code
    /// the server's SDK has for it (see [`habits`](plainly_errors::habits())). With
    /// [`Certainty::Certain`], only codes and data of the specification count.
    pub fn recognise(mut self, least: Certainty) -> Self {
        self.options.least = least;
        self
    }

    /// Sets how failed calls are retried. Not at all by default.
    pub fn retries(mut self, retries: Retries) -> Self {
        self.options.retries = retries;
        self
    }

    /// Answers calls from `cache`, and stores in it the results that servers allow to be cached. By
    /// default, every call asks the server.
    pub fn cache(mut self, cache: Cache) -> Self {
        self.options.shelf = Some(Shelf::alone(cache));
        self
    }

    /// Accepts any structured output. By default, the output of a tool that this client has listed
    /// is checked against the tool's output schema, and a call whose output does not match ends
    /// with [`InvalidOutput`](crate::LocalError::InvalidOutput). The client never lists tools on
    /// its own for that check.
    pub fn unchecked_output(mut self) -> Self {
        self.options.checks.output = false;
        self
    }

    /// Calls methods even if the server did not declare their capability. By default, such a call
    /// ends with [`NotDeclared`](crate::LocalError::NotDeclared), and nothing is sent. A server
    /// that declares no capabilities at all is called in any case.
    pub fn undeclared_capabilities(mut self) -> Self {
        self.options.checks.capabilities = false;
        self
    }

    /// Sets the client's limits.
    pub fn limits(mut self, limits: ClientLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Uses this revision and no other. By default, the client uses the newest that both sides
    /// support.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.options.revision = Some(revision);
        self
    }
}

impl<R, W> Builder<Over<R, W>>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Connects and negotiates a revision. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`LocalError::UnsupportedVersion`](crate::LocalError::UnsupportedVersion) if there is no
    /// revision in common. Otherwise the errors of any call.
    pub async fn connect(self) -> Result<Client> {
        let by = self.options.deadline();
        let Over { reader, writer } = self.target;
        let received = Meter::default();
        let limit = self.options.limits.message_bytes;
        let messages = Lines::new(received.count(reader), writer, limit);
        let dispatcher = self.options.dispatcher();
        let connection = MessageConnection::new(messages, received, (), dispatcher);
        Client::establish(Link::new(connection), self.options, &by).await
    }
}

impl<M: Messages + 'static> Builder<OverMessages<M>> {
    /// Connects and negotiates a revision. Must be called within a tokio runtime.
    ///
    /// # Errors
    ///
    /// [`LocalError::UnsupportedVersion`](crate::LocalError::UnsupportedVersion) if there is no
    /// revision in common. Otherwise the errors of any call.
    pub async fn connect(self) -> Result<Client> {
        let by = self.options.deadline();
        let received = Meter::default();
        let messages = received.count(self.target.messages);
        let dispatcher = self.options.dispatcher();
        let connection = MessageConnection::new(messages, received, (), dispatcher);
        Client::establish(Link::new(connection), self.options, &by).await
    }
}

/// Adds the extension of resources to these capabilities, because the client reads all of it.
fn with_own(mut declared: ClientCapabilities) -> ClientCapabilities {
    let extensions = declared.extensions.get_or_insert_default();
    extensions
        .entry(RESOURCES_EXTENSION)
        .or_insert_with(|| json!({}));
    declared
}
