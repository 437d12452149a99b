//! Replicas as processes under load, while processes of replicas and of the engine are killed and
//! stopped: no request hangs, nothing is run twice, and no memory is lost.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::server::extract::Ask;
use plainly::server::{AskError, Changes, Keys};
use plainly::transport::http::{HttpServer, Readiness, Route};
use plainly::{Args, Server, TaskSupport, Tool};
use plainly_cluster::Engine;
use rustix::process::{Pid, Signal, kill_process};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::processes::{memory, ports, until};
use crate::rows::Servers;
use crate::wire::{Reply, Session, modern};

/// The variables with the port of a replica's process, with the URLs of its engine, and with the
/// file of effects.
const PORT: &str = "PLAINLY_SOAK_PORT";
const URLS: &str = "PLAINLY_SOAK_URLS";
const EFFECTS: &str = "PLAINLY_SOAK_EFFECTS";

/// The variable with the number of rounds, in each of which every kind of fault happens once.
const ROUNDS: &str = "PLAINLY_SOAK_ROUNDS";

const REPLICAS: usize = 3;

/// The maximum time of a request, which is longer than any fault.
const PATIENCE: Duration = Duration::from_secs(60);

/// The memory by which a replica's process may grow.
const GROWTH: usize = 48 << 20;

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

/// Adds a line to the file of effects.
fn take_effect(line: &str) {
    let path = std::env::var_os(EFFECTS).unwrap();
    let mut file = File::options().append(true).open(path).unwrap();
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}

async fn effect(Args(Words { text }): Args<Words>) -> String {
    take_effect(&text);
    text
}

async fn task(Args(Words { text }): Args<Words>) -> String {
    sleep(Duration::from_millis(300)).await;
    take_effect(&text);
    text
}

async fn ask(Args(Words { text }): Args<Words>, ask: Ask) -> Result<String, AskError> {
    ask.roots("roots").await?;
    take_effect(&text);
    Ok(text)
}

/// Serves as a replica until the process is killed. `connect` connects to the engine at these URLs.
/// Does nothing in a process that is not a replica.
pub(crate) async fn serve<E: Engine>(connect: impl AsyncFnOnce(Vec<String>) -> E) {
    let Ok(urls) = std::env::var(URLS) else {
        return;
    };
    let engine = connect(urls.split(',').map(str::to_owned).collect()).await;
    let changes = Changes::new();
    let changed = changes.clone();
    let server = Server::builder("soak", "1")
        .keys(Keys::new([7; 32]))
        .tool(Tool::new("effect", effect))
        .tool(Tool::new("ask", ask))
        .tool(Tool::new("task", task).task(TaskSupport::Required))
        .tool(Tool::new(
            "change",
            move |Args(Words { text }): Args<Words>| {
                changed.tools_changed();
                async { text }
            },
        ))
        .changes(changes)
        .cluster(engine)
        .build()
        .unwrap();
    let known = server.clone();
    let readiness = Readiness::of(move || known.health());
    let address = format!("127.0.0.1:{}", std::env::var(PORT).unwrap());
    let http = HttpServer::bind(address).await.unwrap();
    let service = server.http();
    let service = service.route("/readyz", Route::readiness(&readiness));
    http.serve(service, std::future::pending()).await.unwrap();
}

/// The process of a replica.
struct Process {
    child: Child,
    port: u16,
}

impl Process {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    async fn ready(&self) {
        until(async || {
            let reply = Reply::to(self.port, "GET", "/readyz", &[], "").await.ok()?;
            let text = reply.text().await?;
            text.starts_with("ready").then_some(())
        })
        .await;
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Starts the processes of replicas: this program again, which runs the test `replica`.
struct Starter {
    replica: &'static str,
    urls: String,
    effects: PathBuf,
}

impl Starter {
    fn start(&self, port: u16) -> Process {
        let child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", self.replica])
            .env(PORT, port.to_string())
            .env(URLS, &self.urls)
            .env(EFFECTS, &self.effects)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let child = child.unwrap();
        Process { child, port }
    }
}

/// The load, and what came of it.
struct Load {
    ports: Vec<u16>,
    is_over: AtomicBool,
    next: AtomicU64,
    /// The texts of calls whose effect a reply confirmed.
    confirmed: Mutex<Vec<String>>,
    succeeded: AtomicUsize,
    failed: AtomicUsize,
}

impl Load {
    /// The port of the next replica, never the one of the call before.
    fn port(&self) -> u16 {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.ports[usize::try_from(number).unwrap() % self.ports.len()]
    }

