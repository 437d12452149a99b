//! Tests exit statuses, and the texts of their errors.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::json;

use crate::support::{Docs, Serving, of, plainly, run, toolbox};

/// A URL where no server listens.
fn nobody() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    format!("http://{}/mcp", listener.local_addr().unwrap())
}

/// A web server that does not support MCP.
fn other() -> String {
    answering("404 Not Found")
}

/// A web server that answers every request with this status and these headers.
fn answering(head: &'static str) -> String {
    answering_with(head, "no page")
}

fn answering_with(head: &'static str, body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 64 << 10]);
            let length = body.len();
            let page = format!(
                "HTTP/1.1 {head}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            let _ = stream.write_all(page.as_bytes());
        }
    });
    format!("http://{address}/mcp")
}

#[test]
fn no_server_has_its_own_status() {
    for url in [nobody(), other()] {
        for command in [
            &["discover", &url][..],
            &["ls", &url],
            &["read", &url, "a:b"],
        ] {
            let run = run(command);
            assert_eq!(run.status, 3, "{}", run.stderr);
            let [error, help] = run.stderr.lines().collect::<Vec<_>>()[..] else {
                panic!("{}", run.stderr);
            };
            assert!(error.starts_with("error: "), "{}", run.stderr);
            assert!(help.starts_with(" help: "), "{}", run.stderr);
        }
    }
    let missing = run(&["read", "a:b", "--", "/no/such/program"]);
    assert_eq!(missing.status, 3, "{}", missing.stderr);
    let expected = "error: cannot start \"/no/such/program\": ";
    assert!(missing.stderr.starts_with(expected));
}

#[test]
fn what_a_server_says_beside_a_status_is_told() {
    let head = "503 Service Unavailable\r\nRetry-After: 30\r\nContent-Type: application/json";
    let error =
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"The index is being built"}}"#;
    let run = run(&["ls", &answering_with(head, error)]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    for words in ["503", "try again in 30 seconds", "The index is being built"] {
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

#[test]
fn a_status_is_told_with_what_to_do() {
    for (head, help) in [
        ("407 Proxy Authentication Required", "give the proxy"),
        ("404 Not Found", "which is often /mcp"),
        (
            "429 Too Many Requests\r\nRetry-After: 30",
            "wait 30 seconds",
        ),
        (
            "307 Temporary Redirect\r\nLocation: https://b.example/mcp",
            "use the URL https://b.example/mcp",
        ),
        ("502 Bad Gateway", "wait until the server is back"),
        (
            "200 OK\r\nContent-Type: text/html",
            "the path of its URL is often /mcp",
        ),
    ] {
        let run = run(&["ls", &answering(head)]);
        assert_eq!(run.status, 3, "{}", run.stderr);
        let last = run.stderr.lines().last().unwrap();
        assert!(last.starts_with(" help: "), "{}", run.stderr);
        assert!(last.contains(help), "{}", run.stderr);
    }
}

#[test]
fn what_knows_no_opening_is_no_server() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let elsewhere = server.url.replace("/mcp", "/elsewhere");
    let wrong_path = run(&["ls", &elsewhere, "--json"]);
    assert_eq!(wrong_path.status, 3, "{}", wrong_path.stderr);
    let error = &wrong_path.error_json()["error"];
    let expected = (&json!("peer"), &json!("unreachable"));
    assert_eq!((&error["from"], &error["kind"]), expected);
    #[cfg(unix)]
    assert_eq!(run(&["ls", "--", "cat"]).status, 3);
}

#[test]
fn a_server_that_is_silent_is_waited_for_no_longer_than_asked() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    assert_eq!(run(&["ls", &url, "--timeout", "0.2"]).status, 3);
}

#[test]
fn a_server_that_is_not_there_is_named_with_the_reason() {
    let url = nobody();
    let run = run(&["ls", &url]);
    let expected = format!("error: cannot reach {url}: ");
    assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
    let error = run.stderr.lines().next().unwrap();
    assert!(error.len() < url.len() + 80, "{}", run.stderr);
}

#[test]
fn a_server_without_tls_is_to_be_tried_without() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let run = run(&["ls", &server.url.replace("http://", "https://")]);
    assert_eq!(run.status, 3, "{}", run.stderr);
    let advice = format!(": the server does not use TLS\n help: use {}\n", server.url);
    assert!(run.stderr.ends_with(&advice), "{}", run.stderr);
}

