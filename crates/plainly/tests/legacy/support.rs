//! A server with handlers that wait, and a client that writes requests and reads events.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use plainly::limits::Limits;
use plainly::server::extract::{Args, Ask, Context, Progress, State};
use plainly::server::{AskError, Principal, Server, Tool};
use plainly::transport::http::{HttpLimits, HttpServer, HttpService};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore, oneshot};
use tokio::task::JoinHandle;

pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// What handlers wait for, and how many wait.
#[derive(Clone, Debug)]
pub(crate) struct Gate(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    open: Semaphore,
    waiting: AtomicUsize,
    changed: Notify,
}

struct Waiting(Gate);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.0.waiting.fetch_sub(1, Ordering::SeqCst);
        self.0.0.changed.notify_waiters();
    }
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Inner {
            open: Semaphore::new(0),
            waiting: AtomicUsize::new(0),
            changed: Notify::new(),
        }))
    }

    /// Lets so many through.
    pub(crate) fn open(&self, count: usize) {
        self.0.open.add_permits(count);
    }

    /// Waits to be let through.
    pub(crate) async fn pass(&self) {
        self.0.waiting.fetch_add(1, Ordering::SeqCst);
        let _waiting = Waiting(self.clone());
        self.0.changed.notify_waiters();
        self.0.open.acquire().await.unwrap().forget();
    }

    /// Waits until so many wait.
    pub(crate) async fn has(&self, count: usize) {
        within(async {
            loop {
                let changed = self.0.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if self.0.waiting.load(Ordering::SeqCst) == count {
                    return;
                }
                changed.await;
            }
        })
        .await;
    }
}

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

async fn wait(State(gate): State<Gate>, Args(Words { text }): Args<Words>) -> String {
    gate.pass().await;
    text
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    count: u32,
}

async fn steps(
    State(gate): State<Gate>,
    context: Context,
    Args(Count { count }): Args<Count>,
) -> String {
    for step in 1..=count {
        context.progress(step).await;
        gate.pass().await;
    }
    format!("{count} steps")
}

async fn flood(State(gate): State<Gate>, context: Context) -> &'static str {
    for step in 1..=1_000 {
        let message = "x".repeat(1 << 10);
        context.progress(Progress::new(step).message(message)).await;
    }
    gate.pass().await;
    "flooded"
}

async fn polled(State(gate): State<Gate>, context: Context) -> &'static str {
    context.close_stream();
    gate.pass().await;
    context.progress(1).await;
    context.close_stream();
    gate.pass().await;
    "polled"
}

async fn roots(ask: Ask) -> Result<String, AskError> {
    let roots = ask.roots("roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

/// A server whose tool `echo` answers at once, and `wait` once it is let through. `steps` tells of each step and then waits
/// for the next, `flood` of a thousand at once, and `polled` closes its stream before each of two steps. `roots` asks the
/// client for its own.
pub(crate) fn server(gate: &Gate, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    Server::builder("legacy", "1")
        .limits(limits)
        .state(gate.clone())
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("wait", wait))
        .tool(Tool::new("steps", steps))
        .tool(Tool::new("flood", flood))
        .tool(Tool::new("polled", polled))
        .tool(Tool::new("roots", roots))
        .build()
        .unwrap()
}

pub(crate) fn initialize(revision: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": "opens", "method": "initialize", "params": {
        "protocolVersion": revision,
        "capabilities": {"roots": {}},
        "clientInfo": {"name": "client", "version": "1"},
    }})
}

pub(crate) fn request(id: u64, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method})
}

pub(crate) fn call(id: u64, tool: &str, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": tool, "arguments": {"text": text}}})
}

/// The answer to what `roots` asks.
pub(crate) fn answer(question: &Value) -> Value {
    assert_eq!(question["method"], "roots/list");
    let roots = json!([{"uri": "file:///home/ada"}]);
    json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}})
}

/// What a tool said.
pub(crate) fn text(reply: &Value) -> &str {
    reply["result"]["content"][0]["text"].as_str().unwrap_or("")
}

/// A server that listens.
pub(crate) struct Http {
    pub(crate) address: SocketAddr,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) serving: JoinHandle<std::io::Result<()>>,
}

impl Http {
    /// At `/mcp`, and at `/sse` the transport of 2024-11-05.
    pub(crate) async fn serve(server: &Server) -> Self {
        Self::serve_as(server, |service| service).await
    }

