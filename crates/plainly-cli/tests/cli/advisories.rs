//! What has gone wrong in other servers of files, done to `plainly serve DIR` as whoever starts it gets it: each test is
//! named after the advisory, and `docs/advisories.md` has them all.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{PATIENCE, Serving, plainly, run};

/// What lies outside, and is to come out nowhere.
const CANARY: &str = "canary-3b9f71";
const MEBIBYTE: usize = 1 << 20;

/// A directory `data` to serve, among others that are not.
struct Place {
    root: TempDir,
}

impl Place {
    fn new() -> Self {
        let root = TempDir::new().unwrap();
        for directory in ["data/sub", "data-evil", "outside"] {
            fs::create_dir_all(root.path().join(directory)).unwrap();
        }
        for outside in [
            "secret.txt",
            "data-evil/secret.txt",
            "outside/secret.txt",
            "data/.env",
            "data/ignored.txt",
        ] {
            fs::write(root.path().join(outside), CANARY).unwrap();
        }
        fs::write(root.path().join("data/.ignore"), "ignored.txt\n").unwrap();
        fs::write(root.path().join("data/a.txt"), "A").unwrap();
        fs::write(root.path().join("data/sub/b.txt"), "B").unwrap();
        Self { root }
    }

    fn data(&self) -> String {
        self.root.path().join("data").to_str().unwrap().to_owned()
    }

    fn link(&self, target: impl AsRef<Path>, name: &str) {
        symlink(target, self.root.path().join("data").join(name)).unwrap();
    }

    /// What was said to who asked for `asked` has neither what is outside nor where it is, but for what was in the question.
    #[track_caller]
    fn unseen(&self, said: &Value, asked: &str) {
        let said = said.to_string().replace(asked, "");
        assert!(!said.contains(CANARY), "{said}");
        assert!(!said.contains(self.root.path().to_str().unwrap()), "{said}");
    }
}