#[test]
fn errors_of_this_side_have_no_code() {
    let run = run(&["ls", &nobody(), "--json"]);
    let error = run.error_json();
    assert_eq!(run.status, 3);
    let expected = (&json!("local"), &json!("unreachable"));
    assert_eq!((&error["error"]["from"], &error["error"]["kind"]), expected);
    assert!(error["error"].get("code").is_none());
}

#[test]
fn a_revision_that_the_server_does_not_speak_is_not_replaced() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let run = run(&["ls", &server.url, "--revision", "2023-01-01"]);
    assert_eq!(run.status, 2);
    let expected = "[possible values: 2024-11-05, ";
    assert!(run.stderr.contains(expected), "{}", run.stderr);
}

#[test]
fn a_wrong_command_line_sends_nothing() {
    let child = toolbox().to_str().unwrap().to_owned();
    for words in [
        &[][..],
        &["serve"],
        &["serve", ".", "--stdio", "--http", "127.0.0.1:0"],
        &["serve", ".", "--max-file-size", "large"],
        &["serve", "/no/such/directory"],
        &["serve", "a=.", "a=src"],
        &["serve", ".", "--allow-host", "http://a.example"],
        &["serve", ".", "--allow-origin", "a.example"],
        &["ls"],
        &["ls", "not a URL"],
        &["ls", "ftp://127.0.0.1/"],
        &["ls", "http://127.0.0.1:1/", "a:b", "c:d"],
        &["ls", "--"],
        &["read", "http://127.0.0.1:1/"],
        &["read", "--", &child],
        &["call", "http://127.0.0.1:1/", "tool", "no-argument"],
        &["call", "http://127.0.0.1:1/", "tool", "a=@/no/such/file"],
        &["call", "http://127.0.0.1:1/", "tool", "a:=no-json"],
        &["call", "http://127.0.0.1:1/", "tool", "--args", "[]"],
        &["ls", "http://127.0.0.1:1/", "--header", "no header"],
        &["ls", "http://127.0.0.1:1/", "--header", "Mcp-Method: x"],
        &["ls", "--header", "a: b", "--", &child],
        &["ls", "http://127.0.0.1:1/", "--timeout", "0"],
        &["completions", "powershell"],
        &["no-such-command"],
    ] {
        let run = run(words);
        assert_eq!(run.status, 2, "{words:?}: {}", run.stderr);
        assert_eq!(run.stdout, b"", "{words:?}");
        assert_ne!(run.stderr, "", "{words:?}");
    }
}

