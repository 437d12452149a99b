//! A server on loopback, and requests to it as raw text.

use std::io;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use plainly::server::{Principal, Server};
use plainly::transport::Exchange;
use plainly::transport::http::{HttpServer, HttpService};
use serde_json::Value;
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::message::{self, JSON};
use crate::{Response, within};

/// A server that listens.
#[derive(Debug)]
pub struct Site {
    /// The address.
    pub address: SocketAddr,
    /// The serving task.
    pub serving: JoinHandle<io::Result<()>>,
    stop: Option<oneshot::Sender<()>>,
}

/// Starts `server` over HTTP for the duration of the test, and returns its URL.
pub async fn served_over_http(server: &Server) -> String {
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr());
    tokio::spawn(listener.serve(server.http(), std::future::pending()));
    url
}

impl Site {
    /// Serves until told to stop, or dropped.
    pub async fn serve<E: Exchange>(service: HttpService<E>) -> Self {
        let server = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let address = server.local_addr();
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        let serving = tokio::spawn(async move { Ok(server.serve(service, stopped).await?) });
        Self {
            address,
            serving,
            stop: Some(stop),
        }
    }

    /// Runs another server function, which never stops.
    pub async fn listen<F>(serve: impl FnOnce(TcpListener) -> F) -> Self
    where
        F: Future<Output = io::Result<()>> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self {
            address: listener.local_addr().unwrap(),
            serving: tokio::spawn(serve(listener)),
            stop: None,
        }
    }

    /// Serves with the user in the header `User`, or anonymously without it.
    pub async fn serve_users(service: HttpService<Server>) -> Self {
        let router = Router::new().fallback_service(service).layer(from_fn(user));
        Self::listen(async |listener| axum::serve(listener, router).await).await
    }

    /// Tells the server to stop.
    pub fn stop(&mut self) {
        self.stop = None;
    }

    /// Opens a connection without sending anything.
    pub async fn connect(&self) -> TcpStream {
        within(TcpStream::connect(self.address)).await.unwrap()
    }

    /// Sends bytes unchanged, on a connection of their own.
    pub async fn write(&self, bytes: impl AsRef<[u8]>) -> Response {
        let mut stream = self.connect().await;
        // The server may close the connection before everything is sent. Only its response matters.
        let _closed = within(stream.write_all(bytes.as_ref())).await;
        Response::read(BufReader::new(stream)).await
    }

    /// Sends a request with these headers and those of every client. `line` contains its method and
    /// path.
    pub async fn send(&self, line: &str, headers: &str, body: impl ToString) -> Response {
        self.bare(line, &format!("{JSON}{headers}"), body).await
    }

    /// Sends a request with only these headers, its length, and its host unless given.
    pub async fn bare(&self, line: &str, headers: &str, body: impl ToString) -> Response {
        let body = body.to_string();
        let host = match headers.contains("Host:") {
            true => String::new(),
            false => format!("Host: {}\r\n", self.address),
        };
        let head = message::head(line, &(host + headers), body.len());
        self.write(head + &body).await
    }

    /// Posts a message with the headers of a correct client, in a session if there is one.
    pub async fn post(&self, path: &str, session: Option<&str>, message: &Value) -> Response {
        let host = self.address.to_string();
        let text = message::posted(path, &host, session, message);
        self.write(text).await
    }

    /// Opens a session, and returns the header with its id.
    pub async fn session(&self, path: &str, revision: &str) -> String {
        let opened = self.post(path, None, &message::initialize(revision)).await;
        format!("Mcp-Session-Id: {}\r\n", opened.session())
    }
}

async fn user(mut request: Request, next: Next) -> axum::response::Response {
    let user = request.headers().get("user");
    if let Some(user) = user.map(|user| Principal::new(user.to_str().unwrap())) {
        request.extensions_mut().insert(user);
    }
    next.run(request).await
}
