//! Serves one peer: over standard input and output, any byte stream, or any connection that carries
//! messages.

use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::io;

use futures_util::future::BoxFuture;
use futures_util::{FutureExt, TryFutureExt};
use http::Extensions;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::Server;
use crate::incoming::connection::Connection;
use plainly_transport::lines::Lines;
#[cfg(feature = "stdio")]
use plainly_transport::standard;
use plainly_transport::{Duplex, Messages, Serve, ServeError};

/// The service for one peer: await it to serve the peer until the connection ends and running
/// requests have finished. Requests that take longer than
/// [`Limits::shutdown`](crate::limits::Limits::shutdown) to finish get an error.
///
/// Fails if the connection fails, or if the peer reads none of its responses for
/// [`Limits::write_stall`](crate::limits::Limits::write_stall).
///
/// ```
/// use plainly::server::{Principal, Server};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let (reader, writer) = (tokio::io::empty(), tokio::io::sink());
/// let server = Server::builder("greeter", "1.0.0").build()?;
/// let mut extensions = http::Extensions::new();
/// extensions.insert(Principal::new("uid 1000"));
/// server
///     .serve(reader, writer)
///     .extensions(extensions)
///     .until(plainly::shutdown::requested())
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing is served until it is awaited"]
pub struct Serving<'a, M> {
    server: Server,
    messages: M,
    extensions: Extensions,
    stop: BoxFuture<'a, ()>,
}

impl Server {
    /// Serves one peer over a byte stream, with one message per line.
    pub fn serve<'a, R, W>(&self, reader: R, writer: W) -> Serving<'a, Lines<R, W>>
    where
        R: AsyncRead + Send + Unpin + 'a,
        W: AsyncWrite + Send + Unpin + 'a,
    {
        let limit = self.limits().message_bytes;
        self.serve_messages(Lines::new(reader, writer, limit).seeking_ids())
    }

    /// Serves one peer over any connection that carries whole messages, such as a WebSocket.
    pub fn serve_messages<'a, M: Messages + 'a>(&self, messages: M) -> Serving<'a, M> {
        Serving {
            server: self.clone(),
            messages,
            extensions: Extensions::new(),
            stop: pending().boxed(),
        }
    }

    /// Serves the process that started this one, over standard input and output, until standard
    /// input ends or the process is asked to stop (SIGINT, SIGTERM, SIGHUP). Running requests are
    /// then finished. No other code may write to standard output or read standard input.
    ///
    /// On Linux, the runtime drives pipes and sockets, which stay blocking for other processes that
    /// share them. For all other files, and on other systems, one thread reads and one writes.
    ///
    /// # Panics
    ///
    /// Panics in a runtime without I/O or without time.
    #[cfg(feature = "stdio")]
    pub async fn serve_stdio(&self) -> Result<(), ServeError> {
        let input = standard::input().map_err(ServeError::Connection)?;
        let output = standard::output().map_err(ServeError::Connection)?;
        self.serve(input, output)
            .until(plainly_transport::shutdown::requested())
            .await
    }
}

impl Serve for Server {
    async fn serve_peer(self, messages: Duplex, extensions: Extensions) -> Result<(), ServeError> {
        self.serve_messages(messages).extensions(extensions).await
    }
}

impl<'a, M> Serving<'a, M> {
    /// Adds `extensions` to every request, for a peer about which more is known. A
    /// [`Principal`](crate::Principal) among them becomes the principal of the peer.
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Stops receiving when `stop` resolves, as if the peer had closed the connection.
    pub fn until(mut self, stop: impl Future<Output = ()> + Send + 'a) -> Self {
        self.stop = stop.boxed();
        self
    }

    pub(crate) async fn run(self) -> io::Result<()>
    where
        M: Messages,
    {
        Connection::new(self.server, self.extensions, self.messages)
            .serve(self.stop)
            .await
    }
}

impl<'a, M: Messages + 'a> IntoFuture for Serving<'a, M> {
    type Output = Result<(), ServeError>;
    type IntoFuture = BoxFuture<'a, Self::Output>;

    fn into_future(self) -> Self::IntoFuture {
        self.run().map_err(ServeError::Connection).boxed()
    }
}

impl<M> fmt::Debug for Serving<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Serving")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
