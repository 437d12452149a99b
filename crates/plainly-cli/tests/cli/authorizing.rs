//! Tests tokens: their sources, their destinations, and the errors when a server rejects them.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::fake::fake;
use crate::home::Home;
use crate::support::{Run, plainly, run};

/// A server that answers every request with this head, and passes on the header `Authorization`.
pub(crate) fn server(answer: &'static str) -> (String, Receiver<Option<String>>) {
    server_at("127.0.0.1:0", answer, answer)
}

/// Like `server`, at this address and with another answer to requests for metadata.
fn server_at(
    address: &str,
    answer: &'static str,
    metadata: &'static str,
) -> (String, Receiver<Option<String>>) {
    let listener = TcpListener::bind(address).unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let (told, tokens) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(&stream).lines().map_while(Result::ok);
            let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
            let mut values = head.iter().filter_map(|line| line.split_once(": "));
            let value = values.find(|(name, _)| name.eq_ignore_ascii_case("authorization"));
            if told.send(value.map(|(_, value)| value.to_owned())).is_err() {
                return;
            }
            let answer = match head.iter().any(|line| line.contains("/.well-known/")) {
                true => metadata,
                false => answer,
            };
            let answer =
                format!("HTTP/1.1 {answer}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _hung_up = stream.write_all(answer.as_bytes());
        }
    });
    (url, tokens)
}

const REFUSED: &str = "401 Unauthorized\r\nWWW-Authenticate: Bearer error=\"invalid_token\"";

/// The error for a token that was sent and rejected.
const TOLD: &str = "error: HTTP status 401 without an MCP reply to `server/discover`; the server rejected the token: \
                    invalid_token\n help: get a token for this server, and send it: --bearer @FILE, \
                    or --bearer env:NAME\n";