#[test]
fn what_would_be_right_is_said() {
    let url = "http://127.0.0.1:1/";
    #[rustfmt::skip]
    let cases = [
        (&["ls", "127.0.0.1:3333/mcp"][..], "did you mean http://127.0.0.1:3333/mcp?"),
        (&["ls", "./mine"], "`-- plainly serve ./mine --stdio`"),
        (&["ls", "--", "plainly", "serve", "mine"], "--stdio"),
        (&["call", url, "tool", "a:=b"], "for text, use a=b"),
        (
            &["ls", url, "--header", "Accept: */*"],
            "header \"Accept\" can't be set: the transport decides which types it accepts",
        ),
        (&["serve", "mine="], "the path after = is missing"),
        (&["serve", "=mine"], "the name before = is missing"),
        (&["serve", ".", "--http", "3334"], "such as 127.0.0.1:3334 or localhost:3334"),
        (&["call", url, "tool", "--args", "[1]"], "it is a list: use an object"),
        (&["call", url, "tool", "--args", "x"], "at character 1 (x): expected a value"),
        (&["call", url, "tool", "a:=NaN"], "(NaN): expected a value"),
        (&["call", "tool", "a=b", url], "first: `plainly call http://127.0.0.1:1/ tool …`"),
        (&["call", "tool", "a=b"], "the server comes first, as a URL"),
        (&["call", url, "a=b"], "<TOOL> comes before its arguments"),
        (&["call", url, "tool", "--", "server"], "not both"),
        (&["task", "get", url, "--", "server"], "not both"),
        (&["read", "file:///a", url], "first: `plainly read http://127.0.0.1:1/ file:///a`"),
        (&["read", "file:///a"], "the URI of a resource comes after it"),
        (&["call", url, "tool", "--args", "@/no/such/file"], "cannot read the file \"/no/such/file\": No such"),
        (&["call", url, "tool", "a=@ada"], "for text that starts with @, use a=@@ada"),
        (&["call", url, "tool", "--pattern", "b"], "tip: arguments are written pattern=TEXT"),
        (&["call", url, "tool", "{\"a\":1}"], "use --args '{\"a\":1}'"),
        (&["call", url, "tool", "=b"], "before =b is missing: use key=b"),
        (&["prompt", url, "greet", "a:=1"], "always text: use a=1"),
        (&["call", url], "<TOOL> is missing: `plainly tools` lists"),
        (&["read"], "<TARGET> is missing: the URL of a server or its name, or else its command"),
        (&["login"], "<TARGET> is missing: the URL of a server or its name\n"),
        (&["serve", ""], "name a directory or file, such as . for this directory"),
        (&["serve", "http://a.example/mcp"], "such as `plainly ls http://a.example/mcp`"),
        (&["explain", "-32602: no"], "tip: to pass '-3' as a value, use '-- -3'"),
        (&["tools", "npx -y server"], "`plainly tools -- npx -y server`"),
        (&["ls", url, "--timeout", "-1"], "it must be more than 0"),
        (&["ls", url, "--timeout", "1h"], "without a unit: 3600"),
        (&["ls", url, "--limit", "0"], "a whole number from 1"),
        (&["serve", ".", "--public-url", "x"], "such as https://docs.example.com/mcp"),
        (&["serve", ".", "--http", "host.invalid:80"], "names are not looked up: use an address with a port, such as 127.0.0.1:80"),
        (&["serve", ".", "--http", "127.0.0.1:99999"], "a port is at most 65535"),
        (&["install", "cursor", "", "--", "sh"], "a value is required for '[NAME]...'"),
        (&["ls", url, "--header", "a: b\u{1}"], "the control character '\\u{1}'"),
        (&["ls", url, "--insecure"], "use '--cacert FILE'"),
        (&["call", url, "tool", "-v"], "use '--trace', or '--log debug'"),
        (&["ls", "/bin/sh"], "use `plainly ls -- /bin/sh`"),
        // This word is forgotten most often.
        (&["tools", "sh", "-y", "foo"], "comes after '--': plainly tools -- sh -y foo"),
        (&["tools", "--timeout", "5", "sh", "-y"], "comes after '--': plainly tools --timeout 5 -- sh -y"),
        (&["tools", "sh", "foo"], "to start a server, use `plainly tools -- sh foo`"),
        (&["call", "sh", "/x y", "tool"], "to start a server, use `plainly call -- sh '/x y' tool`"),
        (&["install", "cursor", "sh", "-y", "foo"], "comes after '--': plainly install cursor -- sh -y foo"),
        (&["install", "cursor", "sh", "foo"], "comes after --: -- sh foo"),
        (&["serve", ".", "--port", "8080"], "the address is one option: '--http 127.0.0.1:PORT'"),
        (&["."], "to serve this directory: 'plainly serve .'"),
        (&[url], "a command comes first: 'plainly discover http://127.0.0.1:1/'"),
        (&["--time", "ls", url], "options come after the command: 'plainly ls … --time'"),
        (&["ls", url, "--header", "Bearer s3cret"], "'Authorization: Bearer TOKEN'"),
    ];
    for (words, advice) in cases {
        let run = run(words);
        assert_eq!(run.status, 2, "{words:?}: {}", run.stderr);
        assert!(run.stderr.contains(advice), "{words:?}: {}", run.stderr);
        // These are texts of the JSON parser, and of the command line parser.
        #[rustfmt::skip]
        let foreign = [
            "line 1 column", "EOF", "expected value", "expected ident", "expected `", "trailing",
            "s3cret", "-- --",
        ];
        for foreign in foreign {
            assert!(!run.stderr.contains(foreign), "{words:?}: {}", run.stderr);
        }
    }
    let quoted = run(&["ls", "--", "plainly serve mine --stdio"]);
    assert_eq!(quoted.status, 3);
    let expected = "without quotes";
    assert!(quoted.stderr.contains(expected), "{}", quoted.stderr);
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let path = run(&["read", &server.url, "docs/kitchen.md"]).stderr;
    assert!(path.contains("as in file:///docs/kitchen.md"), "{path}");
    let slash = run(&["ls", &format!("{}/", server.url)]).stderr;
    assert!(slash.contains("it is at /mcp"), "{slash}");
}

