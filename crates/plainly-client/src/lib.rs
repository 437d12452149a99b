//! Calls MCP servers of every revision, over HTTP, as child processes or over any byte stream.
//!
//! ```text
//! call -> request + _meta + headers -> transport -> reply -> recognise -> typed result or typed error
//! ```
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use plainly::client::Client;
//!
//! let (reader, writer) = tokio::io::split(tokio::io::empty());
//! let client = Client::over(reader, writer).connect().await?;
//! match client.read("file:///docs/nope.md").await {
//!     Ok(read) => println!("{} contents", read.contents.len()),
//!     Err(error) if error.is_resource_not_found() => println!("there is none"),
//!     Err(error) => return Err(error.into()),
//! }
//! client.close().await;
//! # Ok(())
//! # }
//! ```
//!
//! Dropping the future of a call cancels its request, and so does its timeout. The connection ends when the last client
//! is dropped.

#![expect(clippy::mod_module_files, reason = "its folders are being rearranged")]

mod answer;
#[cfg(feature = "http")]
mod authorization;
mod backoff;
mod builder;
mod cache;
mod call;
#[cfg(feature = "child")]
mod child;
mod clocks;
mod connect;
mod dispatcher;
mod error;
#[cfg(feature = "http")]
mod http;
mod in_memory;
mod inbox;
mod known_tools;
pub mod limits;
mod link;
mod listen;
mod listing;
mod log;
mod message;
mod mirror;
mod mistakes;
mod operation;
mod pages;
mod progress;
mod prompts;
mod read_result;
mod reply;
mod required_visits;
mod resource_pages;
mod resources;
mod retries;
mod rounds;
mod server_description;
#[cfg(feature = "skills")]
mod skills;
mod status;
mod stream;
mod subscriptions;
mod tasks;
mod timeouts;
mod tools;
mod trace_context;
mod traffic;

use std::sync::Arc;
use std::time::Duration;

use plainly_errors::Revision;
use plainly_protocol::types::{Implementation, ServerCapabilities};
use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(feature = "http")]
pub use self::authorization::{
    Again, Authorizer, Credentials, Head, Outgoing, Refusal, dpop_nonce,
};
pub use self::builder::{Builder, Over, OverMessages};
pub use self::cache::Cache;
#[cfg(feature = "child")]
pub use self::child::Spawn;
pub use self::clocks::{ClockPause, Clocks};
pub use self::error::{
    AuthError, Challenge, CloseReason, Closed, Error, IssuerPlace, LocalError, Mismatch,
};
#[cfg(feature = "http")]
pub use self::http::Http;
pub use self::in_memory::InMemory;
pub use self::inbox::Change;
pub use self::listen::Subscription;
pub use self::operation::Operation;
pub use self::progress::ProgressUpdate;
pub use self::read_result::ReadResult;
pub use self::resource_pages::ResourcePages;
pub use self::resources::{Metadata, MetadataSource};
pub use self::retries::Retries;
pub use self::rounds::{Call, InputRequired, Round, Started};
#[cfg(feature = "skills")]
pub use self::skills::LoadedSkill;
pub use self::tasks::TaskHandle;
pub use self::trace_context::TraceContext;
pub use self::traffic::Traffic;
#[cfg(feature = "http")]
pub use plainly_transport::tls::TlsError;

use self::call::Connected;
use plainly_transport::Messages;

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// A connection to a server. Cheap to clone; all clones share the connection.
///
/// # Errors
///
/// Any call may end with one of these; methods name those that are theirs alone.
///
/// - [`Error::Protocol`]: the server refused it, and [`Error`] says why.
/// - [`LocalError::InvalidResponse`] and [`LocalError::IrregularError`]: what it answered is no result or no error of the
///   method. Each mistake is named with its place, the whole answer is in the error, and a tool has run.
/// - [`LocalError::Timeout`]: nothing came in [time](Builder::timeout).
/// - [`LocalError::Closed`]: the connection has ended. Over Streamable HTTP there are [`LocalError::Unreachable`],
///   [`LocalError::Interrupted`] and [`LocalError::SessionLost`] instead, and over all HTTP [`LocalError::HttpStatus`] where
///   something answered that is no MCP server, or wants credentials; and [`LocalError::Authorization`] where this client has
///   something to get them from, and that failed.
/// - [`LocalError::NotInRevision`] and [`LocalError::NotDeclared`]: the server has no such method; nothing was sent.
/// - [`LocalError::TaskLost`] and [`LocalError::TaskCancelled`]: the server made a task of it, which has no result. Only of a
///   [`Call`].
/// - [`LocalError::Unanswered`] and [`LocalError::TooManyRounds`]: it asks for something first. Only of a [`Call`].
#[derive(Clone, Debug)]
pub struct Client {
    connected: Arc<Connected>,
    timeout: Duration,
    retries: Retries,
    /// Whether results that are kept are left alone.
    fresh: bool,
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

    /// A client for a server at the other end of any connection that carries whole messages, such as a WebSocket.
    pub fn over_messages<M: Messages + 'static>(messages: M) -> Builder<OverMessages<M>> {
        Builder::new(OverMessages { messages })
    }

    /// The same connection with a different timeout for each request.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            timeout,
            ..self.clone()
        }
    }

    /// The same connection with other retries of calls that fail.
    #[must_use]
    pub fn with_retries(&self, retries: Retries) -> Self {
        Self {
            retries,
            ..self.clone()
        }
    }

    /// The same connection, which asks the server for what is [cached](Builder::cache), too, and keeps what it answers.
    #[must_use]
    pub fn fresh(&self) -> Self {
        Self {
            fresh: true,
            ..self.clone()
        }
    }

    /// The revision in use. It changes if the server starts to refuse it and offers another that this client supports,
    /// for example because the server was replaced; unless it was [pinned](Builder::revision).
    pub fn revision(&self) -> Revision {
        self.connected.revision()
    }

    /// The server's name and version as stated when connecting: for display and logs only.
    pub fn server(&self) -> Option<&Implementation> {
        self.connected.server.implementation.as_ref()
    }

    /// The server's capabilities.
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.connected.server.capabilities
    }

    /// Whether the server says that it knows collections, and metadata without content (the extension
    /// `dev.plainly/resources`, SEP-2093).
    pub fn knows_collections(&self) -> bool {
        self.connected.server.knows_collections()
    }

    /// Instructions for the model on how to use the server.
    pub fn instructions(&self) -> Option<&str> {
        self.connected.server.instructions.as_deref()
    }

    /// Waits until the connection is over, because the server ended it or this client did, and says why. A call that is made
    /// then fails with the same error.
    ///
    /// Over Streamable HTTP it never returns: each request has a connection of its own, so only a call can find that the server
    /// is gone.
    ///
    /// ```no_run
    /// # use plainly::client::Client;
    /// # async fn example(client: Client) {
    /// tokio::select! {
    ///     end = client.closed() => println!("{end}"),
    ///     () = plainly::shutdown::requested() => client.close().await,
    /// }
    /// # }
    /// ```
    pub async fn closed(&self) -> Error {
        self.connected.link.connection().closed().await
    }

    /// The versions that the server says it supports: those from discovery, or the one from the handshake.
    pub fn supported_versions(&self) -> &[String] {
        &self.connected.server.supported_versions
    }
}
