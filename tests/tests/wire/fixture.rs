//! The server under test: tools that echo, count, wait, panic and fail; resources with and without content; a probe that
//! tells what reached a handler.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::errors::ProtocolError;
use plainly::limits::Limits;
use plainly::server::extract::{Args, State};
use plainly::server::reply::{Blob, Json, Text};
use plainly::server::{Resource, Server, ServerBuilder, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio::sync::{Notify, Semaphore};

use crate::within;

/// What handlers leave behind, and what they wait for.
#[derive(Clone, Debug)]
pub(crate) struct Probe(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    ran: AtomicUsize,
    started: AtomicUsize,
    running: AtomicUsize,
    changed: Notify,
    gate: Semaphore,
}

impl Probe {
    fn new() -> Self {
        Self(Arc::new(Inner {
            ran: AtomicUsize::new(0),
            started: AtomicUsize::new(0),
            running: AtomicUsize::new(0),
            changed: Notify::new(),
            gate: Semaphore::new(0),
        }))
    }

    /// How often the canary ran.
    pub(crate) fn ran(&self) -> usize {
        self.0.ran.load(Ordering::SeqCst)
    }

    /// How many slow handlers ever started.
    pub(crate) fn started(&self) -> usize {
        self.0.started.load(Ordering::SeqCst)
    }

    /// Waits until so many slow handlers have ever started.
    pub(crate) async fn has_started(&self, count: usize) {
        self.until(|inner| inner.started.load(Ordering::SeqCst) == count)
            .await;
    }

    /// Waits until exactly so many slow handlers are running.
    pub(crate) async fn running(&self, count: usize) {
        self.until(|inner| inner.running.load(Ordering::SeqCst) == count)
            .await;
    }

    async fn until(&self, is_so: impl Fn(&Inner) -> bool) {
        let reached = async {
            loop {
                let changed = self.0.changed.notified();
                tokio::pin!(changed);
                changed.as_mut().enable();
                if is_so(&self.0) {
                    return;
                }
                changed.await;
            }
        };
        within(reached).await;
    }

    /// Lets so many slow handlers finish.
    pub(crate) fn release(&self, count: usize) {
        self.0.gate.add_permits(count);
    }
}

/// One slow handler; gone when it finishes or is dropped.
struct Slow(Arc<Inner>);

impl Slow {
    fn start(probe: &Probe) -> Self {
        probe.0.started.fetch_add(1, Ordering::SeqCst);
        probe.0.running.fetch_add(1, Ordering::SeqCst);
        probe.0.changed.notify_waiters();
        Self(Arc::clone(&probe.0))
    }
}

impl Drop for Slow {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        self.0.changed.notify_waiters();
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
    probe.0.ran.fetch_add(1, Ordering::SeqCst);
    "ran"
}

async fn slow(State(probe): State<Probe>, Args(Words { text }): Args<Words>) -> String {
    let _running = Slow::start(&probe);
    probe.0.gate.acquire().await.unwrap().forget();
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
    probe.0.ran.fetch_add(1, Ordering::SeqCst);
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
    let _running = Slow::start(&probe);
    probe.0.gate.acquire().await.unwrap().forget();
    Text::plain("at last")
}

/// What a panic says, and nobody outside may read.
pub(crate) const SECRET: &str = "the payload of a panic";

/// How long the reply of the tool `large` is.
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

    pub(crate) fn with_limits(change: impl FnOnce(&mut Limits)) -> Self {
        let mut limits = Limits::default();
        change(&mut limits);
        Self::build(|builder| builder.limits(limits))
    }

    pub(crate) fn build(more: impl FnOnce(ServerBuilder) -> ServerBuilder) -> Self {
        let probe = Probe::new();
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
