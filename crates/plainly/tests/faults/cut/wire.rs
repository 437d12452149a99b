//! Connections that are cut after a number of steps. Each written byte and each read message is a
//! step.

use std::collections::HashMap;
use std::net::SocketAddr;

use plainly::server::Server;
use plainly::transport::http::HttpLimits;
use plainly_peer::{Peer, Response, Site};
use serde_json::Value;
use tokio::io::{AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::framing::{Way, head, headers, post};

/// The planned end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut;

/// The number of remaining steps, and of past ones.
#[derive(Debug)]
pub(crate) struct Moments {
    left: usize,
    pub(crate) spent: usize,
    /// The steps after which something was completely written or read.
    pub(crate) ends: Vec<usize>,
}

impl Moments {
    pub(crate) fn new(left: usize) -> Self {
        Self {
            left,
            spent: 0,
            ends: Vec::new(),
        }
    }

    async fn write(
        &mut self,
        writer: &mut (impl AsyncWrite + Unpin),
        text: &str,
    ) -> Result<(), Cut> {
        let length = text.len().min(self.left);
        // The server may have closed the connection at the client's request.
        writer.write_all(&text.as_bytes()[..length]).await.ok();
        self.left -= length;
        self.spent += length;
        self.ends.push(self.spent);
        if length < text.len() {
            Err(Cut)
        } else {
            Ok(())
        }
    }

    fn read(&mut self) -> Result<(), Cut> {
        self.left = self.left.checked_sub(1).ok_or(Cut)?;
        self.spent += 1;
        self.ends.push(self.spent);
        Ok(())
    }
}

/// A client's end of a connection.
pub(crate) struct Wire {
    pub(crate) moments: Moments,
    kind: Kind,
}

enum Kind {
    Stream(Peer),
    Http {
        address: SocketAddr,
        session: Option<String>,
        /// The responses, by the ids of their requests.
        responses: HashMap<String, Response>,
    },
    Events {
        address: SocketAddr,
        endpoint: String,
        events: Response,
    },
}

/// Serves HTTP, with HTTP with SSE.
pub(crate) async fn listen(server: &Server) -> Site {
    let limits = HttpLimits::from(server.limits());
    let service = server.http().limits(limits).path("/mcp");
    Site::serve(service.sse_endpoint("/sse")).await
}

impl Wire {
    pub(crate) async fn open(
        way: Way,
        server: &Server,
        address: SocketAddr,
        mut moments: Moments,
    ) -> Result<Self, Cut> {
        let kind = match way {
            Way::Stream => Kind::Stream(Peer::with_room(server, 1 << 10)),
            Way::Http => Kind::Http {
                address,
                session: None,
                responses: HashMap::new(),
            },
            Way::Events => {
                let head = head("GET", "/sse", &address.to_string(), "", 0);
                let mut events = send(address, &head, &mut moments).await?;
                assert_eq!(events.status, 200);
                moments.read()?;
                let endpoint = events.event().await.unwrap().data;
                Kind::Events {
                    address,
                    endpoint,
                    events,
                }
            }
        };
        Ok(Self { moments, kind })
    }

    /// Sends a request.
    pub(crate) async fn start(&mut self, request: &Value) -> Result<(), Cut> {
        let moments = &mut self.moments;
        match &mut self.kind {
            Kind::Stream(stream) => {
                moments
                    .write(&mut stream.stream, &format!("{request}\n"))
                    .await
            }
            Kind::Events {
                address, endpoint, ..
            } => put(*address, endpoint, request, moments).await,
            Kind::Http {
                address,
                session,
                responses,
            } => {
                let headers = headers(request, session.as_deref());
                let post = post("/mcp", &address.to_string(), &headers, request);
                let response = send(*address, &post, moments).await?;
                assert_eq!(response.status, 200, "{request}");
                let opened = response.header("mcp-session-id");
                *session = opened.map(str::to_owned).or(session.take());
                responses.insert(request["id"].to_string(), response);
                Ok(())
            }
        }
    }

    /// Sends a message that has no reply.
    pub(crate) async fn tell(&mut self, message: &Value) -> Result<(), Cut> {
        let moments = &mut self.moments;
        match &mut self.kind {
            Kind::Stream(stream) => {
                moments
                    .write(&mut stream.stream, &format!("{message}\n"))
                    .await
            }
            Kind::Events {
                address, endpoint, ..
            } => put(*address, endpoint, message, moments).await,
            Kind::Http {
                address, session, ..
            } => {
                let headers = headers(message, session.as_deref());
                let post = post("/mcp", &address.to_string(), &headers, message);
                let response = send(*address, &post, moments).await?;
                assert_eq!(response.status, 202, "{message}");
                Ok(())
            }
        }
    }

    /// Returns the next message that may belong to the request `id`.
    pub(crate) async fn next(&mut self, id: &Value) -> Result<Value, Cut> {
        self.moments.read()?;
        Ok(match &mut self.kind {
            Kind::Stream(peer) => peer.next().await,
            Kind::Events { events, .. } => events.message().await,
            Kind::Http { responses, .. } => {
                let response = responses.get_mut(&id.to_string());
                response.unwrap().message().await
            }
        })
    }
}

async fn send(address: SocketAddr, text: &str, moments: &mut Moments) -> Result<Response, Cut> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    moments.write(&mut stream, text).await?;
    Ok(Response::read(BufReader::new(stream)).await)
}

async fn put(
    address: SocketAddr,
    endpoint: &str,
    message: &Value,
    moments: &mut Moments,
) -> Result<(), Cut> {
    let post = post(endpoint, &address.to_string(), "", message);
    let response = send(address, &post, moments).await?;
    assert_eq!(response.status, 202, "{message}");
    Ok(())
}