#[test]
fn a_wrong_command_line_is_told_in_json_to_those_who_read_json() {
    let url = "http://127.0.0.1:1/";
    #[rustfmt::skip]
    let cases = [
        (&["ls", "--json"][..], "<TARGET> is missing"),
        (&["ls", "--json", url, "a:b", "c:d"], "unexpected argument 'c:d' found"),
        (&["ls", url, "-x", "--json"], "unexpected argument '-x' found"),
        (&["ls", url, "--no-such", "--json"], "unexpected argument '--no-such' found"),
        (&["--json", "no-such-command"], "unexpected argument '--json' found"),
        (&["call", url, "tool", "--json", "--args", "[]"], "invalid value '[]' for '--args <JSON>': "),
        (&["completions", "--json"], "unexpected argument '--json' found"),
    ];
    for (words, message) in cases {
        let run = run(words);
        assert_eq!((run.status, &*run.stdout), (2, &b""[..]), "{words:?}");
        let error = &run.error_json()["error"];
        let expected = (&json!("local"), &json!("usage"));
        assert_eq!((&error["from"], &error["kind"]), expected);
        let said = error["message"].as_str().unwrap();
        assert!(said.starts_with(message), "{words:?}: {said}");
    }
    // Here, the option belongs to the server's command.
    let other = run(&["ls", "--no-such", "--", "server", "--json"]);
    assert!(other.stderr.starts_with("error: "), "{}", other.stderr);
    assert!(
        run(&["ls", "--json", "--help"])
            .succeeded()
            .text()
            .contains("Examples:")
    );
}

#[test]
fn help_has_examples_and_the_exit_statuses() {
    let help = run(&["--help"]).succeeded();
    let expected = "    4  the server has no such resource\n";
    assert!(help.text().contains(expected), "{}", help.text());
    for command in [
        "serve",
        "discover",
        "ls",
        "stat",
        "read",
        "tools",
        "call",
        "completions",
    ] {
        let help = run(&[command, "--help"]).succeeded();
        let expected = format!("Examples:\n  plainly {command} ");
        assert!(help.text().contains(&expected), "{}", help.text());
    }
    let asked = run(&["help", "ls"]).succeeded();
    assert_eq!(asked.text(), run(&["ls", "--help"]).succeeded().text());
    let version = run(&["--version"]).succeeded();
    let found = version.text();
    assert_eq!(found, concat!("plainly ", env!("CARGO_PKG_VERSION"), "\n"));
    for (installed, expected) in [("", json!(null)), ("npm", json!("npm"))] {
        let mut command = plainly();
        command.env("PLAINLY_INSTALLED", installed);
        command.args(["--version", "--json"]);
        let found = of(command).succeeded().json();
        assert_eq!(found["version"], env!("CARGO_PKG_VERSION"));
        assert_eq!(found["revision"], "2026-07-28");
        assert_eq!(found["installed"], expected);
        let target = found["target"].as_str().unwrap();
        assert!(target.starts_with(std::env::consts::ARCH), "{target}");
    }
}

#[test]
fn logs_are_asked_for_and_stay_out_of_the_output() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let quiet = run(&["ls", &server.url]).succeeded();
    let loud = run(&["ls", &server.url, "--log", "trace"]);
    assert_eq!(loud.stdout, quiet.stdout);
    assert!(
        loud.stderr.contains(" TRACE ") || loud.stderr.contains(" DEBUG "),
        "{}",
        loud.stderr
    );
    for wrong in ["=loud=", "nonsense"] {
        assert_eq!(run(&["ls", &server.url, "--log", wrong]).status, 2);
    }
}

#[cfg(unix)]
#[test]
fn a_server_that_writes_rubbish_too_is_complained_about_once() {
    let docs = Docs::new();
    let script = "for n in 1 2 3 4 5; do echo rubbish $n; done; exec \"$0\" serve \"$1\" --stdio";
    let server = [
        "--",
        "sh",
        "-c",
        script,
        crate::support::PLAINLY,
        docs.str(),
    ];
    let listed = run(&[&["ls"][..], &server].concat());
    assert_eq!(
        (listed.status, listed.stderr.lines().count()),
        (0, 1),
        "{}",
        listed.stderr
    );
    assert!(listed.stderr.contains("lines: 5"), "{}", listed.stderr);
    let debugged = run(&[&["ls", "--log", "debug"][..], &server].concat());
    assert!(debugged.stderr.contains("rubbish 3"), "{}", debugged.stderr);
}

#[test]
fn every_command_has_a_man_page() {
    let docs = Docs::new();
    let pages = docs.path.join("man/man1");
    run(&["man", pages.to_str().unwrap()]).succeeded();
    for (name, told) in [("plainly", "Exit status"), ("plainly-call", "pattern=mcp")] {
        let page = std::fs::read_to_string(pages.join(name).with_extension("1")).unwrap();
        assert!(page.contains(told), "{page}");
    }
    let refused = run(&["man", "/dev/null/man1"]);
    assert_eq!(refused.status, 1);
    let told = "error: cannot write /dev/null/man1: ";
    assert!(refused.stderr.starts_with(told), "{}", refused.stderr);
}
