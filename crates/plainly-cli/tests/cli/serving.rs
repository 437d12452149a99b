//! Tests `serve` for the user who starts it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{Docs, PATIENCE, PLAINLY, Serving, get, plainly, run};

/// Waits for the end of the process, with a time limit.
pub(crate) fn status(child: &mut Child) -> Option<i32> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        assert!(start.elapsed() < PATIENCE, "it did not end");
        std::thread::yield_now();
    }
}

/// The lines that the process writes to standard error.
fn stderr_lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let stderr = BufReader::new(child.stderr.take().unwrap());
    stderr.lines().map(Result::unwrap)
}

#[test]
fn a_configuration_for_hosts_is_printed_and_true() {
    let docs = Docs::new();
    let mut child = plainly()
        .args(["serve", docs.str(), "--http", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = stderr_lines(&mut child);
    let first = lines.next().unwrap();
    let url = first.strip_prefix("serving file:///docs at ").unwrap();
    let json: String = lines
        .skip_while(|line| line != "{")
        .take_while(|line| !line.is_empty())
        .collect();
    assert_eq!(
        serde_json::from_str::<Value>(&json).unwrap(),
        json!({ "mcpServers": { "docs": { "type": "http", "url": url } } })
    );
    run(&["discover", url]).succeeded();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut stdout = String::new();
    child.stdout.unwrap().read_to_string(&mut stdout).unwrap();
    assert_eq!(stdout, "");
}

#[test]
fn who_is_turned_away_is_told_once_with_what_would_let_them_in() {
    let docs = Docs::new();
    let mut child = plainly()
        .args(["serve", docs.str(), "--http", "127.0.0.1:0"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    stderr.read_line(&mut said).unwrap();
    let (_, address) = said.split_once("http://").unwrap();
    let address = address.trim_end().trim_end_matches("/mcp");
    let own = format!("Host: {address}\r\n");
    for headers in [
        "Host: docs.example.com:8443\r\n".to_owned(),
        "Host: docs.example.com:8443\r\n".to_owned(),
        format!("{own}Origin: https://app.example.com\r\n"),
        format!("{own}Origin: https://app.example.com\r\n"),
        format!("{own}Origin: null\r\n"),
        own,
    ] {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("POST /mcp HTTP/1.1\r\n{headers}Content-Length: 0\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = [0; 9];
        stream.read_exact(&mut answer).unwrap();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    let warnings: Vec<_> = said.lines().filter(|line| line.contains("WARN")).collect();
    assert_eq!(warnings.len(), 2, "{said}");
    assert!(warnings[0].contains("--allow-host") && warnings[0].contains("docs.example.com:8443"));
    assert!(
        warnings[1].contains("--allow-origin") && warnings[1].contains("https://app.example.com")
    );
}

#[cfg(unix)]
#[test]
fn a_signal_ends_it_well_over_both_transports() {
    use rustix::process::{Pid, Signal, kill_process};

    let docs = Docs::new();
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut server = Serving::docs(&docs);
        run(&["ls", &server.url]).succeeded();
        kill_process(Pid::from_child(&server.child), signal).unwrap();
        assert_eq!(status(&mut server.child), Some(0));

        let mut child = plainly()
            .args(["serve", docs.str(), "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // The answer shows that the server runs and handles signals. Its input stays open.
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(b"not JSON\n").unwrap();
        let mut answer = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut answer)
            .unwrap();
        assert!(answer.contains("-32700"), "{answer}");
        kill_process(Pid::from_child(&child), signal).unwrap();
        assert_eq!(status(&mut child), Some(0));
    }
}

#[cfg(unix)]
#[test]
fn a_second_signal_does_not_wait_for_running_requests() {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, kill_process};

    let docs = Docs::new();
    let mut server = Serving::docs(&docs);
    let pid = Pid::from_child(&server.child);
    let address = server
        .url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp");
    let mut running = TcpStream::connect(address).unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
    );
    running.write_all(head.as_bytes()).unwrap();
    let mut answer = [0; 12];
    running.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, b"HTTP/1.1 100");
    let start = Instant::now();
    while server.child.try_wait().unwrap().is_none() {
        // Signals in quick succession can reach the process as one.
        kill_process(pid, Signal::TERM).unwrap();
        assert!(start.elapsed() < PATIENCE / 2, "it waits for the request");
    }
    // The process ends like one that does not handle the signal.
    let status = server.child.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn the_end_of_its_input_ends_it_well() {
    let docs = Docs::new();
    let mut child = plainly()
        .args(["serve", docs.str(), "--stdio"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin
        .write_all(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)
        .unwrap();
    stdin.write_all(b"\n").unwrap();
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let reply: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(reply["id"], 1);
    assert_eq!(
        (output.status.code(), output.stderr.as_slice()),
        (Some(0), &b""[..])
    );
}

#[test]
fn what_is_shown_can_be_chosen() {
    let docs = Docs::new();
    std::fs::write(docs.path.join(".gitignore"), "guide\n").unwrap();
    let listed = |options: &[&str]| {
        let words = [
            "ls",
            "file:///docs",
            "--",
            PLAINLY,
            "serve",
            docs.str(),
            "--stdio",
        ];
        run(&[&words[..], options].concat())
            .succeeded()
            .text()
            .lines()
            .count()
    };
    assert_eq!(listed(&[]), 2);
    assert_eq!(listed(&["--no-ignore"]), 3);
    assert_eq!(listed(&["--hidden"]), 4);
    assert_eq!(listed(&["--no-ignore", "--hidden"]), 5);
}

#[test]
fn a_file_beyond_the_limit_is_listed_and_not_read() {
    let docs = Docs::new();
    let read = |limit: &str| {
        let words = [
            "read",
            "file:///docs/all.bin",
            "--",
            PLAINLY,
            "serve",
            docs.str(),
            "--stdio",
        ];
        run(&[&words[..], &["--max-file-size", limit]].concat())
    };
    assert_eq!(read("256").succeeded().stdout.len(), 256);
    let refused = read("255");
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(refused.stderr.contains("256"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("--max-file-size"),
        "{}",
        refused.stderr
    );
}

#[test]
fn it_says_its_name() {
    let docs = Docs::new();
    let words = [
        "discover",
        "--json",
        "--",
        PLAINLY,
        "serve",
        docs.str(),
        "--stdio",
        "--name",
        "handbook",
    ];
    assert_eq!(
        run(&words).succeeded().json()["serverInfo"]["name"],
        "handbook"
    );
}

#[test]
fn it_is_not_opened_to_other_machines_unnamed() {
    let docs = Docs::new();
    let run = run(&["serve", docs.str(), "--http", "0.0.0.0:0"]);
    assert_eq!(run.status, 2);
    assert!(run.stderr.contains("--allow-host"), "{}", run.stderr);
}

#[test]
fn everything_wrong_with_the_directories_is_said_together() {
    let docs = Docs::new();
    let file = docs.path.join("intro.md/x");
    let run = run(&["serve", "/no/such/directory", file.to_str().unwrap()]);
    assert_eq!(run.status, 2);
    assert_eq!(
        run.stderr,
        format!(
            "error: cannot serve: no such file or directory: /no/such/directory; not a directory: {}\n",
            file.display()
        )
    );
}

#[test]
fn whom_it_refuses_and_why_is_logged_for_those_who_debug() {
    let docs = Docs::new();
    let mut child = plainly()
        .args(["serve", docs.str(), "--http", "127.0.0.1:0"])
        .args(["--log", "debug"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = stderr_lines(&mut child);
    let serving = lines.find(|line| line.starts_with("serving ")).unwrap();
    let (_, address) = serving
        .trim_end_matches("/mcp")
        .split_once("http://")
        .unwrap();
    for (path, host) in [("/mcp", "evil.example"), ("/elsewhere", address)] {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let refusal = lines.find(|line| line.contains("refused a message"));
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let body: Value = serde_json::from_str(body).unwrap();
        let message = body["error"]["message"].as_str().unwrap();
        // The log quotes texts like JSON.
        let quoted = json!(message).to_string();
        assert!(refusal.unwrap().contains(&quoted), "{quoted}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn a_directory_that_is_taken_for_another_is_told_how_to_be_given() {
    let docs = Docs::new();
    std::fs::create_dir(docs.path.join("a=b")).unwrap();
    for (word, hint) in [
        ("a=b", "; for a=b itself, write ./a=b\n"),
        (".:rw", "; for clients to change it, write NAME=.:rw\n"),
    ] {
        let output = plainly()
            .args(["serve", word, "--stdio"])
            .current_dir(&docs.path)
            .output()
            .unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.ends_with(hint), "{said}");
    }
}

#[test]
fn an_address_in_use_is_named() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let address = server
        .url
        .trim_start_matches("http://")
        .trim_end_matches("/mcp");
    let run = run(&["serve", docs.str(), "--http", address]);
    assert_eq!(run.status, 1);
    assert!(
        run.stderr.starts_with(&format!(
            "error: cannot serve HTTP at {address}: address in use; "
        )),
        "{}",
        run.stderr
    );
}

/// The answers of a server to modern requests, one by one.
fn answers(options: &[&str], requests: &[Value]) -> Vec<Value> {
    let lines: String = requests
        .iter()
        .map(|request| format!("{request}\n"))
        .collect();
    let mut command = plainly();
    command.arg("serve").arg("--stdio").args(options);
    let output = assert_cmd::Command::from_std(command)
        .write_stdin(lines)
        .timeout(PATIENCE)
        .unwrap();
    let text = str::from_utf8(&output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

#[test]
fn clients_may_keep_what_they_got_as_long_as_was_said() {
    let docs = Docs::new();
    for (options, ttl) in [(&[][..], 0), (&["--ttl", "2.5"], 2_500)] {
        let options = [&[docs.str()], options].concat();
        for request in [
            modern("resources/read", json!({"uri": "file:///docs/intro.md"})),
            modern("resources/list", json!({})),
            modern("resources/list", json!({"uri": "file:///docs"})),
        ] {
            let [answer] = &answers(&options, &[request])[..] else {
                panic!("one answer")
            };
            assert_eq!(answer["result"]["ttlMs"], ttl, "{answer}");
            assert_eq!(answer["result"]["cacheScope"], "private", "{answer}");
        }
    }
}

#[test]
fn servers_with_the_same_keys_continue_each_others_listings() {
    let docs = Docs::new();
    for number in 0..1_000 {
        std::fs::write(docs.path.join(format!("guide/{number}")), "").unwrap();
    }
    let [key, other, none] = ["key", "other", "none"].map(|name| docs.path.join(name));
    std::fs::write(&key, "5a".repeat(32)).unwrap();
    std::fs::write(&other, "a5".repeat(32)).unwrap();
    std::fs::write(&none, "5a").unwrap();
    let list = |key: &std::path::Path, cursor: Option<&Value>| {
        let mut params = json!({"uri": "file:///docs/guide"});
        if let Some(cursor) = cursor {
            params["cursor"] = cursor.clone();
        }
        let options = [docs.str(), "--key-file", key.to_str().unwrap()];
        answers(&options, &[modern("resources/list", params)]).remove(0)
    };
    let first = list(&key, None);
    let cursor = &first["result"]["nextCursor"];
    let second = list(&key, Some(cursor));
    let count = |answer: &Value| answer["result"]["resources"].as_array().map(Vec::len);
    assert_eq!((count(&first), count(&second)), (Some(1_000), Some(2)));
    let refused = list(&other, Some(cursor));
    assert_eq!(refused["error"]["data"]["kind"], "invalid_cursor");
    let path = none.to_str().unwrap();
    run(&["serve", docs.str(), "--key-file", path]).failed(
        2,
        &format!(
            "error: cannot serve: cannot use the keys in {path}: line 1 is not a key of 64 hexadecimal digits\n"
        ),
    );
}

#[test]
fn the_transport_of_2024_11_05_is_there_where_it_is_asked_for() {
    let docs = Docs::new();
    for (words, expected) in [
        (&["--sse"][..], "HTTP/1.1 200 OK"),
        (&[], "HTTP/1.1 404 Not Found"),
    ] {
        let mut command = plainly();
        command
            .args(["serve", docs.str(), "--http", "127.0.0.1:0"])
            .args(words);
        let server = Serving::start(command);
        let address = server
            .url
            .trim_start_matches("http://")
            .trim_end_matches("/mcp");
        let stream = TcpStream::connect(address).unwrap();
        let head =
            format!("GET /sse HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
        (&stream).write_all(head.as_bytes()).unwrap();
        let mut lines = BufReader::new(stream).lines().map(Result::unwrap);
        assert_eq!(lines.next().unwrap(), expected, "{words:?}");
        if !words.is_empty() {
            assert!(lines.any(|line| line == "event: endpoint"));
            let endpoint = lines.next().unwrap();
            assert!(
                endpoint.starts_with("data: /sse?session="),
                "{words:?} {endpoint}"
            );
        }
    }
}

#[test]
fn a_probe_is_answered_beside_the_endpoint() {
    let docs = Docs::new();
    let server = Serving::docs(&docs);
    let (head, body) = get(&server.url.replace("/mcp", "/healthz"));
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert_eq!(body, "");
}

#[cfg(unix)]
#[test]
fn a_server_that_drains_says_so_and_serves_on_until_it_is_told_again() {
    use std::os::unix::process::ExitStatusExt;

    use rustix::process::{Pid, Signal, kill_process};

    let docs = Docs::new();
    let mut command = plainly();
    command.args([
        "serve",
        docs.str(),
        "--http",
        "127.0.0.1:0",
        "--drain",
        "3600",
    ]);
    let mut server = Serving::start(command);
    let probe = || get(&server.url.replace("/mcp", "/readyz"));
    assert_eq!(probe().1, "ready\n");
    let pid = Pid::from_child(&server.child);
    kill_process(pid, Signal::TERM).unwrap();
    while probe().1 == "ready\n" {}
    assert!(probe().0.starts_with("HTTP/1.1 503 "));
    run(&["ls", &server.url]).succeeded();
    kill_process(pid, Signal::TERM).unwrap();
    let status = server.child.wait().unwrap();
    assert_eq!(status.signal(), Some(Signal::TERM.as_raw()));
}

#[test]
fn what_a_host_is_told_starts_this_very_server() {
    let docs = Docs::new();
    let mut command = plainly();
    command.current_dir(docs.path.join("guide"));
    // The mounts are neither in the order of their names nor in that of directories.
    command.args(["serve", "z=..", "a=.", "--hidden", "--ttl", "1.5"]);
    let told = command.args(["--print-config", "vscode"]).output().unwrap();
    assert!(told.status.success());
    assert_eq!(told.stderr, b".vscode/mcp.json in the workspace:\n");
    let config: Value = serde_json::from_slice(&told.stdout).unwrap();
    let server = &config["servers"]["z"];
    let args = server["args"].as_array().unwrap().iter();
    let args: Vec<&str> = args.map(|word| word.as_str().unwrap()).collect();
    let listed = run(&[
        &["ls", "--", server["command"].as_str().unwrap()][..],
        &args,
    ]
    .concat());
    let listed = listed.succeeded();
    for uri in ["file:///z/.hidden\n", "file:///a/one.md\n"] {
        assert!(listed.text().contains(uri), "{}", listed.text());
    }
}

/// The answer of a server with these options to `tools/list`.
fn listing(docs: &Docs, options: &[&str]) -> String {
    let mut child = plainly()
        .args(["serve", docs.str(), "--stdio"])
        .args(options)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let client = json!({ "name": "host", "version": "1" });
    let hello =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    let mut stdin = child.stdin.take().unwrap();
    for message in [
        json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }),
        json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
        json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/list" }),
    ] {
        writeln!(stdin, "{message}").unwrap();
    }
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let listing = lines.map(Result::unwrap).nth(1).unwrap();
    drop(stdin);
    assert_eq!(status(&mut child), Some(0));
    listing
}

/// The estimate is four bytes per token.
#[test]
fn the_tools_take_as_much_of_a_context_as_the_page_says_and_no_more() {
    let docs = Docs::new();
    let page = include_str!("../../../../docs/serve-reference.md");
    for (command, options, count, most) in [
        ("plainly serve", &[][..], 6, 1_800),
        ("plainly serve --tools two", &["--tools", "two"], 2, 750),
        ("plainly serve --write", &["--write"], 11, 2_800),
        (
            "plainly serve --write --tool-names filesystem",
            &["--write", "--tool-names", "filesystem"],
            14,
            1_900,
        ),
    ] {
        let listing = listing(&docs, options);
        let answer: Value = serde_json::from_str(&listing).unwrap();
        let tools = answer["result"]["tools"].as_array().unwrap();
        assert_eq!(tools.len(), count, "{command}");
        let tokens = listing.len().div_ceil(4);
        assert!(tokens <= most, "{command}: {tokens}");
        let row = format!("\n| `{command}` | {count} | {tokens} |\n");
        assert!(page.contains(&row), "{row}");
        let size = |key| {
            let schemas = tools.iter().map(|tool| tool[key].to_string().len());
            schemas.sum::<usize>()
        };
        assert!(size("outputSchema") <= size("inputSchema"), "{command}");
    }
}

#[test]
fn only_the_tools_that_are_named_are_offered() {
    let docs = Docs::new();
    let serve = ["--", PLAINLY, "serve", docs.str(), "--stdio"];
    let with = |words: &[&str], tools| run(&[words, &serve, &["--tools", tools]].concat());
    let named = with(&["tools", "--json"], "tree,stat_resource").succeeded();
    let names: Vec<Value> = named
        .json_lines()
        .iter()
        .map(|it| it["name"].clone())
        .collect();
    assert_eq!(names, ["tree", "stat_resource"]);
    // Two tools are enough to list the files and to read them.
    let listed = with(&["call", "search"], "two").succeeded();
    assert!(
        listed.text().contains("file:///docs/guide/\n"),
        "{}",
        listed.text()
    );
    let read = with(&["call", "read_resource", "uri=docs/guide/one.md"], "two");
    assert_eq!(read.succeeded().text(), "one\n");
    let told = run(&[
        "serve",
        docs.str(),
        "--tools",
        "two",
        "--print-config",
        "claude",
    ]);
    assert!(
        told.text().ends_with(" --tools search,read_resource\n"),
        "{}",
        told.text()
    );
    let wrong = run(&["serve", docs.str(), "--tools", "find"]);
    assert_eq!(wrong.status, 2);
}

#[test]
fn paths_of_this_machine_are_read_over_standard_input() {
    let docs = Docs::new();
    let uri = format!("uri={}/guide/one.md", docs.str());
    let serve = ["--", PLAINLY, "serve", docs.str(), "--stdio"];
    let read = run(&[&["call", "read_resource", &uri][..], &serve].concat());
    assert_eq!(read.succeeded().text(), "one\n");
}

#[test]
fn a_host_is_told_the_url_where_there_is_one() {
    let docs = Docs::new();
    let told = |options: &[&str]| run(&[&["serve", docs.str()], options].concat());
    let url = told(&["--http", "127.0.0.1:4444", "--print-config", "codex"]);
    let expected = "[mcp_servers.docs]\nurl = \"http://127.0.0.1:4444/mcp\"\n";
    assert_eq!((url.status, url.text()), (0, expected));
    told(&["--http", "127.0.0.1:0", "--print-config", "codex"]).failed(
        2,
        "error: a host must know the port: give --http an address with a fixed port\n",
    );
    let missing = run(&["serve", "/no/such", "--print-config", "zed"]);
    assert_eq!((missing.status, missing.text()), (2, ""));
}

#[test]
fn a_host_is_told_how_to_log_and_no_host_that_cannot_be_allowed() {
    let docs = Docs::new();
    let told = |options: &[&str]| {
        run(&[&["serve", docs.str(), "--print-config", "claude"], options].concat())
    };
    let logging = told(&["--log", "plainly=debug,warn", "--log-format", "json"]);
    let expected = " --stdio --log plainly=debug,warn --log-format json\n";
    assert!(logging.text().ends_with(expected), "{}", logging.text());
    for options in [
        &["--allow-host", "http://a.example"][..],
        &[
            "--allow-host",
            "http://a.example",
            "--http",
            "127.0.0.1:4444",
        ],
        &["--http", "0.0.0.0:4444"],
    ] {
        let refused = told(options);
        assert_eq!((refused.status, refused.text()), (2, ""), "{options:?}");
    }
}

#[test]
fn a_host_gets_a_key_for_a_server_that_wants_one() {
    let docs = Docs::new();
    let directory = tempfile::TempDir::new().unwrap();
    let keys = directory.path().join("keys.json");
    let keys = keys.to_str().unwrap();
    run(&["key", "new", "ada", "--file", keys]);
    for (host, header) in [
        (
            "claude",
            "http://127.0.0.1:3333/mcp --header 'Authorization: Bearer ${PLAINLY_KEY}'\n",
        ),
        ("cursor", "\"Authorization\": \"Bearer ${env:PLAINLY_KEY}\""),
        ("codex", "bearer_token_env_var = \"PLAINLY_KEY\""),
        ("zed", "\"Authorization\": \"Bearer PLAINLY_KEY\""),
    ] {
        // The host connects by URL even without --http, because standard input and output need no
        // key.
        let told = run(&[
            "serve",
            docs.str(),
            "--auth-keys",
            keys,
            "--print-config",
            host,
        ]);
        assert_eq!(told.status, 0, "{}", told.stderr);
        assert!(told.text().contains(header), "{host}: {}", told.text());
        assert!(told.stderr.contains("PLAINLY_KEY"), "{}", told.stderr);
    }
}

#[test]
fn skills_are_served_alone_and_one_that_breaks_a_rule_is_named_at_the_start() {
    let around = tempfile::tempdir().unwrap();
    let write = |name: &str, frontmatter: &str| {
        let directory = around.path().join(name);
        std::fs::create_dir(&directory).unwrap();
        let text = format!("---\n{frontmatter}\n---\n# {name}\n");
        std::fs::write(directory.join("SKILL.md"), text).unwrap();
    };
    write("mail", "name: mail\ndescription: How to write mail");
    write("broken", "name: other\ndescription: d");
    let mut child = plainly()
        .args(["serve", "--http", "127.0.0.1:0", "--skills"])
        .arg(around.path())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = stderr_lines(&mut child);
    let warning = lines.next().unwrap();
    let rule = "\\\"other\\\" is not the directory of the skill, \\\"broken\\\"";
    assert!(
        warning.contains("skill://broken/SKILL.md") && warning.contains(rule),
        "{warning}"
    );
    let url = lines.next().unwrap();
    let url = url.strip_prefix("serving 1 skill at ").unwrap();
    let listed = run(&["skills", url]).succeeded();
    assert_eq!(listed.text(), "skill://mail/SKILL.md\tHow to write mail\n");
    let instructions = run(&["skills", url, "mail"]).succeeded();
    assert!(instructions.text().ends_with("# mail\n"));
    child.kill().unwrap();
    child.wait().unwrap();

    let app = run(&[
        "serve",
        "--app",
        "--skills",
        &around.path().to_string_lossy(),
    ]);
    let advice = "--app shows the files of directories: give a directory to serve";
    assert!(app.stderr.contains(advice), "{}", app.stderr);
}
