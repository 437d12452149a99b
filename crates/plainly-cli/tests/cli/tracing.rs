//! Tests `--trace` and `--record`: every message with its direction and time, on every transport,
//! and without secrets.

use std::fs;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::fake::fake;
use crate::support::{Docs, Run, Serving, Target, plainly, run};

/// The lines of a trace without their times, up to the first space after the kind of the message.
fn lines(run: &Run) -> Vec<String> {
    run.stderr.lines().map(brief).collect()
}

fn brief(line: &str) -> String {
    let (time, rest) = line.trim_start().split_once(' ').unwrap();
    let seconds: f64 = time.parse().unwrap();
    assert!((0.0..60.0).contains(&seconds), "{line}");
    let end = rest.find(['{', '[']).unwrap_or(rest.len());
    let head: Vec<&str> = rest[..end].split(' ').take(4).collect();
    head.join(" ").trim_end().to_owned()
}

#[test]
fn a_trace_shows_each_message_and_changes_nothing_else() {
    let docs = Docs::new();
    let [http, child] = Target::docs(&docs);
    let words = ["file:///docs/guide/one.md", "--trace"];
    let over_http = http.run("read", &words);
    assert_eq!((over_http.status, over_http.text()), (0, "one"));
    let url = match &http {
        Target::Http(server) => server.url.clone(),
        Target::Child(_) => unreachable!(),
    };
    let posted = format!("→ POST {url} mcp-protocol-version:");
    assert_eq!(
        lines(&over_http),
        [
            &*posted,
            "→ #1 server/discover",
            "← HTTP 200 to",
            "← #1 result",
            &*posted,
            "→ #2 resources/read",
            "← HTTP 200 to",
            "← #2 result",
        ]
    );
    let as_child = child.run("read", &words);
    assert_eq!((as_child.status, as_child.text()), (0, "one"));
    assert_eq!(
        lines(&as_child),
        [
            "→ #1 server/discover",
            "← #1 result",
            "→ #2 resources/read",
            "← #2 result"
        ]
    );
    // Lines are not cut, because this is no terminal.
    let sent = as_child.stderr.lines().nth(2).unwrap();
    let message: Value = serde_json::from_str(&sent[sent.find('{').unwrap()..]).unwrap();
    assert_eq!(message["params"]["uri"], "file:///docs/guide/one.md");
}

#[test]
fn a_legacy_session_is_traced_to_its_end() {
    let server = Serving::toolbox();
    let run = run(&[
        "tools",
        &server.url,
        "--revision",
        "2025-06-18",
        "--trace=full",
    ]);
    let lines = lines(&run);
    let messages: Vec<&str> = lines
        .iter()
        .filter(|line| {
            ["HTTP", "POST", "GET"]
                .iter()
                .all(|word| !line.contains(word))
        })
        .map(String::as_str)
        .collect();
    assert_eq!(
        messages,
        [
            "→ #1 initialize",
            "← #1 result",
            "→ notifications/initialized",
            "→ #2 tools/list",
            "← #2 result",
            &format!("→ DELETE {} mcp-protocol-version:", server.url),
        ]
    );
}

#[test]
fn what_is_no_message_is_shown_without_obeying_it() {
    let script = "printf 'starting\\033[2J\\n'; exec \"$0\" serve \"$1\" --stdio";
    let docs = Docs::new();
    let plainly = crate::support::PLAINLY;
    let run = run(&[
        "ls",
        "--trace",
        "--",
        "sh",
        "-c",
        script,
        plainly,
        docs.str(),
    ]);
    assert_eq!(run.status, 0);
    assert!(
        run.stderr.contains(r"← not a message: starting\u{1b}[2J"),
        "{}",
        run.stderr
    );
}

/// Returns its parameters.
fn echo(_method: &str, params: &Value) -> Value {
    let text = params.to_string();
    json!({ "result": {
        "resultType": "complete",
        "content": [{ "type": "text", "text": text }],
        "structuredContent": { "apiKey": "key-hidden-2", "echo": params },
    }})
}

