//! A client of a server in the same process, without a socket or a process between them: for a server's own tests. The
//! messages are the same as over any other connection.

use http::Extensions;

use crate::client::{Builder, Client, OverMessages, Result};
use crate::server::Server;
use crate::transport::Duplex;

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
        let (messages, far) = Duplex::pair();
        let InMemory { server, extensions } = &self.target;
        let serving = server.serve_messages(far).extensions(extensions.clone());
        tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::debug!(%error, "stopped serving an in-memory client");
            }
        });
        self.with_target(OverMessages { messages }).connect().await
    }
}
