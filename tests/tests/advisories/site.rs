//! The attacked server, embedded in two ways: on its own listener, and mounted in a router behind a
//! layer that authenticates users by their tokens. Both have the default configuration.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use plainly::protocol::types::{BooleanField, ElicitFormParams};
use plainly::server::{AskError, Changes};
use plainly::{
    Args, Ask, Context, Principal, Prompt, Resource, ResourceTemplate, Server, State, TaskSupport,
    Tool, Vars,
};
use plainly_peer::Gate;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::sync::Barrier;

/// Counts the runs of handlers, and makes some of them wait.
#[derive(Clone, Debug)]
pub(crate) struct Probe {
    ran: Arc<AtomicUsize>,
    together: Arc<Barrier>,
    /// The gate that calls of `wait` pass.
    pub(crate) gate: Gate,
}

/// The number of `whisper` calls that proceed together.
pub(crate) const TOGETHER: usize = 64;

impl Probe {
    /// The number of runs.
    pub(crate) fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }

    fn note(&self) {
        self.ran.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

async fn canary(State(probe): State<Probe>, Args(_any): Args<Map<String, Value>>) -> &'static str {
    probe.note();
    "ran"
}

async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

async fn wait(State(probe): State<Probe>, Args(Words { text }): Args<Words>) -> String {
    probe.gate.pass().await;
    text
}

/// Reports its text as progress and returns it, while all other calls do the same.
async fn whisper(
    State(probe): State<Probe>,
    context: Context,
    Args(Words { text }): Args<Words>,
) -> String {
    probe.together.wait().await;
    let progress = plainly::Progress::new(1).message(text.clone());
    context.progress(progress).await;
    probe.together.wait().await;
    text
}

fn sure() -> ElicitFormParams {
    ElicitFormParams::new("Sure?").field("sure", BooleanField::new())
}

async fn asks(State(probe): State<Probe>, ask: Ask) -> Result<String, AskError> {
    let answer = ask.elicit("sure", sure()).await?;
    probe.note();
    Ok(format!("{:?}", answer.action))
}

async fn works(ask: Ask) -> Result<String, AskError> {
    let answer = ask.elicit("sure", sure()).await?;
    Ok(format!("{:?}", answer.action))
}

async fn touch(State(changes): State<Changes>) -> &'static str {
    changes.tools_changed();
    "touched"
}

async fn note(State(probe): State<Probe>, Vars(Name { name }): Vars<Name>) -> String {
    probe.note();
    name
}

async fn secret(State(probe): State<Probe>) -> &'static str {
    probe.note();
    "secret"
}

async fn greeting() -> &'static str {
    "Hello!"
}

/// A server with something of each kind and the default configuration.
pub(crate) fn server() -> (Server, Probe) {
    let probe = Probe {
        ran: Arc::default(),
        together: Arc::new(Barrier::new(TOGETHER)),
        gate: Gate::new(),
    };
    let changes = Changes::new();
    let server = Server::builder("site", "1")
        .state(probe.clone())
        .state(changes.clone())
        .changes(changes)
        .tool(Tool::new("canary", canary))
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("wait", wait))
        .tool(Tool::new("whisper", whisper))
        .tool(Tool::new("asks", asks))
        .tool(Tool::new("works", works).task(TaskSupport::Required))
        .tool(Tool::new("touch", touch))
        .resource(Resource::new("app://secret", secret))
        .resource_template(ResourceTemplate::new("note://{name}", note))
        .prompt(Prompt::new("greeting", greeting))
        .build()
        .unwrap();
    (server, probe)
}

/// The embedding of a server in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Own,
    Mounted,
}

pub(crate) const KINDS: [Kind; 2] = [Kind::Own, Kind::Mounted];

/// A listening server.
#[derive(Clone)]
pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    pub(crate) probe: Probe,
    pub(crate) server: Server,
    /// Dropping this ends the server.
    _listening: Arc<plainly_peer::Site>,
}

impl Site {
    pub(crate) async fn start(kind: Kind) -> Self {
        let (server, probe) = server();
        let listening = match kind {
            Kind::Own => {
                plainly_peer::Site::serve(server.http().path("/mcp").sse_endpoint("/sse")).await
            }
            Kind::Mounted => {
                let router = Router::new()
                    .route_service("/mcp", server.http())
                    .route_service("/sse", server.http().sse_endpoint("/sse"))
                    .layer(from_fn(authenticate));
                let serve = async |listener| axum::serve(listener, router).await;
                plainly_peer::Site::listen(serve).await
            }
        };
        Self {
            address: listening.address,
            _listening: Arc::new(listening),
            probe,
            server,
        }
    }
}

/// Authenticates a request with a token as the user that the token names before its first hyphen.
/// Other requests are anonymous.
async fn authenticate(mut request: Request, next: Next) -> Response {
    let token = request.headers().get(AUTHORIZATION);
    let name = token.and_then(|token| token.to_str().ok()?.strip_prefix("Bearer "));
    let name = name.and_then(|token| token.split('-').next());
    if let Some(principal) = name.map(Principal::new) {
        request.extensions_mut().insert(principal);
    }
    next.run(request).await
}