#[test]
fn no_secret_is_in_a_trace_or_a_recording() {
    const SECRETS: [&str; 7] = [
        "key-hidden-2",
        "header-hidden-3",
        "query-hidden-4",
        "argument-hidden-5",
        "own-hidden-6",
        "user-hidden-8",
        "cookie-hidden-9",
    ];
    let url = fake(echo).replace("http://", "http://me:user-hidden-8@");
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("session.jsonl");
    let run = run(&[
        "call",
        &format!("{url}?access_token=query-hidden-4"),
        "echo",
        "--header",
        "Authorization: Bearer header-hidden-3",
        "--header",
        "X-Own-Key: own-hidden-6",
        "--header",
        "Cookie: c=cookie-hidden-9",
        "--trace=full",
        "--record",
        file.to_str().unwrap(),
        "--args",
        r#"{"password": "argument-hidden-5", "again": ["own-hidden-6", "header-hidden-3", "query-hidden-4"],
            "login": "https://a:user-hidden-8@h/", "plain": "visible"}"#,
    ]);
    // The caller gets the unmasked result.
    assert!(run.text().contains("argument-hidden-5"), "{}", run.text());
    let kept = fs::read_to_string(&file).unwrap();
    for text in [&run.stderr, &kept] {
        assert!(text.contains("visible"), "{text}");
        for secret in SECRETS {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

#[test]
fn what_a_server_is_started_with_is_in_no_recording() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("session.jsonl");
    let docs = Docs::new();
    let script = "echo \"$GITHUB_PAT\"; exec \"$0\" serve \"$1\" --stdio";
    let words = [
        "ls",
        "--env",
        "GITHUB_PAT=env-hidden",
        "--record",
        file.to_str().unwrap(),
        "--",
    ];
    let child = [
        "sh",
        "-c",
        script,
        crate::support::PLAINLY,
        docs.str(),
        "--pat",
        "S3CRET",
    ];
    let header = ["--header", "X-Key: S3CRET", "--auth", "S3CRET"];
    let listed = run(&[&words[..], &child, &header].concat());
    assert_eq!(listed.status, 0, "{}", listed.stderr);
    let url = fake(echo).replace("/mcp", "/s/aBcDeFgHiJkLmNoPqRsT0123/mcp");
    let kept = fs::read_to_string(&file).unwrap();
    run(&["call", &url, "echo", "--record", file.to_str().unwrap()]);
    let kept = kept + &fs::read_to_string(&file).unwrap();
    for secret in ["env-hidden", "S3CRET", "aBcDeFgHiJkLmNoPqRsT0123"] {
        assert!(!kept.contains(secret), "{secret}: {kept}");
    }
}

#[test]
fn a_recording_is_written_as_it_goes_and_is_for_its_owner() {
    let docs = Docs::new();
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("session.jsonl");
    // The file is private even if a larger one existed that other users could read.
    let old = format!("{{\"recording\":1}}\n{}", "x".repeat(100_000));
    fs::write(&file, old).unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    }
    let mut watch = plainly();
    watch.args(["watch", "--record", file.to_str().unwrap(), "--"]);
    watch.args([crate::support::PLAINLY, "serve", docs.str(), "--stdio"]);
    let mut watch = watch.spawn().unwrap();
    let acknowledged = || {
        let text = fs::read_to_string(&file).unwrap_or_default();
        text.contains("notifications/subscriptions/acknowledged")
            .then_some(text)
    };
    let text = loop {
        match acknowledged() {
            Some(text) => break text,
            None => std::thread::sleep(std::time::Duration::from_millis(20)),
        }
    };
    watch.kill().unwrap();
    watch.wait().unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["recording"], 1);
    assert!(lines[0]["target"].as_str().unwrap().ends_with("--stdio"));
    assert_eq!(lines[1]["from"], "client");
    assert_eq!(lines[1]["message"]["method"], "server/discover");
    assert_eq!(lines[2]["from"], "server");
    assert!(lines[1]["at"].as_u64() <= lines[2]["at"].as_u64());
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}

#[test]
fn a_recording_that_can_not_be_written_is_said_before_anything_is_sent() {
    let run = run(&[
        "ls",
        "http://127.0.0.1:1/mcp",
        "--record",
        "/nowhere/s.jsonl",
    ]);
    run.failed(
        1,
        "error: cannot write /nowhere/s.jsonl: No such file or directory (os error 2)\n",
    );
}

#[test]
fn a_recording_replaces_nothing_but_a_recording() {
    let dir = TempDir::new().unwrap();
    let file = dir.path().join("notes.txt");
    let words = [
        "ls",
        "http://127.0.0.1:1/mcp",
        "--record",
        file.to_str().unwrap(),
    ];
    for other in ["mine", "{\"recordings\": 1}", "\u{fc}"] {
        fs::write(&file, other).unwrap();
        let why = "the file is there, and is no recording: give another name";
        let error = format!("error: cannot write {}: {why}\n", file.display());
        run(&words).failed(1, &error);
        assert_eq!(fs::read_to_string(&file).unwrap(), other);
    }
    fs::write(&file, "").unwrap();
    assert_eq!(run(&words).status, 3);
}
