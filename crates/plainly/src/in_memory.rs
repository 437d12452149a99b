//! A client of a server in the same process, without a socket or a process between them: for a server's own tests. It
//! speaks the same bytes as over any other stream.

use std::future::pending;

use http::Extensions;
use tokio::io::{duplex, split};

use crate::client::{Builder, Client, Over, Result};
use crate::server::Server;

/// Bytes that may be on their way in each direction.
const ON_THE_WAY: usize = 64 << 10;

/// A server in the same process.
#[derive(Debug)]
pub struct InMemory {
    server: Server,
    extensions: Extensions,
}

impl Client {
    /// A client of `server`, in the same process: nothing between the two but the messages. The server serves it for as
    /// long as the client lives.
    ///
    /// ```
    /// use plainly::{Client, Revision, Server, Tool};
    ///
    /// async fn hello() -> &'static str {
    ///     "Hello!"
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("greeter", "1.0.0").tool(Tool::new("hello", hello)).build()?;
    ///
    /// let client = Client::in_memory(&server).connect().await?;
    /// assert!(!client.call_tool("hello", ()).await?.is_tool_error());
    ///
    /// let old = Client::in_memory(&server).revision(Revision::V2024_11_05).connect().await?;
    /// assert_eq!(old.tools().await?.len(), 1);
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_memory(server: &Server) -> Builder<InMemory> {
        Builder::new(InMemory {
            server: server.clone(),
            extensions: Extensions::new(),
        })
    }
}

impl Builder<InMemory> {
    /// Has every request carry `value`, as if a layer of an HTTP server had put it there: a
    /// [`Principal`](crate::server::Principal) is whom the server takes this client for.
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.target.extensions.insert(value);
        self
    }

    /// Has the server serve this client, and agrees with it on a revision. Within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let (near, far) = duplex(ON_THE_WAY);
        let (reader, writer) = split(near);
        let InMemory { server, extensions } = &self.target;
        let (server, extensions) = (server.clone(), extensions.clone());
        tokio::spawn(async move {
            let (reader, writer) = split(far);
            let serving = server.serve_known(extensions, reader, writer, pending());
            if let Err(error) = serving.await {
                tracing::debug!(%error, "a client in memory is served no more");
            }
        });
        self.with_target(Over { reader, writer }).connect().await
    }
}
