//! A server whose handlers wait for the test, and clients that speak in raw messages over either transport.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use plainly::limits::Limits;
use plainly::server::extract::{Args, Context, Progress, State, Task};
use plainly::server::{Failure, Principal, Server, ServerBuilder, TaskSupport, Tool};
use plainly_errors::{Problem, ProtocolError};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf,
    WriteHalf,
};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

pub(crate) const EXTENSION: &str = "io.modelcontextprotocol/tasks";

/// A test that hangs fails.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("took too long")
}

/// Where handlers wait until the test lets one go on, and how many of them are there.
#[derive(Clone, Debug)]
pub(crate) struct Gate {
    open: Arc<Semaphore>,
    inside: Arc<AtomicUsize>,
}

impl Gate {
    pub(crate) fn new() -> Self {
        Self {
            open: Arc::new(Semaphore::new(0)),
            inside: Arc::default(),
        }
    }

    pub(crate) fn let_one_go_on(&self) {
        self.open.add_permits(1);
    }

    pub(crate) async fn pass(&self) {
        struct Inside<'a>(&'a AtomicUsize);
        impl Drop for Inside<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(1, Ordering::SeqCst);
            }
        }
        self.inside.fetch_add(1, Ordering::SeqCst);
        let _inside = Inside(&self.inside);
        self.open.acquire().await.unwrap().forget();
    }

    /// Waits until so many wait.
    pub(crate) async fn holds(&self, count: usize) {
        within(async {
            while self.inside.load(Ordering::SeqCst) != count {
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}

#[derive(Deserialize, JsonSchema)]
struct How {
    how: String,
}

/// Ends as it is told to.
async fn end(State(gate): State<Gate>, Args(How { how }): Args<How>) -> Result<String, Failure> {
    if how != "at once" {
        gate.pass().await;
    }
    match how.as_str() {
        "text" => Err(Failure::text("no luck")),
        "problem" => Err(Problem::not_found("user", "7").into()),
        "protocol" => Err(ProtocolError::internal("out of paper").into()),
        "panic" => panic!("the handler's secret"),
        "large" => Ok("x".repeat(4 << 20)),
        how => Ok(format!("ended {how}")),
    }
}

/// Becomes a task where it says so.
async fn steps(
    State(gate): State<Gate>,
    context: Context,
    task: Task,
    Args(How { how }): Args<How>,
) -> Result<&'static str, ProtocolError> {
    task.say("said to nobody").await;
    if how == "refuse" {
        return Err(ProtocolError::internal("not begun"));
    }
    task.begin().await;
    task.begin().await;
    task.say("first").await;
    gate.pass().await;
    context
        .progress(Progress::new(1).of(2).message("second"))
        .await;
    gate.pass().await;
    Ok("third")
}

/// Has another task of the runtime say that it becomes a task.
async fn elsewhere(State(gate): State<Gate>, task: Task) -> Result<&'static str, Failure> {
    let beginning = task.clone();
    tokio::spawn(async move { beginning.begin().await }).await?;
    gate.pass().await;
    Ok("done")
}

pub(crate) fn builder(gate: &Gate) -> ServerBuilder {
    Server::builder("test", "1")
        .state(gate.clone())
        .tool(Tool::new("hello", async || "Hello!"))
        .tool(Tool::new("may", end).task(TaskSupport::Optional))
        .tool(Tool::new("must", end).task(TaskSupport::Required))
        .tool(Tool::new("steps", steps).task(TaskSupport::Optional))
        .tool(Tool::new("elsewhere", elsewhere).task(TaskSupport::Required))
}

pub(crate) fn server(gate: &Gate) -> Server {
    builder(gate).build().unwrap()
}

pub(crate) fn limited(gate: &Gate, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    builder(gate).limits(limits).build().unwrap()
}

/// A client of `server` over each transport.
pub(crate) async fn clients(server: &Server) -> [Client; 2] {
    [Client::stream(server), Client::http(server).await]
}

/// A client that can deal with tasks, unless it is told that it can't.
pub(crate) struct Client {
    wire: Wire,
    pub(crate) can_follow: bool,
    count: u64,
}

enum Wire {
    Stream {
        writer: WriteHalf<DuplexStream>,
        reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    },
    Http {
        address: SocketAddr,
        principal: Option<&'static str>,
    },
}

impl Client {
    pub(crate) fn stream(server: &Server) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let server = server.clone();
        tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(far);
            server.serve(reader, writer).await
        });
        let (reader, writer) = tokio::io::split(near);
        let reader = BufReader::new(reader).lines();
        Self::of(Wire::Stream { writer, reader })
    }

    pub(crate) async fn http(server: &Server) -> Self {
        let router = Router::new()
            .route_service("/", server.http())
            .layer(from_fn(authenticate));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let principal = None;
        Self::of(Wire::Http { address, principal })
    }

    fn of(wire: Wire) -> Self {
        Self {
            wire,
            can_follow: true,
            count: 0,
        }
    }

    /// The same server, asked by somebody. Over HTTP.
    pub(crate) fn known_as(&self, name: &'static str) -> Self {
        let Wire::Http { address, .. } = self.wire else {
            panic!("a stream knows nobody");
        };
        let principal = Some(name);
        Self::of(Wire::Http { address, principal })
    }

    /// A request of 2026-07-28.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> Value {
        let mut capabilities = json!({"elicitation": {"form": {}, "url": {}}});
        if self.can_follow {
            capabilities["extensions"] = json!({EXTENSION: {}});
        }
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        });
        self.count += 1;
        json!({"jsonrpc": "2.0", "id": self.count, "method": method, "params": params})
    }

    /// Sends a request and waits for its reply.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        let request = self.request(method, params);
        self.exchange(&request).await
    }

    pub(crate) async fn exchange(&mut self, request: &Value) -> Value {
        match &mut self.wire {
            Wire::Stream { .. } => {
                self.send(request).await;
                self.next().await
            }
            Wire::Http { address, principal } => {
                let mut response = post(*address, *principal, &headers(request), request).await;
                response.body().await
            }
        }
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let Wire::Stream { writer, .. } = &mut self.wire else {
            panic!("over HTTP a request waits for its response");
        };
        let line = format!("{message}\n");
        writer.write_all(line.as_bytes()).await.unwrap();
    }

    pub(crate) async fn next(&mut self) -> Value {
        let Wire::Stream { reader, .. } = &mut self.wire else {
            panic!("over HTTP a response is of a request");
        };
        let line = within(reader.next_line()).await.unwrap();
        serde_json::from_str(&line.expect("the server closed")).unwrap()
    }

    /// Sends a request with these headers, and nothing else that mirrors it.
    pub(crate) async fn post(&mut self, headers: &str, request: &Value) -> HttpResponse {
        let Wire::Http { address, principal } = self.wire else {
            panic!("a stream has no headers");
        };
        post(address, principal, headers, request).await
    }

    /// Calls `tool`, which ends so.
    pub(crate) async fn call(&mut self, tool: &str, how: &str) -> Value {
        let params = json!({"name": tool, "arguments": {"how": how}});
        self.ask("tools/call", params).await
    }

    /// Begins a task; its name.
    pub(crate) async fn begin(&mut self, tool: &str, how: &str) -> String {
        let reply = self.call(tool, how).await;
        assert_eq!(reply["result"]["resultType"], "task", "{reply}");
        reply["result"]["taskId"].as_str().unwrap().to_owned()
    }

    /// What the server tells of a task.
    pub(crate) async fn get(&mut self, id: &str) -> Value {
        let mut reply = self.ask("tasks/get", json!({"taskId": id})).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        reply["result"].take()
    }

    /// What it tells once the task has come that far.
    pub(crate) async fn wait(&mut self, id: &str, status: &str) -> Value {
        within(async {
            loop {
                let task = self.get(id).await;
                if task["status"] == status {
                    return task;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }
}

/// The headers that mirror `request`.
pub(crate) fn headers(request: &Value) -> String {
    let mut headers = format!(
        "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {}\r\n",
        request["method"].as_str().unwrap()
    );
    let params = &request["params"];
    let name = params.get("name").or_else(|| params.get("taskId"));
    if let Some(Value::String(name)) = name {
        headers += &format!("Mcp-Name: {name}\r\n");
    }
    headers
}

/// Takes who asks for whom they say they are.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let name = request.headers().get("who").cloned();
    if let Some(name) = name {
        let name = Principal::new(name.to_str().unwrap());
        request.extensions_mut().insert(name);
    }
    next.run(request).await
}

async fn post(
    address: SocketAddr,
    principal: Option<&str>,
    headers: &str,
    message: &Value,
) -> HttpResponse {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let body = message.to_string();
    let who = principal.map_or_else(String::new, |who| format!("Who: {who}\r\n"));
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: {}\r\n{who}{headers}\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    HttpResponse::read(BufReader::new(stream)).await
}

/// A response whose head is read.
pub(crate) struct HttpResponse {
    pub(crate) status: u16,
    length: Option<usize>,
    stream: BufReader<TcpStream>,
}

impl HttpResponse {
    async fn read(mut stream: BufReader<TcpStream>) -> Self {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = within(stream.read_line(&mut head)).await.unwrap();
            assert_ne!(read, 0, "the server closed: {head}");
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse().unwrap())
        });
        let status = head.get(9..12).unwrap().parse().unwrap();
        Self {
            status,
            length,
            stream,
        }
    }

    /// The whole body.
    pub(crate) async fn body(&mut self) -> Value {
        let mut body = vec![0; self.length.expect("no stream")];
        within(self.stream.read_exact(&mut body)).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// The next event.
    pub(crate) async fn event(&mut self) -> Value {
        loop {
            let mut line = String::new();
            let read = within(self.stream.read_line(&mut line)).await.unwrap();
            assert_ne!(read, 0, "the server closed");
            if let Some(data) = line.strip_prefix("data: ") {
                return serde_json::from_str(data).unwrap();
            }
        }
    }
}
