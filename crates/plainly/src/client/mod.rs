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
//! Dropping the future of a call cancels its request, and so does its timeout. The last client dropped ends the
//! connection.

mod answer;
mod builder;
mod call;
mod connect;
mod driver;
mod error;
#[cfg(feature = "server")]
mod in_memory;
mod inbox;
mod link;
mod listen;
mod listeners;
mod log;
mod message;
mod mirror;
mod news;
mod pages;
mod patience;
mod process;
mod progress;
mod prompts;
mod read_result;
mod reception;
mod reply;
mod resources;
mod rounds;
#[cfg(feature = "http-client")]
mod session;
mod spoken;
#[cfg(feature = "http-client")]
mod status;
mod stream;
mod tools;

use std::sync::Arc;
use std::time::Duration;

use plainly_errors::Revision;
use plainly_protocol::types::{Implementation, ServerCapabilities};
use tokio::io::{AsyncRead, AsyncWrite};

#[cfg(feature = "http-client")]
pub use self::builder::Http;
#[cfg(feature = "child")]
pub use self::builder::Spawn;
pub use self::builder::{Builder, Over};
pub use self::error::{CloseReason, Closed, Error, LocalError};
#[cfg(feature = "server")]
pub use self::in_memory::InMemory;
pub use self::listen::{Change, Subscription};
pub use self::progress::Progress;
pub use self::read_result::ReadResult;
pub use self::resources::{Metadata, MetadataSource, ResourcePages};
pub use self::rounds::{Call, InputRequired, Round};

use self::call::Connected;

/// What a call returns.
pub type Result<T> = std::result::Result<T, Error>;

/// A connection to a server. Cheap to clone; all clones share the connection.
#[derive(Clone, Debug)]
pub struct Client {
    connected: Arc<Connected>,
    timeout: Duration,
}

impl Client {
    /// A client of the server at `url`, by Streamable HTTP.
    #[cfg(feature = "http-client")]
    pub fn http(url: impl Into<String>) -> Builder<Http> {
        Builder::http(url.into())
    }

    /// A client of a server that is started by `command`.
    ///
    /// The program gets exactly these arguments, through no shell, and this process's environment as the command changes
    /// it: call [`env_clear`](std::process::Command::env_clear) to keep secrets from it. Its standard streams are taken;
    /// what it writes to standard error is logged. It ends when the client does, and on Unix so does all that it started.
    #[cfg(feature = "child")]
    pub fn spawn(command: std::process::Command) -> Builder<Spawn> {
        Builder::spawn(command)
    }

    /// A client of the server at the other end of a byte stream, with one message on each line.
    pub fn over<R, W>(reader: R, writer: W) -> Builder<Over<R, W>>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Builder::over(reader, writer)
    }

    /// The same connection, with another time for each request.
    #[must_use]
    pub fn with_timeout(&self, timeout: Duration) -> Self {
        Self {
            connected: Arc::clone(&self.connected),
            timeout,
        }
    }

    /// The revision that is spoken. It changes if the server comes to refuse it and offers another one that this client
    /// speaks, as a server does that was replaced; unless it was [pinned](Builder::revision).
    pub fn revision(&self) -> Revision {
        self.connected.revision()
    }

    /// Who the server said it is when it was connected to: for display and logs only.
    pub fn server(&self) -> Option<&Implementation> {
        self.connected.server.implementation.as_ref()
    }

    /// What the server offers.
    pub fn capabilities(&self) -> &ServerCapabilities {
        &self.connected.server.capabilities
    }

    /// How to use the server, for the model.
    pub fn instructions(&self) -> Option<&str> {
        self.connected.server.instructions.as_deref()
    }

    /// The versions that the server said it supports: those of its discovery, or the one of the handshake.
    pub fn supported_versions(&self) -> &[String] {
        &self.connected.server.supported_versions
    }
}
