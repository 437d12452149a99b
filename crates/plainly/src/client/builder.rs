//! How a client is set up: where the server is, who we are, and how long to wait.

mod answers;

use std::time::Duration;

use plainly_errors::Revision;
use plainly_protocol::types::{
    ClientCapabilities, Implementation, LoggingLevel, LoggingMessageParams,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::QuestionHandlers;
use super::connect::ClientOptions;
use super::log::Log;
use super::message::Introduction;
use super::stream::MessageConnection;
use super::{Client, Result};
use crate::limits::ClientLimits;
use crate::transport::lines::Lines;
use crate::transport::{Messages, Meter};

/// A client that is not connected yet. `T` is where its server is: `Http`, `Spawn`, `InMemory`, [`Over`] or
/// [`OverMessages`].
#[derive(Debug)]
#[must_use = "nothing happens until `connect`"]
pub struct Builder<T> {
    pub(crate) target: T,
    pub(super) options: ClientOptions,
}

/// A server at the other end of any byte stream.
#[derive(Debug)]
pub struct Over<R, W> {
    pub(super) reader: R,
    pub(super) writer: W,
}

/// A server at the other end of any connection that carries whole messages.
#[derive(Debug)]
pub struct OverMessages<M> {
    pub(crate) messages: M,
}

impl<T> Builder<T> {
    pub(crate) fn new(target: T) -> Self {
        Self {
            target,
            options: ClientOptions {
                introduction: Introduction {
                    implementation: Implementation::new("plainly", env!("CARGO_PKG_VERSION")),
                    capabilities: ClientCapabilities::new(),
                    log_level: None,
                },
                revision: None,
                timeout: Duration::from_secs(60),
                longest: Duration::from_secs(60 * 60),
                connect_timeout: Duration::from_secs(30),
                handlers: QuestionHandlers::default(),
                limits: ClientLimits::default(),
                log: None,
            },
        }
    }

    /// The same client of another server.
    #[cfg(feature = "server")]
    pub(crate) fn with_target<U>(self, target: U) -> Builder<U> {
        Builder {
            target,
            options: self.options,
        }
    }

    /// Sets the name that the server is told. `plainly` by default.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.options.introduction.implementation.name = name.into();
        self
    }

    /// Sets the version that the server is told. This crate's by default.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.options.introduction.implementation.version = version.into();
        self
    }

    /// Sets what this client declares that it can do, beside what follows from who answers the server. Nothing by default.
    pub fn capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.options.introduction.capabilities = capabilities;
        self.declare()
    }

    /// Sets the time for one request, its reply included. 60 s by default. Beyond it, the request is cancelled.
    ///
    /// It begins anew when the server tells of [progress](super::Call::on_progress), and when it has got the answer to
    /// something that it asked.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = timeout;
        self
    }

    /// Sets the time for one request, however often [the other](Self::timeout) begins anew. 1 h by default; never less
    /// than the other.
    pub fn longest(mut self, time: Duration) -> Self {
        self.options.longest = time;
        self
    }

    /// Asks for what the server logs, from this level on, and tells it to `tell`: of servers before 2026-07-28 all that
    /// they log, else what they log about a request of this client.
    ///
    /// It runs where the connection is read, and must neither block nor wait for a call.
    pub fn on_log(
        mut self,
        level: LoggingLevel,
        tell: impl Fn(LoggingMessageParams) + Send + Sync + 'static,
    ) -> Self {
        self.options.introduction.log_level = Some(level);
        self.options.log = Some(Log::new(level, tell));
        self
    }

    /// Sets the time for connecting and agreeing on a revision. 30 s by default.
    ///
    /// A server that is silent for half of that, or for 10 s, is also spoken to as a legacy server.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.options.connect_timeout = timeout;
        self
    }

    /// Sets how much is taken of the server.
    pub fn limits(mut self, limits: ClientLimits) -> Self {
        self.options.limits = limits;
        self
    }

    /// Speaks this revision and no other. By default the newest that both sides know is spoken.
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
    /// Agrees with the server on a revision. Within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let Over { reader, writer } = self.target;
        let received = Meter::default();
        let limit = self.options.limits.message_bytes;
        let messages = Lines::new(received.count(reader), writer, limit);
        let dispatcher = self.options.dispatcher();
        let connection = MessageConnection::new(messages, received, (), dispatcher);
        Client::establish(connection, self.options).await
    }
}

impl<M: Messages + 'static> Builder<OverMessages<M>> {
    /// Agrees with the server on a revision. Within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let received = Meter::default();
        let messages = received.count(self.target.messages);
        let dispatcher = self.options.dispatcher();
        let connection = MessageConnection::new(messages, received, (), dispatcher);
        Client::establish(connection, self.options).await
    }
}