    pub(crate) async fn serve_as(
        server: &Server,
        configure: impl FnOnce(HttpService<Server>) -> HttpService<Server>,
    ) -> Self {
        let http = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let address = http.local_addr();
        let limits = HttpLimits::from(server.limits());
        let service = server
            .http()
            .limits(limits)
            .path("/mcp")
            .sse_endpoint("/sse");
        let service = configure(service);
        let (stop, stopped) = oneshot::channel::<()>();
        let serving =
            tokio::spawn(async move { http.serve(service, async { drop(stopped.await) }).await });
        Self {
            address,
            stop: Some(stop),
            serving,
        }
    }

    /// As [`serve`](Self::serve), where a request's principal is whom its `User` header names.
    pub(crate) async fn serve_users(server: &Server) -> Self {
        async fn user(mut request: Request, next: Next) -> axum::response::Response {
            let user = request.headers().get("user");
            if let Some(user) = user.map(|user| Principal::new(user.to_str().unwrap())) {
                request.extensions_mut().insert(user);
            }
            next.run(request).await
        }
        let service = server.http().path("/mcp").sse_endpoint("/sse");
        let router = Router::new().fallback_service(service).layer(from_fn(user));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self {
            address: listener.local_addr().unwrap(),
            stop: None,
            serving: tokio::spawn(async move { axum::serve(listener, router).await }),
        }
    }

    pub(crate) fn stop(&mut self) {
        self.stop = None;
    }

    pub(crate) async fn send(&self, line: &str, headers: &str, body: impl ToString) -> Response {
        let headers = format!("Host: {}\r\n{headers}", self.address);
        self.send_as(line, &headers, body).await
    }

    /// With no `Host` but what is among the headers.
    pub(crate) async fn send_as(&self, line: &str, headers: &str, body: impl ToString) -> Response {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let body = body.to_string();
        let length = body.len();
        let request = format!("{line} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}");
        stream.write_all(request.as_bytes()).await.unwrap();
        Response::read(BufReader::new(stream)).await
    }
}

/// A response whose head is read.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    stream: BufReader<TcpStream>,
    /// What of the events is not parsed yet.
    text: String,
}

/// One event, as its fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) retry: Option<u64>,
    pub(crate) data: String,
}

impl Event {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap()
    }

    fn parse(text: &str) -> Self {
        let mut event = Self::default();
        for line in text.trim_end_matches('\n').lines() {
            let (field, value) = line.split_once(": ").unwrap();
            match field {
                "event" => event.name = Some(value.to_owned()),
                "id" => event.id = Some(value.to_owned()),
                "retry" => event.retry = Some(value.parse().unwrap()),
                "data" => value.clone_into(&mut event.data),
                other => panic!("{other}"),
            }
        }
        event
    }
}

impl Response {
    async fn read(mut stream: BufReader<TcpStream>) -> Self {
        let mut head = Vec::new();
        within(async {
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.expect("the server closed"));
            }
        })
        .await;
        let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        let status = head.get(9..12).unwrap().parse().unwrap();
        Self {
            status,
            head,
            stream,
            text: String::new(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    pub(crate) async fn body(&mut self) -> String {
        let length = self
            .header("content-length")
            .map_or(0, |length| length.parse().unwrap());
        let mut body = vec![0; length];
        within(self.stream.read_exact(&mut body)).await.unwrap();
        String::from_utf8(body).unwrap()
    }

    pub(crate) async fn json(&mut self) -> Value {
        let body = self.body().await;
        serde_json::from_str(&body).unwrap_or_else(|_| panic!("{self:?}: {body}"))
    }

    /// The next event, comments left out; `None` at the end of the stream, if that is a good one.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        loop {
            if let Some(end) = self.text.find("\n\n") {
                let text: String = self.text.drain(..end + 2).collect();
                if text != ":\n\n" {
                    return Some(Event::parse(&text));
                }
                continue;
            }
            let chunk = self.chunk().await;
            if chunk.is_empty() {
                assert_eq!(self.text, "", "an event that has no end");
                return None;
            }
            self.text += &chunk;
        }
    }

    async fn chunk(&mut self) -> String {
        let mut size = String::new();
        within(async {
            while !size.ends_with("\r\n") {
                size.push(
                    self.stream
                        .read_u8()
                        .await
                        .expect("the server closed")
                        .into(),
                );
            }
            let size = usize::from_str_radix(size.trim_end(), 16).unwrap();
            let mut chunk = vec![0; size + 2];
            self.stream.read_exact(&mut chunk).await.unwrap();
            chunk.truncate(size);
            String::from_utf8(chunk).unwrap()
        })
        .await
    }
}

/// A test that hangs fails.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("took too long")
}
