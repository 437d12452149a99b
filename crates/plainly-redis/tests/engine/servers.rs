//! Redis servers in temporary directories: one, or a primary with copies that sentinels watch.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::PathBuf;

use plainly_redis::{Connecting, Redis};
use rcgen::{CertifiedKey, generate_simple_self_signed};
use redis::{Connection, FromRedisValue};
use rustix::process::Signal;
use tempfile::TempDir;

use crate::processes::{Process, connected, ports, program, until};

/// The name of the primary for sentinels.
const WATCHED: &str = "main";

/// Servers, which end with the test.
pub(crate) struct Servers {
    program: PathBuf,
    root: TempDir,
    pub(crate) ports: Vec<u16>,
    arguments: Vec<Vec<String>>,
    running: Vec<Option<Process>>,
}

impl Servers {
    /// Starts one server.
    pub(crate) async fn start() -> Option<Self> {
        Self::with_copies(0).await
    }

    /// Starts a primary with this number of copies, and waits until they are up to date.
    pub(crate) async fn with_copies(copies: usize) -> Option<Self> {
        let mut servers = Self::prepare(1 + copies)?;
        let primary = servers.ports[0].to_string();
        servers.run(0);
        until(async || servers.try_ask::<String>(0, "PING")).await;
        for copy in 1..=copies {
            servers.arguments[copy]
                .extend(["--replicaof", "127.0.0.1", &primary].map(str::to_owned));
            servers.run(copy);
            until(async || {
                let info: String = servers.try_ask(0, "INFO replication")?;
                (info.matches("state=online").count() == copy).then_some(())
            })
            .await;
        }
        Some(servers)
    }

    /// Prepares servers that are not running yet.
    pub(crate) fn prepare(count: usize) -> Option<Self> {
        let program = program("redis-server", "apt-get install redis-server")?;
        let ports = ports(count);
        let root = TempDir::new().unwrap();
        let arguments = ports.iter().map(|port| {
            let common = format!(
                "--port {port} --bind 127.0.0.1 --appendonly no --repl-diskless-sync-delay 0 --save"
            );
            let mut arguments: Vec<_> = common.split(' ').map(str::to_owned).collect();
            let folder = root.path().join(port.to_string());
            std::fs::create_dir(&folder).unwrap();
            arguments.extend([
                String::new(),
                "--dir".to_owned(),
                folder.to_str().unwrap().to_owned(),
            ]);
            arguments
        });
        Some(Self {
            program,
            arguments: arguments.collect(),
            running: (0..count).map(|_| None).collect(),
            ports,
            root,
        })
    }

    /// Makes the first server store its data in a file, which it syncs to disk as `fsync` says.
    pub(crate) fn storing(&mut self, fsync: &str) {
        let options = ["--appendonly", "yes", "--appendfsync", fsync];
        self.arguments[0].extend(options.map(str::to_owned));
    }

    /// The folder with the files of a server.
    pub(crate) fn folder(&self, index: usize) -> PathBuf {
        self.root.path().join(self.ports[index].to_string())
    }

    /// Prepares a server that uses TLS. Returns it with the file of its certificate.
    pub(crate) fn with_tls() -> Option<(Self, PathBuf)> {
        let mut servers = Self::prepare(1)?;
        let names = ["localhost".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        let [certificate, key] = ["cert.pem", "key.pem"].map(|name| servers.root.path().join(name));
        std::fs::write(&certificate, cert.pem()).unwrap();
        std::fs::write(&key, signing_key.serialize_pem()).unwrap();
        let port = servers.ports[0].to_string();
        let arguments = &mut servers.arguments[0];
        arguments.extend(["--port", "0", "--tls-port", &port].map(str::to_owned));
        for (option, file) in [
            ("--tls-cert-file", &certificate),
            ("--tls-ca-cert-file", &certificate),
            ("--tls-key-file", &key),
        ] {
            arguments.extend([option, file.to_str().unwrap()].map(str::to_owned));
        }
        arguments.extend(["--tls-auth-clients", "no"].map(str::to_owned));
        servers.run(0);
        Some((servers, certificate))
    }

    /// Starts three sentinels, and waits until they have found the copies. Returns their URL.
    pub(crate) async fn watch(&mut self) -> String {
        let (first, primary) = (self.ports.len(), self.ports[0]);
        for port in ports(3) {
            let config = self.root.path().join(format!("{port}.conf"));
            let text = format!(
                "port {port}\nbind 127.0.0.1\ndir {}\nsentinel monitor {WATCHED} 127.0.0.1 {primary} 2\n\
                 sentinel down-after-milliseconds {WATCHED} 1000\nsentinel failover-timeout {WATCHED} 5000\n",
                self.root.path().display(),
            );
            std::fs::write(&config, text).unwrap();
            self.ports.push(port);
            self.arguments.push(vec![
                config.to_str().unwrap().to_owned(),
                "--sentinel".to_owned(),
            ]);
            self.running.push(None);
            self.run(self.ports.len() - 1);
        }
        for sentinel in first..self.ports.len() {
            until(async || {
                let known = format!("SENTINEL master {WATCHED}");
                let known: Vec<String> = self.try_ask(sentinel, &known)?;
                let number = |name| {
                    let at = known.iter().position(|one| one == name)?;
                    known.get(at + 1)?.parse::<usize>().ok()
                };
                let is_whole =
                    number("num-slaves")? == first - 1 && number("num-other-sentinels")? == 2;
                is_whole.then_some(())
            })
            .await;
        }
        let hosts = self.ports[first..]
            .iter()
            .map(|port| format!("127.0.0.1:{port}"));
        format!(
            "redis+sentinel://{}/{WATCHED}",
            hosts.collect::<Vec<_>>().join(",")
        )
    }

    /// Starts the server, for the first time or again.
    pub(crate) fn run(&mut self, index: usize) {
        let arguments: Vec<_> = self.arguments[index].iter().map(String::as_str).collect();
        let log = self.root.path().join(format!("{}.log", self.ports[index]));
        self.running[index] = Some(Process::start(&self.program, &arguments, &log));
    }

    pub(crate) fn kill(&mut self, index: usize) {
        self.running[index] = None;
    }

    pub(crate) fn signal(&self, index: usize, signal: Signal) {
        self.running[index].as_ref().unwrap().signal(signal);
    }

    pub(crate) fn url(&self, index: usize) -> String {
        format!("redis://127.0.0.1:{}", self.ports[index])
    }

    /// A replica's settings with the URL of the first server.
    pub(crate) fn connecting(&self) -> Connecting {
        Redis::connect([self.url(0)]).name("test")
    }

    /// Connects a replica.
    pub(crate) async fn replica(&self) -> Redis {
        let redis = self.connecting().await.unwrap();
        connected(&redis).await;
        redis
    }

    /// Connects an administrator.
    pub(crate) fn admin(&self, index: usize) -> Option<Connection> {
        redis::Client::open(self.url(index))
            .unwrap()
            .get_connection()
            .ok()
    }

    /// Sends a command as administrator, and returns the reply.
    pub(crate) fn ask<T: FromRedisValue>(&self, index: usize, command: &str) -> T {
        command_of(command)
            .query(&mut self.admin(index).unwrap())
            .unwrap()
    }

    fn try_ask<T: FromRedisValue>(&self, index: usize, command: &str) -> Option<T> {
        command_of(command).query(&mut self.admin(index)?).ok()
    }
}

fn command_of(words: &str) -> redis::Cmd {
    let mut command = redis::Cmd::new();
    command.arg(words.split(' ').collect::<Vec<_>>());
    command
}
