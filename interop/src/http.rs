//! Serves a hyper service over HTTP/1 on a free port, in the same way for every server of the
//! benchmark, and prints the port. Independent of the service.

use std::error::Error;
use std::net::SocketAddr;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::Service;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

/// The body of a benchmark server's response.
pub type Body = BoxBody<Bytes, std::convert::Infallible>;

/// Accepts connections until the process is killed.
///
/// # Errors
/// Fails if no port can be bound, or a connection can't be accepted.
pub async fn serve<S>(service: S) -> Result<(), Box<dyn Error>>
where
    S: Service<Request<Incoming>, Response = Response<Body>> + Clone + Send + 'static,
    S::Error: Into<Box<dyn Error + Send + Sync>>,
    S::Future: Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    announce(listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let service = service.clone();
        tokio::spawn(async move {
            // The load generator reports broken connections.
            let _ = http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), service)
                .await;
        });
    }
}

/// Prints the URL of the endpoint.
#[expect(
    clippy::print_stdout,
    reason = "the benchmark reads the address from there"
)]
pub fn announce(address: SocketAddr) {
    println!("http://{address}/mcp");
}
