//! Tests `plainly watch` with good servers, with servers that don't report changes, and with
//! servers that end.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::iter;
use std::process::{Child, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::fake::fake;
use crate::support::{Docs, PATIENCE, Serving, Target, plainly, run};

/// A running `plainly watch`, and the lines that it has written.
struct Watch {
    child: Child,
    lines: Receiver<String>,
}

impl Watch {
    fn start(target: &Target, words: &[&str]) -> Self {
        let mut command = plainly();
        command.arg("watch");
        match target {
            Target::Http(server) => command.arg(&server.url).args(words),
            Target::Child(child) => command.args(words).arg("--").args(child),
        };
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = lines(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Repeats a change until the watch, which may not have started yet, reports it. Returns the
    /// first line.
    fn told(&self, mut change: impl FnMut(u32)) -> String {
        let start = Instant::now();
        for round in 0.. {
            change(round);
            match self.lines.recv_timeout(Duration::from_millis(300)) {
                Ok(line) => return line,
                Err(_) => assert!(start.elapsed() < PATIENCE, "nothing is told"),
            }
        }
        unreachable!()
    }

    /// Waits for the end, and returns the status and standard error.
    fn end(mut self) -> (Option<i32>, String) {
        let mut said = String::new();
        let mut stderr = self.child.stderr.take().unwrap();
        stderr.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

fn lines(stdout: ChildStdout) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines() {
            if send.send(line.unwrap()).is_err() {
                break;
            }
        }
    });
    lines
}

#[cfg(unix)]
fn signal(child: &Child, signal: rustix::process::Signal) {
    rustix::process::kill_process(rustix::process::Pid::from_child(child), signal).unwrap();
}

#[cfg(unix)]
#[test]
fn an_edited_file_is_told_on_every_way_until_a_signal_comes() {
    let docs = Docs::new();
    for revision in ["2024-11-05", "2025-11-25", "2026-07-28"] {
        for target in Target::docs(&docs) {
            let words = ["file:///docs/intro.md", "--revision", revision];
            let watch = Watch::start(&target, &words);
            let told = watch.told(|round| {
                fs::write(docs.path.join("all.bin"), round.to_string()).unwrap();
                fs::write(docs.path.join("intro.md"), round.to_string()).unwrap();
            });
            assert_eq!(told, "updated file:///docs/intro.md", "{revision}");
            signal(&watch.child, rustix::process::Signal::INT);
            // Only a signal can end it.
            let end = (Some(130), String::new());
            assert_eq!(watch.end(), end, "{revision}");
        }
    }
}

#[test]
fn a_list_of_keys_in_the_served_directory_changes_without_a_word() {
    let docs = Docs::new();
    let keys = docs.path.join("keys.json").display().to_string();
    let new = |name| run(&["key", "new", name, "--file", &keys]);
    let header = format!("Authorization: Bearer {}", new("ada").text().trim());
    let target = Target::Http(Serving::with(&docs, &["--auth-keys", &keys]));
    let mut watch = Watch::start(
        &target,
        &[
            "file:///docs",
            "file:///docs/guide/one.md",
            "--header",
            &header,
        ],
    );
    let edit = |round: u32| fs::write(docs.path.join("guide/one.md"), round.to_string()).unwrap();
    let expected = "updated file:///docs/guide/one.md";
    assert_eq!(watch.told(edit), expected);
    assert_eq!(new("bob").status, 0);
    assert_eq!(watch.told(edit), expected);
    watch.child.kill().unwrap();
    assert!(watch.lines.iter().all(|line| line == expected));
}

#[test]
fn without_a_resource_listings_are_told() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in ["2025-11-25", "2026-07-28"] {
            let mut watch = Watch::start(&target, &["--json", "--revision", revision]);
            let told = watch.told(|round| {
                fs::write(docs.path.join(format!("{revision}-{round}")), "").unwrap();
            });
            let told: Value = serde_json::from_str(&told).unwrap();
            assert_eq!(told, json!({"change": "listing"}), "{revision}");
            watch.child.kill().unwrap();
            watch.end();
        }
    }
}

#[test]
fn a_collection_is_told_with_what_is_in_it() {
    let docs = Docs::new();
    let [http, _] = Target::docs(&docs);
    let words = ["file:///docs/guide", "--json", "--log", "error"];
    let mut watch = Watch::start(&http, &words);
    let told = watch.told(|round| {
        fs::write(docs.path.join("guide/one.md"), round.to_string()).unwrap();
    });
    let told: Value = serde_json::from_str(&told).unwrap();
    let expected = json!({"change": "updated", "uri": "file:///docs/guide"});
    assert_eq!(told, expected);
    watch.child.kill().unwrap();
    watch.end();
}

