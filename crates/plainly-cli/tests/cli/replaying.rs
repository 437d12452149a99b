//! Tests `plainly replay`: recordings that replace their servers.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Docs, PLAINLY, Run, Serving, Target, plainly, run};
use crate::table::cases;

/// A directory for recordings.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    /// Writes a recording with these lines after the first.
    fn write(&self, lines: &[Value]) -> String {
        let path = self.path("written.jsonl");
        let header = json!({"recording": 1, "target": "written", "client": "a test"});
        let lines: Vec<String> = [&header]
            .into_iter()
            .chain(lines)
            .map(Value::to_string)
            .collect();
        fs::write(&path, lines.join("\n") + "\n").unwrap();
        path
    }
}

/// The recording as a server, over HTTP and as a child process.
fn replayed(file: &str) -> [Target; 2] {
    let mut command = plainly();
    command.args(["replay", file, "--http", "127.0.0.1:0"]);
    let child = [PLAINLY, "replay", file].map(str::to_owned);
    [
        Target::Http(Serving::start(command)),
        Target::Child(child.to_vec()),
    ]
}

#[test]
fn a_recording_answers_as_its_server_did_on_every_way() {
    let docs = Docs::new();
    let shelf = Shelf::new();
    let file = shelf.path("s.jsonl");
    let of_docs: &[(&str, &[&str])] = &[
        ("discover", &[]),
        ("ls", &["-l"]),
        ("ls", &["file:///docs", "-R", "--json"]),
        ("read", &["file:///docs/intro.md"]),
        ("read", &["file:///docs/all.bin", "--json"]),
        ("read", &["file:///docs/nope.md"]),
        ("tools", &["--json"]),
        ("call", &["search", "pattern=one", "--json"]),
    ];
    let of_tools: &[(&str, &[&str])] = &[
        ("call", &["divide", "dividend:=7", "divisor:=0"]),
        ("call", &["greet", "password=hidden", "name=Ada"]),
        ("prompts", &[]),
    ];
    for (recorded, commands) in [
        (Target::docs(&docs), of_docs),
        (Target::toolbox(), of_tools),
    ] {
        for target in recorded {
            for revision in ["2025-06-18", "2026-07-28"] {
                for (command, words) in commands {
                    let words = [*words, &["--revision", revision]].concat();
                    let then = target.run(command, &[&words[..], &["--record", &file]].concat());
                    for replayed in replayed(&file) {
                        let now = replayed.run(command, &words);
                        let seen = |run: &Run| (run.status, run.stdout.clone(), run.stderr.clone());
                        assert_eq!(seen(&now), seen(&then), "{command} {words:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_recording_with_headers_of_common_words_can_be_replayed() {
    let docs = Docs::new();
    let shelf = Shelf::new();
    let file = shelf.path("s.jsonl");
    let [http, _] = Target::docs(&docs);
    let call = ["search", "pattern=one", "--json"];
    let headers = [
        "--header",
        "X-Tenant: search",
        "--header",
        "X-Mode: result",
        "--header",
        "X-Api-Key: jsonrpc",
        "--record",
        &file,
    ];
    let then = http
        .run("call", &[&call[..], &headers].concat())
        .succeeded();
    for replayed in replayed(&file) {
        assert_eq!(replayed.run("call", &call).succeeded().text(), then.text());
    }
}

#[test]
fn what_is_not_recorded_is_refused_with_what_is() {
    let shelf = Shelf::new();
    let file = shelf.path("s.jsonl");
    let [_, child] = Target::toolbox();
    child
        .run("call", &["greet", "name=Ada", "--record", &file])
        .succeeded();
    for target in replayed(&file) {
        let run = target.run("call", &["greet", "name=Bob"]);
        assert_eq!(run.status, 6);
        let expected = "tools/call is not recorded with these parameters: the recording has \
            {\"arguments\":{\"name\":\"Ada\"},\"name\":\"greet\"} (line 6)";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
        let run = target.run("prompts", &[]);
        let expected = "prompts/list is not recorded: the recording has server/discover, tools/";
        assert!(run.stderr.contains(expected), "{}", run.stderr);
    }
}

/// The messages of a recorded server on standard output in answer to these messages.
fn converse(file: &str, messages: &[Value]) -> Vec<Value> {
    let mut child = plainly()
        .args(["replay", file])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in messages {
        writeln!(stdin, "{message}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let lines = str::from_utf8(&output.stdout).unwrap().lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn client(message: Value) -> Value {
    json!({"at": 1, "from": "client", "message": message})
}

fn server(message: Value) -> Value {
    json!({"at": 2, "from": "server", "message": message})
}

fn ask(id: impl Into<Value>, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": "tools/call", "params": params})
}

fn result(id: impl Into<Value>, text: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "result": {"text": text}})
}

fn tell(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

#[test]
fn equal_requests_have_their_answers_in_turn() {
    let shelf = Shelf::new();
    let params = json!({"name": "count", "_meta": {"progressToken": 7}});
    let file = shelf.write(&[
        client(ask(1, params)),
        client(ask("b", json!({"name": "count"}))),
        server(result("b", "second")),
        server(result(1, "first")),
    ]);
    let said = converse(&file, &[ask("x", json!({"name": "count"}))]);
    assert_eq!(said, [result("x", "first")]);
    let thrice: Vec<Value> = (1..4)
        .map(|id| ask(id, json!({"_meta": {}, "name": "count"})))
        .collect();
    let mut said = converse(&file, &thrice);
    said.sort_by_key(|message| message["id"].as_u64());
    assert_eq!(said[0], result(1, "first"));
    assert_eq!(said[1..], [result(2, "second"), result(3, "second")]);
}

#[test]
fn what_the_server_says_by_itself_comes_at_its_place() {
    let shelf = Shelf::new();
    let progress = |token: Value, n: u32| {
        tell(
            "notifications/progress",
            json!({"progressToken": token, "progress": n}),
        )
    };
    let question =
        json!({"jsonrpc": "2.0", "id": "q", "method": "elicitation/create", "params": {}});
    let answer = json!({"jsonrpc": "2.0", "id": "q", "result": {"action": "decline"}});
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    let file = shelf.write(&[
        client(ask(
            1,
            json!({"name": "slow", "_meta": {"progressToken": 1}}),
        )),
        server(progress(json!(1), 1)),
        server(question.clone()),
        client(answer.clone()),
        server(progress(json!(1), 2)),
        server(result(1, "done")),
        server(changed.clone()),
    ]);
    let call = ask(
        5,
        json!({"name": "slow", "_meta": {"progressToken": "mine"}}),
    );
    let first = [progress(json!("mine"), 1), question];
    let rest = [progress(json!("mine"), 2), result(5, "done"), changed];
    assert_eq!(converse(&file, std::slice::from_ref(&call)), first);
    let all = [&first[..], &rest].concat();
    assert_eq!(converse(&file, &[call, answer]), all);
}

#[test]
fn a_subscription_is_replayed_and_stays_open() {
    let shelf = Shelf::new();
    let listen = |id: u32| {
        json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen",
            "params": {"notifications": {"toolsListChanged": true}}})
    };
    let meta = |id: u32| json!({"io.modelcontextprotocol/subscriptionId": id});
    let acknowledged = |id| {
        tell(
            "notifications/subscriptions/acknowledged",
            json!({"_meta": meta(id), "notifications": {"toolsListChanged": true}}),
        )
    };
    let changed = |id| {
        tell(
            "notifications/tools/list_changed",
            json!({"_meta": meta(id)}),
        )
    };
    let file = shelf.write(&[
        client(listen(3)),
        server(acknowledged(3)),
        server(changed(3)),
    ]);
    assert_eq!(converse(&file, &[listen(8)]), [acknowledged(8), changed(8)]);
}

#[test]
fn what_is_no_message_is_refused_and_the_next_one_answered() {
    let shelf = Shelf::new();
    let file = shelf.write(&[client(ask(1, json!({"name": "a"}))), server(result(1, "x"))]);
    let said = converse(
        &file,
        &[json!([1]), json!({"id": 3}), ask(4, json!({"name": "a"}))],
    );
    let mut answered = said
        .iter()
        .filter(|message| message.get("result").is_some());
    assert_eq!(answered.next(), Some(&result(4, "x")));
    assert_eq!(
        said.iter()
            .filter(|message| message.get("error").is_some())
            .count(),
        2
    );
}

#[test]
fn files_that_are_no_recordings_are_refused_by_line() {
    let shelf = Shelf::new();
    for (text, expected) in cases::<(&str, &str)>(include_str!("replaying.txt"), "files") {
        let path = shelf.path("f.jsonl");
        fs::write(&path, text).unwrap();
        let run = run(&["replay", &path]);
        run.failed(2, &format!("error: cannot replay {path}: {expected}\n"));
    }
    let missing: PathBuf = shelf.0.path().join("none");
    let missing = missing.to_str().unwrap();
    let told = format!("error: cannot read {missing}: No such file or directory (os error 2)\n");
    run(&["replay", missing]).failed(2, &told);
}

#[test]
fn a_recording_that_broke_off_is_replayed_as_far_as_it_goes() {
    let shelf = Shelf::new();
    let file = shelf.write(&[client(ask(1, json!({"name": "a"}))), server(result(1, "x"))]);
    let mut text = fs::read_to_string(&file).unwrap();
    text.push_str(r#"{"at": 9, "from": "ser"#);
    fs::write(&file, text).unwrap();
    assert_eq!(
        converse(&file, &[ask(4, json!({"name": "a"}))]),
        [result(4, "x")]
    );
}
