//! A client for a server in the same process, without a socket or another process: for a server's
//! own tests. The messages are the same as over any other connection.

use http::Extensions;

use plainly_transport::{Duplex, Serve};

use crate::connect::{Builder, Client, OverMessages};
use crate::error::Result;

/// A server in the same process.
#[derive(Debug)]
pub struct InMemory<S> {
    server: S,
    extensions: Extensions,
}

impl Client {
    /// A client for `server` in the same process, which exchanges messages with it directly. The
    /// server serves the client for as long as the client lives.
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
    pub fn in_memory<S: Serve>(server: &S) -> Builder<InMemory<S>> {
        Builder::new(InMemory {
            server: server.clone(),
            extensions: Extensions::new(),
        })
    }
}

impl<S: Serve> Builder<InMemory<S>> {
    /// Attaches `value` to every request, as a layer of an HTTP server could. A
    /// [`Principal`](plainly_protocol::peer::Principal) is the server's identity of this client.
    pub fn extension<T: Clone + Send + Sync + 'static>(mut self, value: T) -> Self {
        self.target.extensions.insert(value);
        self
    }

    /// Connects to the server and negotiates a revision. Must be called within a tokio runtime.
    pub async fn connect(self) -> Result<Client> {
        let (messages, far) = Duplex::pair();
        let InMemory { server, extensions } = &self.target;
        let serving = server.clone().serve_peer(far, extensions.clone());
        tokio::spawn(async move {
            if let Err(error) = serving.await {
                tracing::debug!(%error, "stopped serving an in-memory client");
            }
        });
        self.with_target(OverMessages { messages }).connect().await
    }
}
