//! The tested server, in a separate process. It has tools that reply at once, wait, use the
//! processor, send much, fail, ask questions, or run as tasks, and resources that change on
//! command.

use std::hint::black_box;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use plainly::limits::Limits;
use plainly::server::extract::{Ask, Progress};
use plainly::server::{Changes, ServerBuilder};
use plainly::transport::http::{HttpLimits, HttpServer};
use plainly::{
    Args, Context, Failure, Json, Resource, ResourceTemplate, Server, State, TaskSupport, Tool,
    Vars, shutdown,
};
use plainly_directory::DirectoryStore;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::time::sleep;

use crate::usage;

/// The path of the endpoint.
pub(crate) const PATH: &str = "/mcp";
/// The resource that exists from the start.
pub(crate) const FIXED: &str = "load://fixed";

/// The settings of a server, as JSON on its command line. Limits that are not set have their
/// defaults.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Settings {
    /// The maximum number of file descriptors.
    pub(crate) descriptors: Option<u64>,
    /// A directory to serve.
    pub(crate) directory: Option<PathBuf>,
    pub(crate) session_idle: Option<Duration>,
    pub(crate) resume: Option<Duration>,
    pub(crate) task_ttl: Option<Duration>,
    pub(crate) head: Option<Duration>,
    pub(crate) body_grace: Option<Duration>,
    pub(crate) write_stall: Option<Duration>,
    pub(crate) keep_alive: Option<Duration>,
}

impl Settings {
    fn limits(&self) -> Limits {
        let mut limits = Limits::default();
        set(&mut limits.sessions.idle, self.session_idle);
        set(&mut limits.resumption.ttl, self.resume);
        set(&mut limits.tasks.ttl, self.task_ttl);
        limits
    }

    fn http_limits(&self, limits: &Limits) -> HttpLimits {
        let mut limits = HttpLimits::from(limits);
        set(&mut limits.head, self.head);
        set(&mut limits.body_grace, self.body_grace);
        set(&mut limits.write_stall, self.write_stall);
        set(&mut limits.keep_alive, self.keep_alive);
        limits
    }
}

fn set<T>(limit: &mut T, setting: Option<T>) {
    if let Some(setting) = setting {
        *limit = setting;
    }
}

/// Serves until asked to stop. The first line of standard output is the address.
pub(crate) async fn serve(settings: &Settings) -> anyhow::Result<()> {
    if let Some(most) = settings.descriptors {
        usage::lower_descriptors(most)?;
    }
    let server = server(settings)?;
    let http = HttpServer::bind("127.0.0.1:0").await?;
    let limits = settings.http_limits(server.limits());
    writeln!(io::stdout(), "{}", http.local_addr())?;
    let service = server.http().limits(limits).path(PATH);
    Ok(http.serve(service, shutdown::requested()).await?)
}

fn server(settings: &Settings) -> anyhow::Result<Server> {
    let changes = Changes::new();
    let server = Server::builder("abused", env!("CARGO_PKG_VERSION"))
        .limits(settings.limits())
        .state(Running::default())
        .state(changes.clone())
        .changes(changes)
        .resource(Resource::new(FIXED, async || "It is what it is."))
        .resource_template(ResourceTemplate::new("load://item/{name}", item));
    let server = match &settings.directory {
        Some(directory) => server.store(DirectoryStore::new(directory)?),
        None => server,
    };
    Ok(with_tools(server).build()?)
}

fn with_tools(server: ServerBuilder) -> ServerBuilder {
    server
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("wait", wait))
        .tool(Tool::new("spin", spin))
        .tool(Tool::new("large", large))
        .tool(Tool::new("flood", flood))
        .tool(Tool::new("panic", panics))
        .tool(Tool::new("ask", ask))
        .tool(Tool::new("job", wait).task(TaskSupport::Required))
        .tool(Tool::new("update", update))
        .tool(Tool::new("relist", relist))
        .tool(Tool::new("gauges", gauges))
}

#[derive(Deserialize, JsonSchema)]
struct Named {
    name: String,
}

async fn item(Vars(Named { name }): Vars<Named>) -> String {
    format!("This is {name}.")
}

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

/// The number of waiting handlers.
#[derive(Clone, Debug, Default)]
struct Running(Arc<AtomicUsize>);

/// A waiting handler, which is no longer counted once dropped.
struct Runner(Running);

impl Runner {
    fn new(running: Running) -> Self {
        running.0.fetch_add(1, Ordering::Relaxed);
        Self(running)
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Deserialize, JsonSchema)]
struct Lasting {
    milliseconds: u64,
    #[serde(default)]
    text: String,
}

async fn wait(State(running): State<Running>, Args(lasting): Args<Lasting>) -> String {
    let _runner = Runner::new(running);
    sleep(Duration::from_millis(lasting.milliseconds)).await;
    lasting.text
}

#[derive(Deserialize, JsonSchema)]
struct Spinning {
    microseconds: u64,
    text: String,
}

/// Uses the processor for this time.
async fn spin(Args(Spinning { microseconds, text }): Args<Spinning>) -> String {
    let end = Instant::now() + Duration::from_micros(microseconds);
    while Instant::now() < end {
        black_box(&text);
    }
    text
}

#[derive(Deserialize, JsonSchema)]
struct Size {
    bytes: usize,
}

async fn large(State(running): State<Running>, Args(Size { bytes }): Args<Size>) -> String {
    let _runner = Runner::new(running);
    "x".repeat(bytes)
}

#[derive(Deserialize, JsonSchema)]
struct Flood {
    messages: u32,
    bytes: usize,
}

/// Sends many notifications, even if the client doesn't read them.
async fn flood(
    State(running): State<Running>,
    context: Context,
    Args(Flood { messages, bytes }): Args<Flood>,
) -> &'static str {
    let _runner = Runner::new(running);
    for done in 1..=messages {
        let progress = Progress::new(done).message("x".repeat(bytes));
        context.progress(progress).await;
    }
    "All is said."
}

async fn panics() -> String {
    panic!("asked to")
}

#[derive(Deserialize, JsonSchema)]
struct Answer {
    word: String,
}

async fn ask(
    State(running): State<Running>,
    ask: Ask,
    Args(Words { text }): Args<Words>,
) -> Result<String, Failure> {
    let _runner = Runner::new(running);
    let answer = ask.form("word", &format!("What about {text}?")).await?;
    Ok(match answer {
        Some(Answer { word }) => format!("{text}: {word}"),
        None => format!("{text}: declined"),
    })
}

#[derive(Deserialize, JsonSchema)]
struct Which {
    uri: String,
}

async fn update(State(changes): State<Changes>, Args(Which { uri }): Args<Which>) -> &'static str {
    changes.resource_updated(&uri);
    "It has changed."
}

async fn relist(State(changes): State<Changes>) -> &'static str {
    changes.resources_changed();
    "The list has changed."
}

/// What is going on in the server.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Gauges {
    /// Handlers that wait.
    pub(crate) running: usize,
    /// Tasks of the runtime.
    pub(crate) tasks: usize,
}

async fn gauges(State(running): State<Running>) -> Json<Gauges> {
    Json(Gauges {
        running: running.0.load(Ordering::Relaxed),
        tasks: Handle::current().metrics().num_alive_tasks(),
    })
}
