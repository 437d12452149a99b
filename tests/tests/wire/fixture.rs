//! The server under test: tools that echo, count, wait, panic and fail, resources with and without
//! content, and a probe that observes the handlers.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::errors::ProtocolError;
use plainly::limits::Limits;
use plainly::server::extract::{Args, State};
use plainly::server::reply::{Blob, Json, Text};
use plainly::server::{Resource, Server, ServerBuilder, Tool};
use plainly_peer::Gate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::http::Http;

/// Counts the runs of handlers, and makes some of them wait.
#[derive(Clone, Debug, Default)]
pub(crate) struct Probe {
    ran: Arc<AtomicUsize>,
    /// The gate that slow handlers pass.
    pub(crate) gate: Gate,
}

impl Probe {
    /// The number of runs of handlers.
    pub(crate) fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }

    fn run(&self) {
        self.ran.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Count {
    n: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

async fn number(Args(Count { n }): Args<Count>) -> String {
    n.to_string()
}

async fn structured(Args(Count { n }): Args<Count>) -> Json<Sum> {
    Json(Sum { sum: n + 1 })
}

async fn canary(State(probe): State<Probe>, Args(_any): Args<Map<String, Value>>) -> &'static str {
    probe.run();
    "ran"
}

async fn slow(State(probe): State<Probe>, Args(Words { text }): Args<Words>) -> String {
    probe.gate.pass().await;
    text
}

async fn panics() -> &'static str {
    panic!("{SECRET}")
}

async fn fails() -> Result<String, io::Error> {
    Err(io::Error::other("the disk is on fire"))
}

async fn large() -> String {
    "x".repeat(LARGE)
}

async fn motd(State(probe): State<Probe>) -> Text {
    probe.run();
    Text::plain("Be kind.")
}

async fn logo() -> Blob {
    Blob::new([0, 159, 146, 150], "image/png")
}

async fn gone() -> Result<Text, ProtocolError> {
    Err(ProtocolError::resource_not_found("app://gone"))
}

async fn broken() -> Result<Text, ProtocolError> {
    panic!("{SECRET}")
}

async fn slow_read(State(probe): State<Probe>) -> Text {
    probe.gate.pass().await;
    Text::plain("at last")
}

/// The payload of a panic, which no client may read.
pub(crate) const SECRET: &str = "the payload of a panic";

/// The length of the text of the tool `large`.
pub(crate) const LARGE: usize = 200_000;

/// A server and its probe.
#[derive(Clone, Debug)]
pub(crate) struct Fixture {
    pub(crate) server: Server,
    pub(crate) probe: Probe,
}

impl Fixture {
    pub(crate) fn new() -> Self {
        Self::build(|builder| builder)
    }

    /// Builds a fixture and serves it over HTTP.
    pub(crate) async fn listening() -> (Self, Http) {
        let fixture = Self::new();
        let http = Http::listen(&fixture.server).await;
        (fixture, http)
    }

    pub(crate) fn with_limits(change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = Limits::default();
        change(&mut limits);
        Self::build(|builder| builder.limits(limits))
    }

    pub(crate) fn build(more: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let probe = Probe::default();
        let builder = Server::builder("fixture", "1.0.0")
            .state(probe.clone())
            .tool(
                Tool::new("echo", echo)
                    .description("Says it again")
                    .read_only(),
            )
            .tool(Tool::new("number", number))
            .tool(Tool::new("structured", structured).title("Structured"))
            .tool(Tool::new("canary", canary))
            .tool(Tool::new("slow", slow))
            .tool(Tool::new("panics", panics))
            .tool(Tool::new("fails", fails))
            .tool(Tool::new("large", large))
            .resource(
                Resource::new("app://motd", motd)
                    .name("motd")
                    .mime_type("text/plain"),
            )
            .resource(Resource::new("app://logo", logo).name("logo"))
            .resource(Resource::new("app://gone", gone))
            .resource(Resource::new("app://broken", broken))
            .resource(Resource::new("app://slow", slow_read));
        let server = more(builder).build().unwrap();
        Self { server, probe }
    }
}