fn with_input(words: &[&str], input: &str) -> Run {
    let mut command = assert_cmd::Command::from_std(plainly());
    let output = command.args(words).write_stdin(input).output().unwrap();
    Run {
        status: output.status.code().unwrap(),
        stdout: output.stdout,
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_token_comes_from_a_file_a_variable_standard_input_or_the_command_line() {
    let (url, tokens) = server(REFUSED);
    let home = Home::new();
    home.project("token", "\n s3cret-of-a-file \n");
    let token = || tokens.recv().unwrap().unwrap();
    home.run(&["ls", &url, "--bearer", "@token"])
        .failed(7, TOLD);
    assert_eq!(token(), "Bearer s3cret-of-a-file");
    let path = home.path().to_str().unwrap();
    home.run(&["ls", &url, "--bearer=env:HOME"]).failed(7, TOLD);
    assert_eq!(token(), format!("Bearer {path}"));
    with_input(&["ls", &url, "--bearer", "@-"], "s3cret-of-input\nmore\n").failed(7, TOLD);
    assert_eq!(token(), "Bearer s3cret-of-input");
    let seen = "warning: all users of this machine can see a token on the command line: use --bearer @FILE or --bearer env:NAME\n";
    home.run(&["tools", &url, "--bearer", "s3cret-itself"])
        .failed(7, &format!("{seen}{TOLD}"));
    assert_eq!(token(), "Bearer s3cret-itself");
}

#[test]
fn a_token_that_is_not_there_is_a_mistake_and_nothing_of_another_is_told() {
    let (url, tokens) = server(REFUSED);
    let home = Home::new();
    home.project("empty", " \n");
    home.project("two", "s3cret s3cret\n");
    for (given, status, told) in [
        ("@missing", 2, "error: cannot read missing: "),
        ("@", 2, "error: cannot read : "),
        ("@empty", 2, "error: --bearer: the file empty is empty\n"),
        (
            "env:",
            2,
            "error: --bearer: the variable  is not set, or is not text\n",
        ),
        (
            "env:NOT_SET",
            2,
            "error: --bearer: the variable NOT_SET is not set, or is not text\n",
        ),
        ("@-", 2, "error: --bearer: standard input is empty\n"),
        (
            "@two",
            7,
            "error: invalid token in this client's settings: it contains a space; give it alone, without \
             `Bearer` before it\n help: give the token exactly as it was issued, alone and whole\n",
        ),
    ] {
        let refused = home.run(&["ls", &url, "--bearer", given]);
        assert_eq!(refused.status, status, "{given}: {}", refused.stderr);
        assert!(
            refused.stderr.starts_with(told),
            "{given}: {}",
            refused.stderr
        );
        assert!(
            !refused.stderr.contains("s3cret"),
            "{given}: {}",
            refused.stderr
        );
    }
    let empty = home.run(&["ls", &url, "--bearer", ""]);
    assert_eq!(empty.status, 2);
    assert!(
        empty
            .stderr
            .ends_with("error: --bearer: the token is empty\n"),
        "{}",
        empty.stderr
    );
    assert!(tokens.try_recv().is_err());
}

#[test]
fn a_token_is_given_once() {
    let (url, tokens) = server(REFUSED);
    let home = Home::new();
    home.project("token", "s3cret");
    home.project("headers", "AUTHORIZATION: s3cret");
    for header in ["Authorization: s3cret", "authorization: s3cret", "@headers"] {
        let both = home.run(&["ls", &url, "--bearer", "@token", "--header", header]);
        assert_eq!(both.status, 2, "{}", both.stderr);
        let told = "--bearer is sent in the header Authorization: leave out one of the two";
        assert!(both.stderr.contains(told), "{}", both.stderr);
        assert!(!both.stderr.contains("s3cret"), "{}", both.stderr);
    }
    let with_user = url.replace("http://", "http://anna:s3cret@");
    let both = home.run(&["ls", &with_user, "--bearer", "@token"]);
    assert_eq!(both.status, 2, "{}", both.stderr);
    assert!(!both.stderr.contains("s3cret"), "{}", both.stderr);
    assert!(tokens.try_recv().is_err());
    // A token in a host's file is allowed with options.
    let servers = serde_json::json!({ "servers": { "s": {
        "type": "http", "url": url, "headers": { "Authorization": "Bearer of-the-host", "X-Own": "1" }
    } } });
    home.allowed(".vscode/mcp.json", &servers.to_string());
    home.run(&["ls", "s", "--bearer", "@token"]).failed(7, TOLD);
    assert_eq!(tokens.recv().unwrap().unwrap(), "Bearer s3cret");
    home.run(&["ls", "s"]).failed(7, TOLD);
    assert_eq!(tokens.recv().unwrap().unwrap(), "Bearer of-the-host");
}

#[test]
fn who_is_not_let_in_is_told_so_by_the_status() {
    for (answer, status) in [
        ("401 Unauthorized", 7),
        ("403 Forbidden", 7),
        (
            "403 Forbidden\r\nWWW-Authenticate: Bearer error=insufficient_scope, scope=a",
            7,
        ),
        ("407 Proxy Authentication Required", 3),
        ("404 Not Found", 3),
    ] {
        for words in [
            &["ls"][..],
            &["call", "tool"],
            &["read", "a:b"],
            &["discover"],
            &["watch"],
        ] {
            let (url, _tokens) = server(answer);
            let (command, rest) = words.split_first().unwrap();
            let words = [&[command, &*url, "--json"][..], rest].concat();
            let refused = run(&words);
            assert_eq!(refused.status, status, "{words:?}: {}", refused.stderr);
            let kind = refused.error_json()["error"]["kind"].clone();
            assert_eq!(kind == "unauthorized", status == 7);
        }
    }
}

#[test]
fn a_server_whose_metadata_fails_is_said_to_want_a_token() {
    let (url, _tokens) = server_at(
        "127.0.0.1:0",
        "401 Unauthorized",
        "500 Internal Server Error",
    );
    let refused = run(&["ls", &url]);
    assert_eq!(refused.status, 7, "{}", refused.stderr);
    for told in [
        "the server requires a login",
        "HTTP status 500",
        "--bearer @FILE",
    ] {
        assert!(refused.stderr.contains(told), "{told}: {}", refused.stderr);
    }
}

#[cfg(unix)]
#[test]
fn no_token_is_sent_unencrypted_to_another_machine_without_leave() {
    // This address reaches this machine, but might belong to any other.
    let (url, tokens) = server_at("0.0.0.0:0", REFUSED, REFUSED);
    let home = Home::new();
    home.project("token", "s3cret");
    let of_user = url.replace("http://", "http://user:s3cret@");
    let told = format!(
        "error: credentials not sent to {url}: the connection is not encrypted\n \
         help: use a URL that begins with https; in a network that you trust, \
         `--allow-plaintext-token` allows it\n"
    );
    for (words, sent) in [
        (&["ls", &*url, "--bearer", "@token"][..], "Bearer s3cret"),
        (
            &["ls", &url, "--header", "Authorization: Bearer s3cret"],
            "Bearer s3cret",
        ),
        (&["ls", &of_user], "Basic dXNlcjpzM2NyZXQ="),
    ] {
        home.run(words).failed(7, &told);
        assert!(tokens.try_recv().is_err(), "{words:?}");
        let allowed = home.run(&[words, &["--allow-plaintext-token"]].concat());
        assert_eq!(allowed.status, 7, "{words:?}");
        assert_eq!(tokens.recv().unwrap().unwrap(), sent, "{words:?}");
    }
}

#[test]
fn a_token_is_in_no_trace_no_recording_and_no_log() {
    let (url, tokens) = server(REFUSED);
    let home = Home::new();
    let token = home.project("token", "x-s3cret");
    for given in ["@token", "x-s3cret"] {
        let words = [
            "ls",
            &url,
            "--bearer",
            given,
            "--trace=full",
            "--record",
            "session.jsonl",
        ];
        let traced = home.run(&[&words[..], &["--log", "trace"]].concat());
        assert_eq!(tokens.recv().unwrap().unwrap(), "Bearer x-s3cret");
        let kept = std::fs::read_to_string(token.with_file_name("session.jsonl")).unwrap();
        assert!(
            traced.stderr.contains("authorization: ***"),
            "{}",
            traced.stderr
        );
        for text in [&traced.stderr, &kept] {
            assert!(!text.contains("s3cret"), "{text}");
        }
    }
}

/// A server that repeats what a client has sent.
fn repeating(method: &str, _params: &Value) -> Value {
    let message = "who is t0ken-of-mine?";
    let (code, data) = match method {
        // The text is so long that its middle is cut out, starting inside the token.
        "tools/list" => {
            let url = format!("https://a.example/?t={}t0ken-of-mine{0}", "x".repeat(2_015));
            let one = json!({ "mode": "url", "elicitationId": "1", "url": url, "message": "m" });
            (-32042, json!({ "elicitations": [one] }))
        }
        "prompts/list" => (
            429,
            json!({ "code": "RATE_LIMIT_EXCEEDED", "suggestion": "Renew t0ken-of-mine." }),
        ),
        _ => (-32600, json!({ "was": "Bearer t0ken-of-mine" })),
    };
    json!({ "error": { "code": code, "message": message, "data": data } })
}

#[test]
fn a_token_that_a_server_repeats_is_in_no_error() {
    let url = fake(repeating);
    for given in [
        ["--bearer", "t0ken-of-mine"],
        ["--header", "Authorization: Bearer t0ken-of-mine"],
        ["--header", "X-Api-Key: t0ken-of-mine"],
    ] {
        for format in [&[][..], &["--json"]] {
            let failed = run(&[&["ls", &url], &given[..], format].concat());
            assert_eq!(failed.status, 6, "{}", failed.stderr);
            assert!(failed.stderr.contains("who is ***?"), "{}", failed.stderr);
            assert!(!failed.stderr.contains("t0ken"), "{}", failed.stderr);
        }
    }
    for (command, help) in [
        ("tools", "help: open https://a.example/?t=xxx"),
        ("prompts", "help: Renew ***"),
    ] {
        let failed = run(&[command, &url, "--bearer", "t0ken-of-mine"]);
        assert!(failed.stderr.contains(help), "{}", failed.stderr);
        assert!(!failed.stderr.contains("t0k"), "{}", failed.stderr);
    }
    // A text that was not sent is not masked.
    assert!(run(&["ls", &url]).stderr.contains("who is t0ken-of-mine?"));
}
