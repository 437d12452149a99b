//! Streamable HTTP.

use tokio::net::ToSocketAddrs;

use crate::Server;
use plainly_http::{HttpLimits, HttpServer, HttpService};
use plainly_transport::ServeError;

impl Server {
    /// This server as an HTTP service, with the server's own limits: mount it in axum or any hyper
    /// server, or pass it to an [`HttpServer`].
    ///
    /// ```no_run
    /// use std::time::Duration;
    ///
    /// use plainly::server::{Server, Tool};
    /// use plainly::shutdown;
    /// use plainly::transport::http::{HttpLimits, HttpServer};
    ///
    /// # async fn hello() -> &'static str { "Hello!" }
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("greeter", "1.0.0").tool(Tool::new("hello", hello)).build()?;
    /// let mut limits = HttpLimits::from(server.limits());
    /// limits.idle = Duration::from_secs(10);
    /// let service = server.http().limits(limits).path("/mcp").allow_host("mcp.example.com")?;
    /// let http = HttpServer::bind("0.0.0.0:3333").await?;
    /// http.serve(service, shutdown::requested()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn http(&self) -> HttpService<Self> {
        HttpService::new(self.clone()).limits(HttpLimits::from(self.limits()))
    }

    /// Serves HTTP at a loopback address, such as `127.0.0.1:3333`, at any path, until the process
    /// is asked to stop (SIGINT, SIGTERM, SIGHUP). Running requests are then finished.
    ///
    /// Fails if the server can't listen there. For other addresses, for port 0 or for a path, use
    /// [`http`](Self::http).
    ///
    /// ```no_run
    /// use plainly::server::{Server, Tool};
    ///
    /// async fn hello() -> &'static str {
    ///     "Hello!"
    /// }
    ///
    /// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = Server::builder("greeter", "1.0.0").tool(Tool::new("hello", hello)).build()?;
    /// server.serve_http("127.0.0.1:3333").await?;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve_http(&self, address: impl ToSocketAddrs) -> Result<(), ServeError> {
        let http = HttpServer::bind(address).await?;
        tracing::info!(address = %http.local_addr(), "serving HTTP");
        http.serve(self.http(), plainly_transport::shutdown::requested())
            .await
    }
}
