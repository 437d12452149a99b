//! How a client is set up: where the server is, who we are, and how long to wait.

mod answers;

#[cfg(feature = "http-client")]
use std::fmt;
use std::time::Duration;

use plainly_errors::Revision;
use plainly_protocol::types::{
    ClientCapabilities, Implementation, LoggingLevel, LoggingMessageParams,
};
use tokio::io::{AsyncRead, AsyncWrite};

use super::answer::Handlers;
use super::connect::Options;
#[cfg(any(feature = "http-client", feature = "child"))]
use super::error::Error;
#[cfg(any(feature = "http-client", feature = "child"))]
use super::error::LocalError;
use super::link::Connection;
use super::log::Log;
use super::message::Introduction;
use super::process::OtherEnd;
#[cfg(feature = "http-client")]
use super::session::Session;
use super::stream::Stream;
use super::{Client, Result};
use crate::limits::ClientLimits;

/// A client that is not connected yet. `T` is where its server is: `Http`, `Spawn`, `InMemory` or [`Over`].
#[derive(Debug)]
#[must_use = "nothing happens before `connect`"]
pub struct Builder<T> {
    pub(super) target: T,
    pub(super) options: Options,
}

/// A server at a URL, reached by Streamable HTTP.
#[cfg(feature = "http-client")]
pub struct Http {
    url: String,
    headers: Vec<(String, String)>,
}

/// A server that is started as a child process and spoken to over its standard input and output.
#[cfg(feature = "child")]
#[derive(Debug)]
pub struct Spawn {
    command: std::process::Command,
    grace: crate::transport::child::Grace,
}

/// A server at the other end of any byte stream.
#[derive(Debug)]
pub struct Over<R, W> {
    pub(super) reader: R,
    pub(super) writer: W,
}

impl<T> Builder<T> {
    pub(super) fn new(target: T) -> Self {
        Self {
            target,
            options: Options {
                introduction: Introduction {
                    implementation: Implementation::new("plainly", env!("CARGO_PKG_VERSION")),
                    capabilities: ClientCapabilities::new(),
                    log_level: None,
                },
                revision: None,
                timeout: Duration::from_secs(60),
                longest: Duration::from_secs(60 * 60),
                connect_timeout: Duration::from_secs(30),
                handlers: Handlers::default(),
                limits: ClientLimits::default(),
                log: None,
            },
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
    pub(super) fn over(reader: R, writer: W) -> Self {
        Self::new(Over { reader, writer })
    }

    /// Agrees with the server on a revision. Within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let Over { reader, writer } = self.target;
        let reception = self.options.reception();
        let stream = Stream::new(reader, writer, OtherEnd::Foreign, reception);
        Client::establish(Connection::Stream(stream), self.options).await
    }
}

#[cfg(feature = "child")]
impl Builder<Spawn> {
    pub(super) fn spawn(command: std::process::Command) -> Self {
        Self::new(Spawn {
            command,
            grace: crate::transport::child::Grace::default(),
        })
    }

    /// Sets how long the process has to end by itself: after its input was closed (2 s by default), and then after it
    /// was asked to terminate (3 s). Beyond both it is killed.
    pub fn shutdown(mut self, eof: Duration, term: Duration) -> Self {
        (self.target.grace.eof, self.target.grace.term) = (eof, term);
        self
    }

    /// Starts the process and agrees with it on a revision. Within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let Spawn { command, grace } = self.target;
        let program = command.get_program().to_string_lossy().into_owned();
        let child = crate::transport::child::spawn(command)
            .map_err(|source| Error::from(LocalError::Spawn { program, source }))?;
        let other_end = OtherEnd::Ours(child.process, grace);
        let reception = self.options.reception();
        let stream = Stream::new(child.stdout, child.stdin, other_end, reception);
        Client::establish(Connection::Stream(stream), self.options).await
    }
}

#[cfg(feature = "http-client")]
impl Builder<Http> {
    pub(super) fn http(url: String) -> Self {
        Self::new(Http {
            url,
            headers: Vec::new(),
        })
    }

    /// Adds a header to every HTTP request, such as `Authorization`.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.target.headers.push((name.into(), value.into()));
        self
    }

    /// Reaches the server and agrees with it on a revision. Within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let headers = headers(&self.target.headers)?;
        let url = url(&self.target.url)?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let connect = self.options.connect_timeout;
        let endpoint = crate::transport::http_client::Endpoint::new(
            url,
            headers,
            connect,
            self.options.limits.message_bytes,
        )
        .map_err(|source| LocalError::Unreachable { url: host, source })?;
        let session = Session::new(endpoint, self.options.reception());
        Client::establish(Connection::Http(session.into()), self.options).await
    }
}

/// Neither the values of headers nor what may be secret in the URL.
#[cfg(feature = "http-client")]
impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Http")
            .field("headers", &names)
            .finish_non_exhaustive()
    }
}

#[cfg(feature = "http-client")]
fn url(text: &str) -> Result<reqwest::Url> {
    match reqwest::Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => Ok(url),
        Ok(_) | Err(_) => Err(configuration("HTTP URL", text)),
    }
}

#[cfg(feature = "http-client")]
fn configuration(what: &'static str, value: &str) -> Error {
    let value = value.to_owned();
    LocalError::Configuration { what, value }.into()
}

#[cfg(feature = "http-client")]
fn headers(pairs: &[(String, String)]) -> Result<http::HeaderMap> {
    let mut headers = http::HeaderMap::new();
    for (name, value) in pairs {
        let invalid = |what| configuration(what, name);
        let key = http::HeaderName::from_bytes(name.as_bytes())
            .map_err(|_invalid| invalid("name of a header"))?;
        let mut value = http::HeaderValue::from_str(value)
            .map_err(|_invalid| invalid("value of the header"))?;
        value.set_sensitive(true);
        headers.append(key, value);
    }
    Ok(headers)
}
