//! Tests logs for users and for programs, of each request and of each failure.

use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{Docs, Target, plainly, run};

/// The log of `plainly serve --stdio` for these messages.
fn logged(docs: &Docs, options: &[&str], messages: &[&str]) -> String {
    let mut child = plainly()
        .args(["serve", docs.str(), "--stdio"])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for message in messages {
        writeln!(stdin, "{message}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    String::from_utf8(output.stderr).unwrap()
}

fn initialize() -> String {
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    });
    json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string()
}

fn request(method: &str, params: &Value) -> String {
    let id = format!("{method} {params}");
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }).to_string()
}

#[test]
fn each_request_is_one_line_of_the_access_log() {
    let docs = Docs::new();
    let read = |uri: &str| request("resources/read", &json!({ "uri": uri }));
    let call = json!({ "name": "stat_resource", "arguments": { "uri": "docs/nope" } });
    let messages = [
        &*initialize(),
        &request("ping", &json!({})),
        &read("file:///docs/intro.md"),
        &read("file:///docs/nope.md"),
        &request("tools/call", &call),
        &request("no/such/method", &json!({})),
        "this is not a message",
    ];
    let options = ["--log", "plainly::access=info", "--log-format", "json"];
    let log = logged(&docs, &options, &messages);
    let lines: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let cells = |line: &Value| {
        ["message", "method", "name", "code"].map(|name| line[name].to_string().replace('"', ""))
    };
    let mut found: Vec<_> = lines.iter().map(|line| cells(line).join(" ")).collect();
    found.sort();
    let expected = [
        "refused no/such/method null -32601",
        "refused null null -32700",
        "refused resources/read file:///docs/nope.md -32602",
        "served initialize null null",
        "served ping null null",
        "served resources/read file:///docs/intro.md null",
        "tool failed tools/call stat_resource null",
    ];
    assert_eq!(found, expected, "{log}");
    for line in &lines {
        let common = [&line["level"], &line["target"], &line["revision"]];
        assert_eq!(common, ["INFO", "plainly::access", "2025-11-25"], "{line}");
        assert!(
            line["bytes"].is_u64() && line["timestamp"].is_string(),
            "{line}"
        );
    }
    let timed = lines.iter().filter(|line| line["ms"].is_f64());
    assert_eq!(timed.count(), lines.len(), "{log}");
    assert_eq!(logged(&docs, &[], &[messages[1]]), "");
}

#[test]
fn over_http_the_line_has_the_status() {
    let docs = Docs::new();
    let mut command = plainly();
    command.args([
        "serve",
        docs.str(),
        "--http",
        "127.0.0.1:0",
        "--log",
        "info",
    ]);
    let mut child = command
        .stdin(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let mut said = String::new();
    let url = loop {
        let mut byte = [0];
        stderr.read_exact(&mut byte).unwrap();
        said.push(char::from(byte[0]));
        let begun = said.split_once("http://").map(|(_, rest)| rest);
        if let Some((url, _)) = begun.and_then(|rest| rest.split_once('\n')) {
            break format!("http://{}", url.trim_end());
        }
    };
    let missing = run(&["read", &url, "file:///docs/nope.md"]);
    assert_eq!(missing.status, 4, "{}", missing.stderr);
    child.kill().unwrap();
    child.wait().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    let line = said
        .lines()
        .find(|line| line.contains("name=\"file:///docs/nope.md\""));
    let line = line.unwrap_or_else(|| panic!("{said}"));
    for part in [
        " INFO plainly::access: refused method=\"resources/read\" ",
        " revision=2026-07-28 ",
        " transport=\"http\" ",
        " status=200 ",
        " code=-32602 ",
        " ms=",
        " bytes=",
    ] {
        assert!(line.contains(part), "{part}: {line}");
    }
}

#[test]
fn a_level_alone_shows_what_is_ours() {
    let docs = Docs::new();
    for target in Target::docs(&docs) {
        let listed = target.run("ls", &["--log", "debug"]);
        assert_eq!(listed.status, 0);
        for line in listed.stderr.lines() {
            let is_ours = line.contains(" plainly") || line.contains(" WARN ");
            assert!(is_ours, "{line}");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_warning_is_a_sentence_unless_a_log_was_asked_for() {
    let docs = Docs::new();
    let script = "echo rubbish; exec \"$0\" serve \"$1\" --stdio";
    let server = [
        "--",
        "sh",
        "-c",
        script,
        crate::support::PLAINLY,
        docs.str(),
    ];
    let told = |options: &[&str]| run(&[&["ls"], options, &server].concat()).stderr;
    let sentence = told(&[]);
    assert!(sentence.starts_with("warning: skipped "), "{sentence}");
    let line = told(&["--log", "warn"]);
    assert!(line.contains("  WARN plainly_client"), "{line}");
    let object: Value = serde_json::from_str(&told(&["--log-format", "json"])).unwrap();
    assert_eq!(
        (&object["level"], &object["lines"]),
        (&json!("WARN"), &json!(1))
    );
}

#[test]
fn a_log_as_json_can_send_no_commands_to_a_terminal() {
    let docs = Docs::new();
    let options = ["--log", "info", "--log-format", "json"];
    let name = json!({ "uri": "a:\u{1b}[2J\u{202e}\u{9b}" });
    let log = logged(
        &docs,
        &options,
        &[&initialize(), &request("resources/read", &name)],
    );
    assert!(!log.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{log:?}");
    for line in log.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
}
