//! A server with handlers that wait, and a client that sends requests and reads events.

use plainly::limits::Limits;
use plainly::server::extract::{Args, Ask, Context, Progress, State};
use plainly::server::{AskError, Server, ServerBuilder, Tool};
use plainly::transport::http::{HttpLimits, HttpService};
use plainly_peer::{Gate, Site, message};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Words {
    text: String,
}

pub(crate) async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

pub(crate) async fn wait(State(gate): State<Gate>, Args(Words { text }): Args<Words>) -> String {
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

pub(crate) async fn roots(ask: Ask) -> Result<String, AskError> {
    let roots = ask.roots("roots").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

/// Builds a server. Its tool `echo` answers at once, and `wait` answers when the gate opens.
/// `steps` reports each step and then waits at the gate, `flood` reports a thousand steps at once,
/// and `polled` closes its stream before each of two steps. `roots` asks the client for its roots.
pub(crate) fn server(gate: &Gate, change: impl FnOnce(&mut Limits)) -> Server {
    builder(gate, change).build().unwrap()
}

pub(crate) fn builder(gate: &Gate, change: impl FnOnce(&mut Limits)) -> ServerBuilder {
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
}

pub(crate) fn initialize(revision: &str) -> Value {
    message::initialize_with(revision, json!({"roots": {}}))
}

pub(crate) fn request(id: u64, method: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method})
}

pub(crate) fn call(id: u64, tool: &str, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": tool, "arguments": {"text": text}}})
}

/// Returns the answer to the question of `roots`.
pub(crate) fn answer(question: &Value) -> Value {
    assert_eq!(question["method"], "roots/list");
    let roots = json!([{"uri": "file:///home/ada"}]);
    json!({"jsonrpc": "2.0", "id": question["id"], "result": {"roots": roots}})
}

/// Serves at `/mcp`, and with the transport of 2024-11-05 at `/sse`.
pub(crate) async fn serve(server: &Server) -> Site {
    serve_as(server, |service| service).await
}

pub(crate) async fn serve_as(
    server: &Server,
    configure: impl FnOnce(HttpService<Server>) -> HttpService<Server>,
) -> Site {
    let limits = HttpLimits::from(server.limits());
    let service = server.http().limits(limits).path("/mcp");
    Site::serve(configure(service.sse_endpoint("/sse"))).await
}

/// Like `serve`, but the `User` header of a request names its principal.
pub(crate) async fn serve_users(server: &Server) -> Site {
    Site::serve_users(server.http().path("/mcp").sse_endpoint("/sse")).await
}
