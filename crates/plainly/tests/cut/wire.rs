//! Connections that end after so many moments: each byte that is written is one, and each message that is read.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use plainly::server::Server;
use plainly::transport::http::{HttpLimits, HttpServer};
use serde_json::Value;
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream,
};
use tokio::net::TcpStream;

use crate::framing::{Way, head, headers, post};

/// The connection has ended, as it was to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut;

/// How many moments are left, and how many there were.
#[derive(Debug)]
pub(crate) struct Moments {
    left: usize,
    pub(crate) spent: usize,
    /// After which of them something was written or read as a whole.
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
        // The server may have closed, where it was told to.
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

/// A client's end.
pub(crate) struct Wire {
    pub(crate) moments: Moments,
    kind: Kind,
}

enum Kind {
    Stream(BufReader<DuplexStream>),
    Http {
        address: SocketAddr,
        session: Option<String>,
        /// By the ids of the requests.
        responses: HashMap<String, BufReader<TcpStream>>,
    },
    Events {
        address: SocketAddr,
        endpoint: String,
        events: BufReader<TcpStream>,
    },
}

/// A server that listens.
pub(crate) async fn listen(server: &Server) -> SocketAddr {
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr();
    let service = server
        .http()
        .limits(HttpLimits::from(server.limits()))
        .path("/mcp")
        .sse_endpoint("/sse");
    tokio::spawn(listener.serve(service, std::future::pending()));
    address
}

impl Wire {
    pub(crate) async fn open(
        way: Way,
        server: &Server,
        address: SocketAddr,
        mut moments: Moments,
    ) -> Result<Self, Cut> {
        let kind = match way {
            Way::Stream => {
                let (near, far) = tokio::io::duplex(1 << 10);
                let server = server.clone();
                tokio::spawn(async move {
                    let (reader, writer) = tokio::io::split(far);
                    server.serve(reader, writer).await
                });
                Kind::Stream(BufReader::new(near))
            }
            Way::Http => Kind::Http {
                address,
                session: None,
                responses: HashMap::new(),
            },
            Way::Events => {
                let head = head("GET", "/sse", &address.to_string(), "", 0);
                let mut events = send(address, &head, &mut moments).await?;
                let (status, _) = head_of(&mut events).await;
                assert_eq!(status, 200);
                moments.read()?;
                let endpoint = data(&mut events).await;
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
            Kind::Stream(stream) => moments.write(stream, &format!("{request}\n")).await,
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
                let mut response = send(*address, &post, moments).await?;
                let (status, opened) = head_of(&mut response).await;
                assert_eq!(status, 200, "{request}");
                *session = opened.or(session.take());
                responses.insert(request["id"].to_string(), response);
                Ok(())
            }
        }
    }

    /// Sends what is answered by nothing.
    pub(crate) async fn tell(&mut self, message: &Value) -> Result<(), Cut> {
        let moments = &mut self.moments;
        match &mut self.kind {
            Kind::Stream(stream) => moments.write(stream, &format!("{message}\n")).await,
            Kind::Events {
                address, endpoint, ..
            } => put(*address, endpoint, message, moments).await,
            Kind::Http {
                address, session, ..
            } => {
                let headers = headers(message, session.as_deref());
                let post = post("/mcp", &address.to_string(), &headers, message);
                let mut response = send(*address, &post, moments).await?;
                assert_eq!(head_of(&mut response).await.0, 202, "{message}");
                Ok(())
            }
        }
    }

    /// The next message that may be for the request `id`.
    pub(crate) async fn next(&mut self, id: &Value) -> Result<Value, Cut> {
        self.moments.read()?;
        let text = match &mut self.kind {
            Kind::Stream(stream) => {
                let mut line = String::new();
                within(stream.read_line(&mut line)).await.unwrap();
                line
            }
            Kind::Events { events, .. } => data(events).await,
            Kind::Http { responses, .. } => data(responses.get_mut(&id.to_string()).unwrap()).await,
        };
        Ok(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{text:?}: {error}")))
    }
}

async fn send(
    address: SocketAddr,
    text: &str,
    moments: &mut Moments,
) -> Result<BufReader<TcpStream>, Cut> {
    let mut stream = TcpStream::connect(address).await.unwrap();
    moments.write(&mut stream, text).await?;
    Ok(BufReader::new(stream))
}

async fn put(
    address: SocketAddr,
    endpoint: &str,
    message: &Value,
    moments: &mut Moments,
) -> Result<(), Cut> {
    let post = post(endpoint, &address.to_string(), "", message);
    let mut response = send(address, &post, moments).await?;
    assert_eq!(head_of(&mut response).await.0, 202, "{message}");
    Ok(())
}

/// The status, and the session if one was opened.
async fn head_of(response: &mut BufReader<TcpStream>) -> (u16, Option<String>) {
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        let read = within(response.read_line(&mut head)).await.unwrap();
        assert_ne!(read, 0, "the server closed: {head}");
    }
    let session = head.lines().find_map(|line| {
        let (name, value) = line.split_once(": ")?;
        name.eq_ignore_ascii_case("mcp-session-id")
            .then(|| value.to_owned())
    });
    (head[9..12].parse().unwrap(), session)
}

/// The data of the next event, or the whole body that is none.
async fn data(response: &mut BufReader<TcpStream>) -> String {
    loop {
        let mut line = String::new();
        let first = within(response.read_u8()).await.unwrap();
        if first == b'{' {
            return format!("{{{}", whole(response).await);
        }
        within(response.read_line(&mut line)).await.unwrap();
        if let Some(data) = line.strip_prefix("ata: ").filter(|data| data.len() > 2) {
            return data.trim_end().to_owned();
        }
    }
}

/// The rest of a JSON object, of which nothing follows.
async fn whole(response: &mut BufReader<TcpStream>) -> String {
    let mut text = String::new();
    loop {
        text.push(within(response.read_u8()).await.unwrap().into());
        if text.ends_with('}') && serde_json::from_str::<Value>(&format!("{{{text}")).is_ok() {
            return text;
        }
    }
}

/// A test that hangs fails.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("took too long")
}