    fn text(&self) -> String {
        format!("effect {}", self.next.fetch_add(1, Ordering::Relaxed))
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    fn confirm(&self, text: String) {
        self.confirmed.lock().unwrap().push(text);
    }

    /// Repeats an action until the load is over. `None` is a failure, which only faults may cause.
    async fn repeat(self: Arc<Self>, what: &str, mut action: impl AsyncFnMut(&Self) -> Option<()>) {
        while !self.is_over() {
            let done = timeout(PATIENCE, action(&self)).await;
            let done = done.unwrap_or_else(|_| panic!("{what} hangs"));
            match done {
                Some(()) => self.succeeded.fetch_add(1, Ordering::Relaxed),
                None => self.failed.fetch_add(1, Ordering::Relaxed),
            };
            sleep(Duration::from_millis(if done.is_some() { 2 } else { 50 })).await;
        }
    }

    /// Makes a call of the newest revision.
    async fn call(&self) -> Option<()> {
        let text = self.text();
        let reply = modern(self.port(), "tools/call", "effect", call("effect", &text)).await?;
        let found = reply["result"]["content"][0]["text"].as_str()?;
        assert_eq!(found, text);
        self.confirm(text);
        Some(())
    }

    /// Makes calls in a session, each at another replica.
    async fn session(&self) -> Option<()> {
        let session = Session::open(self.port()).await?;
        for _ in 0..5 {
            let text = self.text();
            let reply = session
                .call(self.port(), "effect", &text)
                .await?
                .next()
                .await?;
            let found = reply["result"]["content"][0]["text"].as_str()?;
            assert_eq!(found, text);
            self.confirm(text);
        }
        session.end(self.port()).await
    }

    /// Answers a question of a tool at another replica than the one that runs the tool.
    async fn answer(&self) -> Option<()> {
        let session = Session::open(self.port()).await?;
        let text = self.text();
        let mut events = session.call(self.port(), "ask", &text).await?;
        let question = events.next().await?;
        let id = question.get("id")?;
        session.answer(self.port(), id).await?;
        let reply = events.next().await?;
        let found = reply["result"]["content"][0]["text"].as_str()?;
        assert_eq!(found, text);
        self.confirm(text);
        Some(())
    }

    /// Begins a task, and asks for it at other replicas until it has ended.
    async fn task(&self) -> Option<()> {
        let text = self.text();
        let begun = modern(self.port(), "tools/call", "task", call("task", &text)).await?;
        let id = begun["result"]["taskId"].as_str()?.to_owned();
        loop {
            sleep(Duration::from_millis(100)).await;
            let asked = json!({ "taskId": id });
            let Some(task) = modern(self.port(), "tasks/get", &id, asked).await else {
                continue;
            };
            match task["result"]["status"].as_str() {
                Some("working") => {}
                Some("completed") => {
                    self.confirm(text);
                    return Some(());
                }
                Some(_) => return None,
                // An engine that is not there answers with 503, and the task goes on.
                None if task["error"]["code"] == 503 => {}
                None => return None,
            }
        }
    }

    /// Listens at a replica, and waits for changes that others report.
    async fn listen(&self) -> Option<()> {
        let asked = json!({ "notifications": { "toolsListChanged": true } });
        let events = Reply::of_modern(self.port(), "subscriptions/listen", None, asked);
        let mut events = events.await?;
        events.next().await?;
        for _ in 0..3 {
            let changed = call("change", "");
            modern(self.port(), "tools/call", "change", changed).await?;
            events.next().await?;
        }
        Some(())
    }
}

fn call(tool: &str, text: &str) -> Value {
    json!({ "name": tool, "arguments": { "text": text } })
}

/// A fault of a process, from which the process recovers.
#[derive(Clone, Copy, Debug)]
enum Fault {
    ReplicaKilled,
    ReplicaStopped,
    EngineKilled,
    EngineStopped,
}

/// Puts load on replicas that the test `replica` serves, in rounds with each fault once. In the
/// end, each confirmed call has run once, and no call more than once.
pub(crate) async fn soak(servers: &mut impl Servers, urls: Vec<String>, replica: &'static str) {
    let folder = TempDir::new().unwrap();
    let effects = folder.path().join("effects");
    fs::write(&effects, "").unwrap();
    let urls = urls.join(",");
    let starter = Starter {
        replica,
        urls,
        effects,
    };
    let ports = ports(REPLICAS);
    let mut replicas: Vec<_> = ports.iter().map(|port| starter.start(*port)).collect();
    let load = Arc::new(Load {
        ports,
        is_over: AtomicBool::new(false),
        next: AtomicU64::new(0),
        confirmed: Mutex::default(),
        succeeded: AtomicUsize::new(0),
        failed: AtomicUsize::new(0),
    });
    settled(&replicas, &load).await;
    let mut clients = JoinSet::new();
    for _ in 0..3 {
        clients.spawn(Arc::clone(&load).repeat("a call", Load::call));
        clients.spawn(Arc::clone(&load).repeat("a session", Load::session));
        clients.spawn(Arc::clone(&load).repeat("a question", Load::answer));
        clients.spawn(Arc::clone(&load).repeat("a task", Load::task));
        clients.spawn(Arc::clone(&load).repeat("a listener", Load::listen));
    }
    calm(&load).await;
    let before = memories(&replicas);
    let rounds = std::env::var(ROUNDS).map_or(1, |rounds| rounds.parse().unwrap());
    for number in 0..rounds {
        for fault in [
            Fault::ReplicaKilled,
            Fault::EngineStopped,
            Fault::ReplicaStopped,
            Fault::EngineKilled,
        ] {
            strike(fault, number, servers, &mut replicas, &starter).await;
            settled(&replicas, &load).await;
        }
    }
    calm(&load).await;
    load.is_over.store(true, Ordering::Relaxed);
    while let Some(ended) = clients.join_next().await {
        ended.unwrap();
    }
    for (process, memory) in memories(&replicas) {
        let grown = memory.saturating_sub(*before.get(&process).unwrap_or(&memory));
        assert!(grown < GROWTH, "a replica has grown by {grown} bytes");
    }
    check(&load, &starter.effects);
}

/// The memory of each process, where it can be read.
fn memories(replicas: &[Process]) -> HashMap<u32, usize> {
    let ids = replicas.iter().map(|one| one.child.id());
    ids.filter_map(|id| Some((id, memory(id)?))).collect()
}

async fn strike(
    fault: Fault,
    number: usize,
    servers: &mut impl Servers,
    replicas: &mut [Process],
    starter: &Starter,
) {
    // Longer than connections and leases stay without a sign of life.
    let stopped = Duration::from_secs(12);
    let server = number % servers.folders().len();
    let replica = &mut replicas[number % REPLICAS];
    match fault {
        Fault::ReplicaKilled => {
            let port = replica.port;
            replica.signal(Signal::KILL);
            sleep(Duration::from_secs(3)).await;
            *replica = starter.start(port);
        }
        Fault::ReplicaStopped => {
            replica.signal(Signal::STOP);
            sleep(stopped).await;
            replica.signal(Signal::CONT);
        }
        Fault::EngineKilled => {
            servers.kill(server);
            sleep(Duration::from_secs(3)).await;
            servers.run(server);
        }
        Fault::EngineStopped => {
            servers.signal(server, Signal::STOP);
            sleep(stopped).await;
            servers.signal(server, Signal::CONT);
        }
    }
}

/// Waits until all replicas are ready, and each of them can use the engine.
async fn settled(replicas: &[Process], load: &Load) {
    for one in replicas {
        one.ready().await;
    }
    for _ in 0..2 * REPLICAS {
        until(async || timeout(PATIENCE, load.task()).await.unwrap()).await;
    }
}

/// Checks that without a fault nothing fails. What began during a fault may still fail meanwhile.
async fn calm(load: &Load) {
    let quiet = Duration::from_secs(5);
    until(async || {
        let failed = load.failed.load(Ordering::Relaxed);
        let succeeded = load.succeeded.load(Ordering::Relaxed);
        sleep(quiet).await;
        let is_calm = load.failed.load(Ordering::Relaxed) == failed;
        let goes_on = load.succeeded.load(Ordering::Relaxed) > succeeded + 100;
        (is_calm && goes_on).then_some(())
    })
    .await;
}

/// Checks how often each call has run.
fn check(load: &Load, effects: &Path) {
    let effects = fs::read_to_string(effects).unwrap();
    let mut counts = HashMap::<&str, usize>::new();
    for line in effects.lines() {
        *counts.entry(line).or_default() += 1;
    }
    let doubled: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(doubled.is_empty(), "run more than once: {doubled:?}");
    let confirmed = load.confirmed.lock().unwrap();
    assert!(confirmed.len() > 1_000, "{} calls", confirmed.len());
    let missing = confirmed
        .iter()
        .filter(|text| !counts.contains_key(&***text));
    let missing: Vec<_> = missing.collect();
    assert!(missing.is_empty(), "confirmed and not run: {missing:?}");
}