#[test]
fn what_is_below_a_collection_is_told_by_its_own_name() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        for revision in ["2025-11-25", "2026-07-28"] {
            let words = ["file:///", "--recursive", "--revision", revision];
            let mut watch = Watch::start(&target, &words);
            let mut told = || {
                watch.told(|round| {
                    fs::write(docs.path.join("guide/one.md"), round.to_string()).unwrap();
                })
            };
            let told = iter::repeat_with(&mut told).find(|line| line.ends_with(".md"));
            assert_eq!(
                told.unwrap(),
                "updated file:///docs/guide/one.md",
                "{revision}"
            );
            watch.child.kill().unwrap();
            watch.end();
        }
    }
    let [http, _] = Target::docs(&docs);
    let (status, said) = Watch::start(&http, &["--recursive"]).end();
    assert_eq!(status, Some(2));
    assert!(
        said.contains("--recursive needs the URI of a collection"),
        "{said}"
    );
}

#[test]
fn what_is_in_a_directory_that_moves_is_told() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let mut watch = Watch::start(&target, &["file:///docs/guide/one.md"]);
        let told = watch.told(|round| {
            let names = ["guide", "elsewhere"].map(|name| docs.path.join(name));
            let (from, to) = (round as usize % 2, (round as usize + 1) % 2);
            fs::rename(&names[from], &names[to]).unwrap();
        });
        assert_eq!(told, "updated file:///docs/guide/one.md");
        watch.child.kill().unwrap();
        watch.end();
        let _back = fs::rename(docs.path.join("elsewhere"), docs.path.join("guide"));
    }
}

#[cfg(unix)]
#[test]
fn a_server_that_comes_back_is_watched_on_and_the_gap_is_told() {
    use rustix::process::Signal;

    let lost = "the subscription was lost, and it is opened again";
    let ended = "the server ended the subscription: it is opened again";
    for (revision, by, warning) in [
        ("2026-07-28", Signal::KILL, lost),
        ("2026-07-28", Signal::TERM, ended),
        ("2025-11-25", Signal::KILL, ""),
        ("2025-11-25", Signal::TERM, ""),
    ] {
        let docs = Docs::new();
        let server = Serving::docs(&docs);
        let address = server.url.replace("http://", "").replace("/mcp", "");
        let mut target = Target::Http(server);
        let words = ["--revision", revision, "file:///docs/intro.md"];
        let mut watch = Watch::start(&target, &words);
        let change = |round: u32| {
            fs::write(docs.path.join("intro.md"), round.to_string()).unwrap();
        };
        watch.told(change);
        if let Target::Http(server) = &mut target {
            signal(&server.child, by);
            server.child.wait().unwrap();
        }
        drop(target);
        let mut again = plainly();
        again.args(["serve", docs.str(), "--http", &address]);
        let _again = Serving::start(again);
        // A change that was reported before may be reported again.
        let lines = iter::repeat_with(|| watch.lines.recv_timeout(PATIENCE).unwrap());
        let missed = lines.take(9).find(|line| line == "missed changes");
        assert!(missed.is_some());
        assert_eq!(watch.told(change), "updated file:///docs/intro.md");
        watch.child.kill().unwrap();
        let (_, said) = watch.end();
        assert!(said.contains(warning), "{said}");
    }
}

#[test]
fn a_server_that_does_not_tell_of_changes_is_named() {
    let knows_nothing = |method: &str, _: &Value| {
        assert_eq!(method, "subscriptions/listen");
        json!({"error": {"code": -32601, "message": "Method not found"}})
    };
    let url = fake(knows_nothing);
    run(&["watch", &url]).failed(
        6,
        "error: the server answered: Method not found (MethodNotFound -32601): this server does not report changes\n",
    );
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let nothing = target.run("watch", &["db://rows/1"]);
        nothing.failed(
            6,
            "error: the server does not report changes for any of these\n",
        );
        // Before 2026-07-28, each subscription is refused separately.
        let missing = target.run("watch", &["db://rows/1", "--revision", "2025-11-25"]);
        missing.failed(
            4,
            "error: the server answered: Resource not found: db://rows/1 (InvalidParams -32602)\n help: list the resources again, and use one of their URIs\n",
        );
    }
}

#[cfg(unix)]
#[test]
fn a_resource_that_is_not_told_of_is_a_warning() {
    let docs = Docs::new();
    let [http, _] = Target::docs(&docs);
    let words = [
        "db://rows/1",
        "file:///docs/nope.md",
        "file:///docs/intro.md",
    ];
    let watch = Watch::start(&http, &words);
    let told =
        watch.told(|round| fs::write(docs.path.join("intro.md"), round.to_string()).unwrap());
    assert_eq!(told, "updated file:///docs/intro.md");
    signal(&watch.child, rustix::process::Signal::INT);
    let (_, said) = watch.end();
    for (uri, why) in [
        ("db://rows/1", "does not report changes for this resource"),
        ("file:///docs/nope.md", "this resource does not exist yet"),
    ] {
        let is_said = |line: &str| line.contains(uri) && line.contains(why);
        let found = said.lines().filter(|line| is_said(line)).count();
        assert_eq!(found, 1, "{said}");
    }
    assert_eq!(said.lines().count(), 2, "{said}");
}