/// A server in a process of its own, on its standard streams.
struct Talking {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl Talking {
    fn start(place: &Place) -> Self {
        let mut child = plainly()
            .args(["serve", &place.data(), "--stdio"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            stdin: child.stdin.take().unwrap(),
            stdout: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        let line = format!("{}\n", request(method, params));
        self.stdin.write_all(line.as_bytes()).unwrap();
        self.next()
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }
}

impl Drop for Talking {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn request(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Every request that leads to a resource, with this URI.
fn entries(uri: &str) -> Vec<(&'static str, Value)> {
    let call = |tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        ("tools/call", params)
    };
    vec![
        ("resources/read", json!({"uri": uri})),
        ("resources/list", json!({"uri": uri})),
        ("resources/metadata", json!({"uri": uri})),
        ("resources/directory/read", json!({"uri": uri})),
        call("list_resources", json!({"uri": uri})),
        call("tree", json!({"uri": uri})),
        call("stat_resource", json!({"uri": uri})),
        call("read_resource", json!({"uri": uri})),
        call("read_resources", json!({"uris": [uri]})),
        call("search", json!({"uri": uri, "pattern": "."})),
        call("search", json!({"uri": uri, "glob": "**"})),
    ]
}

/// Each tool that the server lists is among the entries above, so that a new one is attacked too.
#[test]
fn these_are_all_tools_and_all_methods_that_take_a_uri() {
    let place = Place::new();
    let listed = Talking::start(&place).ask("tools/list", json!({}));
    let listed = listed["result"]["tools"].as_array().unwrap().iter();
    let entries = entries("x");
    for tool in listed {
        let is_there = entries
            .iter()
            .any(|(_, params)| params["name"] == tool["name"]);
        assert!(is_there, "{}", tool["name"]);
    }
}

/// By no entry does any of these lead to what is outside; the good one next to it is served after each.
fn nothing_comes_out(place: &Place, uris: &[&str]) {
    let mut server = Talking::start(place);
    for uri in uris {
        for (method, params) in entries(uri) {
            let said = server.ask(method, params);
            place.unseen(&said, uri);
            if method != "tools/call" {
                assert_eq!(said["error"]["code"], -32602, "{method} {uri}: {said}");
            }
        }
        let good = server.ask("resources/read", json!({"uri": "file:///data/a.txt"}));
        assert_eq!(good["result"]["contents"][0]["text"], "A", "after {uri}");
    }
}

#[test]
fn cve_2025_53110_directory_that_begins_with_the_same_name() {
    let place = Place::new();
    let evil = place.root.path().join("data-evil/secret.txt");
    nothing_comes_out(
        &place,
        &[
            "file:///data-evil",
            "file:///data-evil/secret.txt",
            "file:///data/../data-evil/secret.txt",
            "file:///data%2Devil/secret.txt",
            "file:///data-evil/../data/a.txt",
            &format!("file://{}", evil.to_str().unwrap()),
            evil.to_str().unwrap(),
            "../data-evil/secret.txt",
            "data-evil/secret.txt",
        ],
    );
}

#[test]
fn cve_2025_53109_links_that_lead_out() {
    let place = Place::new();
    let root = place.root.path();
    place.link("../secret.txt", "file.txt");
    place.link(root.join("secret.txt"), "absolute.txt");
    place.link("../outside", "directory");
    place.link("..", "up");
    place.link("sub/../../outside", "winding");
    place.link("file.txt", "again.txt");
    place.link("nowhere", "dangling.txt");
    place.link("loop", "loop");
    place.link("/proc/self/root", "proc");
    place.link("/proc/self/environ", "environ");
    let mut before = "../secret.txt".to_owned();
    for number in 0..41 {
        let name = format!("chain-{number}");
        place.link(&before, &name);
        before = name;
    }
    let links = [
        "file.txt",
        "absolute.txt",
        "directory",
        "directory/secret.txt",
        "up",
        "up/secret.txt",
        "up/data/a.txt",
        "winding/secret.txt",
        "again.txt",
        "dangling.txt",
        "loop",
        "loop/loop/a.txt",
        "proc/etc/passwd",
        "environ",
        "chain-0",
        "chain-40",
    ];
    let uris = links.map(|link| format!("file:///data/{link}"));
    nothing_comes_out(&place, &uris.each_ref().map(String::as_str));
    // Nor are they in any listing.
    let mut server = Talking::start(&place);
    let listed = server.ask("resources/list", json!({})).to_string();
    for link in ["file.txt", "directory", "up", "environ", "chain-0"] {
        assert!(
            !listed.contains(&format!("file:///data/{link}\"")),
            "{link}: {listed}"
        );
    }
}

/// There the path was checked, and then opened: what stood there meanwhile was another thing.
#[test]
fn server_filesystem_path_checked_and_then_opened() {
    let place = Place::new();
    let data = place.root.path().join("data");
    place.link("../secret.txt", "link");
    fs::write(data.join("file"), "inside").unwrap();
    fs::create_dir(data.join("real")).unwrap();
    fs::write(data.join("real/secret.txt"), "inside").unwrap();
    place.link("../outside", "to-outside");
    let is_over = Arc::new(AtomicBool::new(false));
    let (over, swapped) = (Arc::clone(&is_over), data);
    let swapping = std::thread::spawn(move || {
        let rename =
            |from: &str, to: &str| fs::rename(swapped.join(from), swapped.join(to)).unwrap();
        while !over.load(Ordering::Relaxed) {
            for [first, second, name] in [["file", "link", "x"], ["real", "to-outside", "y"]] {
                rename(first, name);
                rename(name, first);
                rename(second, name);
                rename(name, second);
            }
        }
    });
    let mut server = Talking::start(&place);
    let mut inside = 0;
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(2) {
        for uri in ["file:///data/x", "file:///data/y/secret.txt"] {
            let said = server.ask("resources/read", json!({"uri": uri}));
            place.unseen(&said, uri);
            inside += usize::from(said.to_string().contains("inside"));
            let call = json!({"name": "read_resource", "arguments": {"uri": uri}});
            place.unseen(&server.ask("tools/call", call), uri);
        }
    }
    is_over.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(inside > 0, "the race was never run");
}

#[test]
fn cve_2026_40576_paths_that_lead_up_or_begin_at_the_root() {
    let place = Place::new();
    let long = format!("file:///data{}/secret.txt", "/sub/..".repeat(300));
    let secret = place.root.path().join("secret.txt");
    nothing_comes_out(
        &place,
        &[
            "file:///data/../secret.txt",
            "file:///data/sub/../../secret.txt",
            "file:///../secret.txt",
            "file:///etc/passwd",
            "/etc/passwd",
            "../../../../../../etc/passwd",
            "file:////etc/passwd",
            "file://localhost/etc/passwd",
            "file://localhost/data/../secret.txt",
            secret.to_str().unwrap(),
            "file:///data/%2e%2e/secret.txt",
            "file:///data/%2E%2E%2Fsecret.txt",
            "file:///data/..%2fsecret.txt",
            "file:///data/%252e%252e/secret.txt",
            "file:///data/..%5csecret.txt",
            "file:///data/..\\secret.txt",
            "file:///data/%c0%ae%c0%ae/secret.txt",
            "file:///data/../secret.txt%00a.txt",
            "file:///data/a.txt/../../secret.txt",
            &long,
        ],
    );
}

/// There a file that was out of bounds could be had by another of its names.
#[test]
fn cve_2026_4270_another_spelling_of_what_is_hidden() {
    let place = Place::new();
    place.link(".env", "to-hidden.txt");
    place.link("ignored.txt", "to-ignored.txt");
    place.link("../data/.env", "around.txt");
    nothing_comes_out(
        &place,
        &[
            "file:///data/.env",
            "file:///data/%2Eenv",
            "file:///data/%2eenv",
            "file:///data/./.env",
            "file:///data/sub/../.env",
            "file:///data/.ENV",
            "file:///data/.env/",
            "file:///data/.env.",
            "file:///data/ignored.txt",
            "file:///data/ignored%2Etxt",
            "file:///data//ignored.txt",
            "file:///data/IGNORED.TXT",
            "file:///data/to-hidden.txt",
            "file:///data/to-ignored.txt",
            "file:///data/around.txt",
        ],
    );
}

/// Names that are devices or drives elsewhere are names of nothing, on every system.
#[test]
fn rustsec_2021_0135_drives_and_devices_in_names() {
    let place = Place::new();
    nothing_comes_out(
        &place,
        &[
            "file:///c:/windows/win.ini",
            "file:///data/c:/windows/win.ini",
            "file:///data/c%3A/windows/win.ini",
            "file:///data/C:a.txt",
            "file:///data/\\\\?\\C:\\x",
            "file:///data/CON",
            "file:///data/NUL.txt",
            "file:///data/COM\u{b9}",
            "file:///data/a.txt::$DATA",
            "file:///data/a.txt:s",
            "file:///data/PROGRA~1",
        ],
    );
}

/// What no reader may change: there is no way to write, rename, link or remove anything.
#[test]
fn rustsec_2024_0445_nothing_is_written() {
    let place = Place::new();
    let mut server = Talking::start(&place);
    let tools = server.ask("tools/list", json!({}));
    for tool in tools["result"]["tools"].as_array().unwrap() {
        assert_eq!(tool["annotations"]["readOnlyHint"], true, "{tool}");
    }
    let before = fs::read_dir(place.data()).unwrap().count();
    for (method, params) in entries("file:///data/new.txt") {
        server.ask(method, params);
    }
    for method in ["resources/write", "resources/create", "resources/delete"] {
        let params = json!({"uri": "file:///data/new.txt", "text": "x"});
        assert_eq!(server.ask(method, params)["error"]["code"], -32601);
    }
    assert_eq!(fs::read_dir(place.data()).unwrap().count(), before);
}

/// Values that are options to a program are text here: there is no program.
#[test]
fn cve_2025_68144_arguments_that_are_options() {
    let (place, elsewhere) = (Place::new(), TempDir::new().unwrap());
    let target = elsewhere.path().join("pwned");
    let output = format!("--output={}", target.display());
    let command = format!("$(touch {})", target.display());
    let uris = [output.as_str(), command.as_str(), "-rf", "--", "--pre=sh"];
    nothing_comes_out(&place, &uris);
    let mut server = Talking::start(&place);
    for text in uris {
        for arguments in [
            json!({"pattern": text}),
            json!({"glob": text, "pattern": text}),
        ] {
            let call = json!({"name": "search", "arguments": arguments});
            place.unseen(&server.ask("tools/call", call), text);
        }
    }
    assert!(!target.exists());
}

/// There what a server said went through a shell. Here a command is what was typed, word by word.
#[test]
fn cve_2025_6514_command_that_goes_through_a_shell() {
    let place = Place::new();
    let target = place.root.path().join("pwned");
    let words = [
        format!("$(touch {})", target.display()),
        format!("; touch {}", target.display()),
        format!("`touch {}`", target.display()),
        format!("| touch {}", target.display()),
    ];
    for word in &words {
        assert_ne!(run(&["ls", "--", "echo", word]).status, 0);
        assert_ne!(run(&["ls", "--", word]).status, 0);
        assert_ne!(run(&["ls", word]).status, 0);
    }
    assert!(!target.exists());
}

/// Patterns and globs over which engines that go back would think for years.
#[test]
fn cve_2026_0621_search_that_takes_for_ever() {
    let place = Place::new();
    let name = "a".repeat(200);
    fs::write(Path::new(&place.data()).join(name), "a".repeat(100_000)).unwrap();
    let mut server = Talking::start(&place);
    let start = Instant::now();
    for arguments in [
        json!({"pattern": "(a+)+$b"}),
        json!({"pattern": "(a|aa)+b"}),
        json!({"pattern": "(.*)*x"}),
        json!({"pattern": "(a*)*(a*)*(a*)*c"}),
        json!({"pattern": "(a{1,1000}){1,1000}{1,1000}"}),
        json!({"pattern": "\\w{1000}{1000}"}),
        json!({"pattern": "(".repeat(100_000)}),
        json!({"glob": "*a".repeat(100) + "b"}),
        json!({"glob": "{a*,{a*,{a*,{a*,a*}}}}*b"}),
        json!({"glob": "**/".repeat(1_000) + "b"}),
    ] {
        let call = json!({"name": "search", "arguments": arguments});
        let said = server.ask("tools/call", call);
        assert!(said["result"].is_object(), "{arguments}: {said}");
    }
    assert!(start.elapsed() < PATIENCE / 2, "{:?}", start.elapsed());
}

/// By default nobody but this machine can connect.
#[test]
fn cve_2026_23744_listens_to_other_machines_by_default() {
    let place = Place::new();
    let serving = serving(&place, &[]);
    assert!(
        serving.url.starts_with("http://127.0.0.1:"),
        "{}",
        serving.url
    );
    let refused = run(&["serve", &place.data(), "--http", "0.0.0.0:0"]);
    assert_ne!(refused.status, 0);
    assert!(
        refused.stderr.contains("--allow-host"),
        "{}",
        refused.stderr
    );
    let help = run(&["serve", "--help"]).succeeded();
    assert!(help.text().contains("127.0.0.1:3333"));
}

fn serving(place: &Place, options: &[&str]) -> Serving {
    let mut command = plainly();
    command.args(["serve", &place.data(), "--http", "127.0.0.1:0"]);
    command.args(options);
    Serving::start(command)
}

/// A request as bytes; gives the status.
fn status(serving: &Serving, request: &str, headers: &str, body: &str) -> u16 {
    let address = serving.url.trim_start_matches("http://");
    let address = address.trim_end_matches("/mcp");
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let length = body.len();
    let headers = headers.replace("SELF", address);
    let text = format!(
        "{request} HTTP/1.1\r\n{headers}Accept: application/json, text/event-stream\r\n\
         Connection: close\r\nContent-Length: {length}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    str::from_utf8(&head[9..]).unwrap().parse().unwrap()
}

/// There the proxy that starts processes answered everybody. Here each route of the process as it is started does not
/// answer pages, by whatever name they come.
#[test]
fn cve_2025_49596_local_server_that_answers_pages() {
    let place = Place::new();
    let serving = serving(&place, &["--sse"]);
    let body = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}},
    });
    let body = body.to_string();
    let json = "Content-Type: application/json\r\n";
    for request in [
        "POST /mcp",
        "GET /mcp",
        "DELETE /mcp",
        "GET /sse",
        "POST /sse?session=1",
    ] {
        let body = if request.starts_with("POST") {
            &body
        } else {
            ""
        };
        for headers in [
            "Host: evil.example\r\n",
            "Host: localhost.evil.example\r\n",
            "Host: SELF\r\nOrigin: http://evil.example\r\n",
            "Host: SELF\r\nOrigin: null\r\n",
            "Host: SELF\r\nOrigin: http://localhost:1\r\n",
        ] {
            let refused = status(&serving, request, &format!("{headers}{json}"), body);
            assert_eq!(refused, 403, "{request} {headers}");
        }
    }
    let simple = "Host: SELF\r\nContent-Type: text/plain\r\n";
    assert_eq!(status(&serving, "POST /mcp", simple, &body), 415);
    let good = format!("Host: SELF\r\n{json}");
    assert_eq!(status(&serving, "POST /mcp", &good, &body), 200);
    assert_eq!(status(&serving, "GET /sse", "Host: SELF\r\n", ""), 200);
    // Nor is there anything else to reach: no page, no proxy, no settings.
    for path in [
        "/",
        "/config",
        "/health",
        "/proxy",
        "/api",
        "/.well-known/x",
    ] {
        let nothing = status(&serving, &format!("GET {path}"), "Host: SELF\r\n", "");
        assert_eq!(nothing, 404, "{path}");
    }
}

/// The most memory that a process ever had, in bytes.
#[cfg(target_os = "linux")]
fn peak(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<usize>().unwrap() << 10
}

/// A line without end costs what a line may have, and the next one is served.
#[cfg(target_os = "linux")]
#[test]
fn ghsa_vm75_qjc7_xh6w_endless_line_on_standard_input() {
    let place = Place::new();
    let mut server = Talking::start(&place);
    let good = json!({"uri": "file:///data/a.txt"});
    server.ask("resources/read", good.clone());
    let before = peak(&server.child);
    let part = vec![b'x'; MEBIBYTE];
    for _ in 0..256 {
        server.stdin.write_all(&part).unwrap();
    }
    server.stdin.write_all(b"\n").unwrap();
    let refused = server.next();
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    let said = server.ask("resources/read", good);
    assert_eq!(said["result"]["contents"][0]["text"], "A");
    let grown = peak(&server.child) - before;
    assert!(grown < 2 * 4 * MEBIBYTE + MEBIBYTE, "{grown} bytes");
}

/// There half a gibibyte of one request became one and a half of memory.
#[cfg(target_os = "linux")]
#[test]
fn ruby_sdk_hardening_memory_of_a_post_of_512_mebibytes() {
    let place = Place::new();
    let serving = serving(&place, &[]);
    let json = "Host: SELF\r\nContent-Type: application/json\r\n";
    assert_eq!(status(&serving, "POST /mcp", json, "{}"), 400);
    let before = peak(&serving.child);
    let address = serving.url.trim_start_matches("http://");
    let address = address.trim_end_matches("/mcp");
    for length in ["Content-Length: 536870912", "Transfer-Encoding: chunked"] {
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: */*\r\n{length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).unwrap();
        let part = [b"100000\r\n", &vec![b' '; MEBIBYTE][..], b"\r\n"].concat();
        let written = (0..512).take_while(|_| stream.write_all(&part).is_ok());
        assert!(written.count() < 512, "all of it was taken");
    }
    let grown = peak(&serving.child) - before;
    assert!(grown < 2 * 4 * MEBIBYTE + 4 * MEBIBYTE, "{grown} bytes");
    assert_eq!(status(&serving, "POST /mcp", json, "{}"), 400);
}

/// What a client that has gone away leaves behind is nothing: not a process, not a connection.
#[test]
fn cve_2025_53365_clients_that_reset_their_connections() {
    let place = Place::new();
    let serving = serving(&place, &["--sse"]);
    let address = serving.url.trim_start_matches("http://");
    let address = address.trim_end_matches("/mcp");
    let body = request("resources/read", json!({"uri": "file:///data/a.txt"})).to_string();
    let text = format!(
        "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: */*\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: resources/read\r\nMcp-Name: file:///data/a.txt\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    for length in (0..=text.len()).step_by(2) {
        let mut stream = TcpStream::connect(address).unwrap();
        stream.write_all(&text.as_bytes()[..length]).unwrap();
        // Closed with unread bytes in it, a connection is reset.
        drop(stream);
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
}

/// Whoever is called without being trusted can fill nothing of ours either.
#[cfg(target_os = "linux")]
#[test]
fn ghsa_6vrr_g4hw_f3hj_endless_answer_to_a_command() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let flood = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ";
        stream.write_all(head.as_bytes()).unwrap();
        let part = vec![b'x'; MEBIBYTE];
        (0..512)
            .take_while(|_| stream.write_all(&part).is_ok())
            .count()
    });
    let failed = run(&["ls", &url]);
    assert_ne!(failed.status, 0);
    assert!(flood.join().unwrap() < 64);
}
