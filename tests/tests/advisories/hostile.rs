//! Malicious servers, over HTTP and at the other end of a byte stream.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::{Builder, Client, Http};
use plainly_peer::{Peer, message, received};
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A client's HTTP request.
#[derive(Clone, Debug)]
pub(crate) struct AnsweredRequest {
    pub(crate) head: String,
    pub(crate) body: Value,
}

impl AnsweredRequest {
    pub(crate) fn is(&self, method: &str) -> bool {
        self.body["method"] == method
    }
}

/// The server's answer to a request.
pub(crate) enum Answer {
    /// These bytes; the connection stays open.
    Bytes(String),
    /// These bytes; then the connection ends.
    Last(String),
    /// The first bytes, and then the others again and again, as long as the client reads them.
    Endless(String, Vec<u8>),
    /// No answer, ever.
    Silence,
}

impl Answer {
    pub(crate) fn json(status: &str, headers: &str, body: &Value) -> Self {
        let body = body.to_string();
        let length = body.len();
        Self::Bytes(format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
    }

    pub(crate) fn result(asked: &AnsweredRequest, result: Value) -> Self {
        Self::json("200 OK", "", &message::result(&asked.body, result))
    }

    /// The head of a stream of events that ends with the connection.
    pub(crate) fn events() -> String {
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n".to_owned()
    }
}

/// The result of `server/discover` of a server that supports the newest revision.
pub(crate) fn discovered() -> Value {
    message::discovered(json!({"tools": {}, "resources": {}}))
}

/// A server over HTTP, with a record of its requests.
pub(crate) struct Hostile {
    pub(crate) url: String,
    pub(crate) connections: Arc<AtomicUsize>,
    /// The number of bytes of endless answers that the client read.
    pub(crate) taken: Arc<AtomicUsize>,
    pub(crate) asked: Arc<Mutex<Vec<AnsweredRequest>>>,
}

impl Hostile {
    /// Starts a server that answers each request with `answer`, except `server/discover`.
    pub(crate) async fn start(
        answer: impl Fn(&AnsweredRequest) -> Answer + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Self {
            url: format!("http://{}/mcp", listener.local_addr().unwrap()),
            connections: Arc::default(),
            taken: Arc::default(),
            asked: Arc::default(),
        };
        let answer = Arc::new(answer);
        let (connections, taken) = (Arc::clone(&server.connections), Arc::clone(&server.taken));
        let asked = Arc::clone(&server.asked);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                let (answer, asked) = (Arc::clone(&answer), Arc::clone(&asked));
                let talk = talk(stream, answer, asked, Arc::clone(&taken));
                tokio::spawn(talk);
            }
        });
        server
    }

    pub(crate) fn client(&self) -> Builder<Http> {
        Client::http(&self.url)
    }

    pub(crate) async fn connect(&self) -> Client {
        self.client().connect().await.unwrap()
    }

    pub(crate) fn taken(&self) -> usize {
        self.taken.load(Ordering::SeqCst)
    }
}

async fn talk(
    stream: TcpStream,
    answer: Arc<impl Fn(&AnsweredRequest) -> Answer>,
    all: Arc<Mutex<Vec<AnsweredRequest>>>,
    taken: Arc<AtomicUsize>,
) {
    let mut stream = BufReader::new(stream);
    while let Some((head, body)) = received(&mut stream).await {
        let asked = AnsweredRequest { head, body };
        all.lock().unwrap().push(asked.clone());
        let answer = match asked.is("server/discover") {
            true => Answer::result(&asked, discovered()),
            false => answer(&asked),
        };
        match answer {
            Answer::Bytes(text) => {
                stream.write_all(text.as_bytes()).await.ok();
            }
            Answer::Last(text) => {
                stream.write_all(text.as_bytes()).await.ok();
                return;
            }
            Answer::Endless(text, part) => {
                stream.write_all(text.as_bytes()).await.ok();
                while stream.write_all(&part).await.is_ok() {
                    let before = taken.fetch_add(part.len(), Ordering::SeqCst);
                    // Waits until the client has read all, so that bytes in the kernel's buffers
                    // don't count. It does so only every 4 MiB, because the lookup takes
                    // milliseconds where many sockets are open.
                    if before >> 22 != (before + part.len()) >> 22 {
                        while unread(stream.get_ref()) > 0 {
                            tokio::time::sleep(Duration::from_millis(10)).await;
                        }
                    }
                }
                return;
            }
            Answer::Silence => std::future::pending().await,
        }
    }
}

/// Returns how many bytes wait in the peer's receive buffer, which grows to tens of MiB when the
/// peer is slower than the writer; 0 where the system doesn't report it. The peer is on this
/// machine.
fn unread(stream: &TcpStream) -> usize {
    let (Ok(peer), Ok(local)) = (stream.peer_addr(), stream.local_addr()) else {
        return 0;
    };
    let ports = [peer.port(), local.port()].map(|port| format!(":{port:04X}"));
    let sockets = std::fs::read_to_string("/proc/net/tcp").unwrap_or_default();
    let queue = sockets.lines().find_map(|line| {
        // The fields are a number, both addresses, the state, and `tx_queue:rx_queue`.
        let fields: Vec<_> = line.split_whitespace().take(5).collect();
        let [_, near, far, _, queues] = fields[..] else {
            return None;
        };
        let is_peer = near.ends_with(&ports[0]) && far.ends_with(&ports[1]);
        let (_, received) = queues.split_once(':').filter(|_| is_peer)?;
        usize::from_str_radix(received, 16).ok()
    });
    queue.unwrap_or(0)
}

/// A client connected over a byte stream, and its peer.
pub(crate) async fn connected() -> (Client, Peer) {
    let (mut peer, far) = plainly_peer::pair(64 << 10);
    let (reader, writer) = tokio::io::split(far);
    let (client, ()) = tokio::join!(Client::over(reader, writer).connect(), async {
        let probe = peer.next().await;
        peer.reply(&probe, discovered()).await;
    });
    (client.unwrap(), peer)
}
