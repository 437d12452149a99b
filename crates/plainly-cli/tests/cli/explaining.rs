//! Tests `plainly explain`, which explains any error without a server.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{REVISIONS, Run, plainly, run};
use crate::table::cases;

const CASES: &str = include_str!("explaining.txt");

/// Runs the command with this on its standard input.
fn piped(bytes: &[u8], words: &[&str]) -> Run {
    let mut child = plainly()
        .arg("explain")
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The command may end before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(bytes);
    let output = child.wait_with_output().unwrap();
    Run {
        status: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn every_form_of_an_error_is_explained() {
    let cases: Vec<(&str, &str, &str, &str, &str)> = cases(CASES, "explained");
    for (given, name, fault, retry, told) in cases {
        let text = piped(given.as_bytes(), &[]).succeeded();
        assert!(text.text().contains(told), "{given}\n{}", text.text());
        let first = &piped(given.as_bytes(), &["--json"])
            .succeeded()
            .json_lines()[0];
        let found = [&first["name"], &first["fault"], &first["retry"]];
        assert_eq!(found, [name, fault, retry], "{given}");
        for label in ["means ", "fault ", "do ", "retry ", "more "] {
            let has = text.text().lines().any(|line| line.starts_with(label));
            assert!(has, "{given}: {label}");
        }
    }
}

#[test]
fn what_is_not_an_error_is_told_with_the_reason() {
    let cases: Vec<(&str, &str)> = cases(CASES, "not explained");
    for (given, why) in cases {
        let run = piped(given.as_bytes(), &[]);
        assert_eq!((run.status, run.stdout.len()), (2, 0), "{given}");
        let expected = "error: nothing to explain: ";
        assert!(run.stderr.starts_with(expected), "{given}: {}", run.stderr);
        assert!(run.stderr.contains(why), "{given}: {}", run.stderr);
        assert_eq!(run.stderr.lines().count(), 1, "{given}: {}", run.stderr);
        let json = piped(given.as_bytes(), &["--json"]).error_json();
        assert_eq!(json["error"]["kind"], "usage", "{given}");
    }
}

#[test]
fn an_error_can_be_an_argument_of_several_words() {
    let alone = run(&["explain", "-32042", "--json"]).succeeded().json();
    assert_eq!(alone["code"], -32042);
    let words = run(&["explain", "HTTP", "401", "--revision", "2025-11-25"]).succeeded();
    assert!(words.text().contains("Unauthorized"), "{}", words.text());
    // A number that is both a status and a code gets both explanations.
    let both = run(&["explain", "429", "--json"]).succeeded().json_lines();
    assert_eq!(both[0]["httpStatus"], 429);
    assert_eq!(both[1]["code"], 429);
    let slow =
        r#"{"success":false,"error":"Slow down.","code":"RATE_LIMIT_EXCEEDED","retry_after":60}"#;
    let slow = run(&["explain", slow, "--json"]).succeeded();
    assert!(
        slow.text().contains(r#""retryAfter":60,"#),
        "{}",
        slow.text()
    );
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    let file = run(&["explain", path]);
    let expected = format!("use `plainly explain < {path}`");
    assert!(file.stderr.contains(&expected), "{}", file.stderr);
}

#[test]
fn a_revision_tells_how_it_writes_the_same() {
    let missing = r#"{"code":-32021,"message":"no","data":{"requiredCapabilities":{}}}"#;
    for revision in REVISIONS {
        let told = run(&["explain", missing, "--revision", revision, "--json"]);
        let told = told.succeeded().json()["revision"].clone();
        let expected = match revision {
            "2026-07-28" => json!("2026-07-28 has this code"),
            _ => json!(format!(
                "{revision} does not have this code; there, plainly writes it as InvalidParams -32602"
            )),
        };
        assert_eq!(told, expected);
    }
    let old = run(&["explain", "-32002", "--revision", "2026-07-28"]).succeeded();
    assert!(
        old.text()
            .contains("plainly writes it as InvalidParams -32602"),
        "{}",
        old.text()
    );
}

#[test]
fn lines_of_json_are_explained_one_by_one() {
    let lines = "{\"uri\":\"a:b\"}\nwarning: not JSON\n{\"code\":-32601,\"message\":\"no\"}\n\
                 data: {\"code\":-32603,\"message\":\"no\"}\n";
    let explained = piped(lines.as_bytes(), &["--json"])
        .succeeded()
        .json_lines();
    let names: Vec<&Value> = explained.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["MethodNotFound -32601", "InternalError -32603"]);
}

#[test]
fn whatever_bytes_come_end_in_an_answer() {
    let deep = "[".repeat(100_000);
    let large = format!(
        "{{\"code\":-32603,\"message\":\"{}\"}}",
        "x".repeat(1 << 20)
    );
    let too_large = vec![b' '; (16 << 20) + 1];
    for (bytes, status) in [
        (&b"\xff\xfe\x00HTTP/1.1"[..], 2),
        (b"HTTP/1.1 \xff\xff\n\n", 2),
        (b"HTTP/1.1 99999 x\n\n", 2),
        (deep.as_bytes(), 2),
        (large.as_bytes(), 0),
        (&too_large, 2),
    ] {
        let run = piped(bytes, &[]);
        assert_eq!(run.status, status, "{}", run.stderr);
    }
    let escapes = piped(b"{\"code\":1,\"message\":\"\\u001b[2J\"}", &[]).succeeded();
    assert!(!escapes.text().contains('\u{1b}'), "{}", escapes.text());
}

#[test]
fn all_codes_are_listed_as_fields_or_as_objects() {
    let text = run(&["explain", "--list"]).succeeded();
    let listed = run(&["explain", "--list", "--json"]).succeeded();
    let objects = listed.json_lines();
    assert_eq!(text.text().lines().count(), objects.len());
    for (line, object) in text.text().lines().zip(&objects) {
        let fields: Vec<_> = line.split('\t').collect();
        assert_eq!(fields.len(), 5, "{line}");
        assert_eq!(fields[0], object["code"].to_string());
        assert_eq!(fields[1], object["name"]);
        assert_ne!(object["advice"], "");
    }
    let problems = objects.iter().filter(|it| it["kind"] == "problem");
    assert_eq!(problems.count(), 29);
    // The old code for missing resources is only for pinned clients.
    let old = objects.iter().find(|it| it["code"] == -32002).unwrap();
    let allowed = json!({"uniform": [], "perRevision": REVISIONS[..4]});
    assert_eq!(old["mayEmit"], allowed);
    assert_eq!(run(&["explain", "--list", "-32002"]).status, 2);
}

#[test]
fn each_condition_is_listed_as_the_revision_writes_it() {
    let codes = |revision: &str, condition: &str| -> Vec<i64> {
        let listed = run(&["explain", "--list", "--revision", revision]).succeeded();
        let rows = listed.text().lines().map(|line| line.split('\t'));
        rows.map(Iterator::collect::<Vec<_>>)
            .filter(|row| row.last().is_some_and(|it| it.contains(condition)))
            .map(|row| row[0].parse().unwrap())
            .collect()
    };
    for (condition, written) in [
        ("visit a URL", [-32603, -32603, -32603, -32042, -32603]),
        (
            "lacks a capability",
            [-32602, -32602, -32602, -32602, -32021],
        ),
    ] {
        for (revision, code) in REVISIONS.into_iter().zip(written) {
            let found = codes(revision, condition);
            assert_eq!(found, [code], "{revision}: {condition}");
        }
    }
    let expected = [-32602, -32002];
    assert_eq!(codes("2025-11-25", "resource does not exist"), expected);
    assert!(codes("2025-11-25", "headers contradict").is_empty());
}
