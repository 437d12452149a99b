//! Tests `serve` for its operator: metrics, the status page and the audit file.

use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use rustix::fs::OFlags;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::serving::status;
use crate::support::{Docs, PATIENCE, plainly, run};

/// A server with a listener for operators.
pub(crate) struct Operated {
    child: Child,
    url: String,
    admin: String,
    pub(crate) stderr: Receiver<String>,
}

impl Operated {
    pub(crate) fn start(docs: &Docs, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = plainly();
        command.args(["serve", docs.str(), "--http", "127.0.0.1:0"]);
        command.args(["--admin", "127.0.0.1:0"]).args(options);
        command.envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut found = |start: &str| {
            let mut lines = lines.by_ref().map(Result::unwrap);
            let line = lines.find(|line| line.starts_with(start)).unwrap();
            line.split_once("http://").unwrap().1.to_owned()
        };
        let url = format!("http://{}", found("serving "));
        let admin = found("status page and metrics: ");
        let (tell, stderr) = mpsc::channel();
        thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                let _ = tell.send(line);
            }
        });
        let admin = admin.trim_end_matches('/').to_owned();
        Self {
            child,
            url,
            admin,
            stderr,
        }
    }

    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        http(&self.admin, "GET", path, &[], "")
    }

    /// Posts a message of the newest revision with these additional members in `_meta`.
    pub(crate) fn post(
        &self,
        method: &str,
        params: Value,
        meta: Value,
        headers: &[(&str, &str)],
    ) -> Value {
        let mut params = params;
        let mut own = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": { "name": "test <b>", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        own.as_object_mut()
            .unwrap()
            .extend(meta.as_object().unwrap().clone());
        params["_meta"] = own;
        let body = json!({ "jsonrpc": "2.0", "id": "call-7", "method": method, "params": params });
        let name = ["name", "uri"]
            .iter()
            .find_map(|name| params[name].as_str());
        let mut all = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("MCP-Protocol-Version", "2026-07-28"),
            ("Mcp-Method", method),
        ];
        all.extend(name.map(|name| ("Mcp-Name", name)));
        all.extend(headers);
        let (host, path) = self.url["http://".len()..].split_once('/').unwrap();
        let (_, reply) = http(host, "POST", &format!("/{path}"), &all, &body.to_string());
        serde_json::from_str(&reply).unwrap()
    }

    pub(crate) fn read(&self) -> Value {
        self.post(
            "resources/read",
            json!({ "uri": "file:///docs/intro.md" }),
            json!({}),
            &[],
        )
    }

    /// Opens a session of an older revision, and returns the header with its id.
    pub(crate) fn open_session(&self) -> String {
        let initialize = json!({
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            },
        });
        let (head, _) = self.exchange("POST", "", &initialize.to_string());
        let lines = head.lines();
        let mut named = lines.filter_map(|line| line.split_once(": "));
        let is_session = |(name, _): &(&str, &str)| name.eq_ignore_ascii_case("mcp-session-id");
        let session = named.find(is_session).unwrap().1.to_owned();
        let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let (head, _) = self.exchange("POST", &session, &initialized.to_string());
        assert!(head.contains(" 202 "), "{head}");
        session
    }

    pub(crate) fn end_session(&self, session: &str) {
        let (head, _) = self.exchange("DELETE", session, "");
        assert!(head.contains(" 204 "), "{head}");
    }

    /// The head and the body of the response to a message in a session.
    pub(crate) fn exchange(&self, method: &str, session: &str, body: &str) -> (String, String) {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        if !session.is_empty() {
            headers.push(("Mcp-Session-Id", session));
        }
        let (host, path) = self.url["http://".len()..].split_once('/').unwrap();
        response(host, method, &format!("/{path}"), &headers, body)
    }

    /// Asks the server to stop.
    pub(crate) fn ask_to_stop(&self) {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
    }

    /// Asks the server to stop, and waits until it has.
    pub(crate) fn stop(&mut self) -> Option<i32> {
        self.ask_to_stop();
        self.ended()
    }

    /// Waits for the end of the server.
    pub(crate) fn ended(&mut self) -> Option<i32> {
        status(&mut self.child)
    }

    /// The next line of standard error that contains this text.
    pub(crate) fn says(&self, part: &str) -> String {
        loop {
            let line = self.stderr.recv_timeout(PATIENCE).unwrap();
            if line.contains(part) {
                return line;
            }
        }
    }
}

impl Drop for Operated {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The status and the body of a response.
fn http(
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (u16, String) {
    let (head, body) = response(host, method, path, headers, body);
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// The head and the body of a response.
fn response(
    host: &str,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &str,
) -> (String, String) {
    let mut stream = TcpStream::connect(host).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| *name == "Host") {
        head += &format!("Host: {host}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    head += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(head.as_bytes()).unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    (head.to_owned(), body.to_owned())
}

/// The sum of a metric's values whose labels contain all of these parts.
fn values(metrics: &str, name: &str, labels: &[&str]) -> f64 {
    let lines = metrics.lines().filter(|line| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with('{'))
            && labels.iter().all(|label| line.contains(label))
    });
    lines
        .map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap())
        .sum()
}

const COUNT: &str = "mcp_server_operation_duration_seconds_count";

#[test]
fn metrics_count_what_happened_and_no_caller_makes_labels() {
    let docs = Docs::new();
    let server = Operated::start(&docs, &[], &[]);
    for _ in 0..3 {
        server.read();
    }
    let call = |name: &str, arguments: Value| {
        server.post(
            "tools/call",
            json!({ "name": name, "arguments": arguments }),
            json!({}),
            &[],
        )
    };
    call("search", json!({ "pattern": "Grüße" }));
    assert_eq!(
        call("search", json!({ "pattern": 5 }))["result"]["isError"],
        true
    );
    assert_eq!(call("made-up-tool", json!({}))["error"]["code"], -32602);
    server.post("made/up/method", json!({}), json!({}), &[]);
    let (status, metrics) = server.get("/metrics");
    assert_eq!(status, 200);
    let count = |labels: &[&str]| values(&metrics, COUNT, labels);
    assert_eq!(count(&[r#"mcp_method_name="resources/read""#]), 3.0);
    assert_eq!(count(&[r#"gen_ai_tool_name="search""#]), 2.0);
    assert_eq!(count(&[r#"error_type="tool_error""#]), 1.0);
    // A mistake of the caller is no error of the server.
    let made_up = [
        r#"gen_ai_tool_name="_OTHER""#,
        r#"rpc_response_status_code="-32602""#,
    ];
    assert_eq!(count(&made_up), 1.0);
    assert_eq!(count(&["-32602", "error_type"]), 0.0);
    assert_eq!(
        count(&[r#"mcp_method_name="_OTHER""#, r#"code="-32601""#]),
        1.0
    );
    assert!(!metrics.contains("made"), "{metrics}");
    assert!(values(&metrics, "plainly_server_request_size_bytes_total", &[]) > 1_000.0);
    let limit = |name| values(&metrics, name, &[r#"plainly_resource="requests""#]);
    assert_eq!(
        (
            limit("plainly_server_limit"),
            limit("plainly_server_limit_used")
        ),
        (4_096.0, 0.0)
    );
}

#[test]
fn texts_that_were_converted_before_are_counted() {
    let docs = Docs::new();
    fs::write(docs.path.join("a.csv"), "a,b\n1,2\n").unwrap();
    let server = Operated::start(&docs, &[], &[]);
    let read = json!({ "uri": "file:///docs/a.csv" });
    let accept = json!({ "dev.plainly/accept": ["text/markdown"] });
    for reads in 0..3_u32 {
        let (_, metrics) = server.get("/metrics");
        let count = |result: &str| {
            let labels = [
                r#"plainly_cache="conversions""#,
                &*format!(r#"plainly_result="{result}""#),
            ];
            values(&metrics, "plainly_cache_requests_total", &labels)
        };
        let expected = (reads.saturating_sub(1), reads.min(1));
        assert_eq!(
            (count("hit"), count("miss")),
            (expected.0.into(), expected.1.into())
        );
        let made = server.post("resources/read", read.clone(), accept.clone(), &[]);
        assert!(made.to_string().contains("| 1 | 2 |"), "{made}");
    }
}

#[test]
fn sessions_are_measured_and_their_notifications_are_no_calls() {
    let docs = Docs::new();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("audit.jsonl");
    let options = ["--audit", path.to_str().unwrap(), "--log", "info"];
    let mut server = Operated::start(&docs, &options, &[]);
    let session = server.open_session();
    server.end_session(&session);
    server.read();
    let (_, metrics) = server.get("/metrics");
    const ENDED: &str = "mcp_server_session_duration_seconds_count";
    let labels = [
        r#"mcp_protocol_version="2025-11-25""#,
        r#"network_protocol_name="http""#,
        r#"network_transport="tcp""#,
    ];
    assert_eq!(values(&metrics, ENDED, &labels), 1.0);
    assert_eq!(values(&metrics, ENDED, &[]), 1.0);
    assert_eq!(values(&metrics, COUNT, &[]), 2.0);
    let audit = lines(&path);
    let methods: Vec<_> = audit.iter().map(|line| &line["method"]).collect();
    assert_eq!(methods, ["initialize", "resources/read"]);
    assert_eq!(server.stop(), Some(0));
    let log: Vec<_> = server.stderr.iter().collect();
    assert!(
        log.iter().any(|line| line.contains("initialize")),
        "{log:?}"
    );
    assert!(
        !log.iter().any(|line| line.contains("notifications/")),
        "{log:?}"
    );
}

#[test]
fn the_listener_for_operators_serves_pages_to_known_names_alone() {
    let docs = Docs::new();
    let mut server = Operated::start(&docs, &["--name", "docs & <more>"], &[]);
    server.post(
        "tools/call",
        json!({ "name": "made-up-tool" }),
        json!({}),
        &[],
    );
    for (path, status, part) in [
        ("/", 200, "docs &amp; &lt;more&gt;"),
        ("/", 200, "test &lt;b&gt; 1"),
        ("/", 200, "Unknown tool: made-up-tool"),
        ("/metrics", 200, "# TYPE"),
        ("/healthz", 200, ""),
        ("/readyz", 200, "ready"),
        ("/mcp", 404, "Not found"),
    ] {
        let (seen, body) = server.get(path);
        assert!(
            seen == status && body.contains(part),
            "{path}: {seen} {body}"
        );
    }
    let with_host =
        |host: &str, method: &str| http(&server.admin, method, "/metrics", &[("Host", host)], "").0;
    assert_eq!(with_host("evil.example", "GET"), 403);
    assert_eq!(with_host("10.1.2.3:9464", "GET"), 200);
    assert_eq!(with_host("[::1]", "GET"), 200);
    assert_eq!(with_host("localhost", "GET"), 200);
    assert_eq!(with_host("10.1.2.3", "POST"), 405);
    let (status, body) = http(
        &server.url[7..server.url.len() - 4],
        "GET",
        "/readyz",
        &[],
        "",
    );
    assert_eq!((status, &*body), (200, "ready\n"));
    let taken = run(&[
        "serve",
        docs.str(),
        "--http",
        "127.0.0.1:0",
        "--admin",
        &server.admin,
    ]);
    assert_eq!(taken.status, 1);
    let why = format!("cannot serve the status page at {}: ", server.admin);
    assert!(taken.stderr.contains(&why), "{}", taken.stderr);
    // A host starts a server for each conversation.
    let second = run(&["serve", docs.str(), "--stdio", "--admin", &server.admin]);
    assert_eq!(second.status, 0, "{}", second.stderr);
    let why = "the status page is not served";
    assert!(second.stderr.contains(why), "{}", second.stderr);
    assert_eq!(server.stop(), Some(0));
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn every_request_is_in_the_audit_file_before_it_is_answered() {
    let docs = Docs::new();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("audit log.jsonl");
    let options = ["--audit", path.to_str().unwrap(), "--print-config", "zed"];
    let printed = run(&[&["serve", docs.str()], &options[..]].concat());
    assert_eq!(printed.status, 0, "{}", printed.stderr);
    assert!(printed.text().contains("audit log.jsonl") && !path.exists());
    let server = Operated::start(&docs, &["--audit", path.to_str().unwrap()], &[]);
    server.read();
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let missing = json!({ "uri": "file:///docs/missing.md" });
    server.post(
        "resources/read",
        missing,
        json!({ "traceparent": parent }),
        &[],
    );
    let long = format!("docs/{}intro.md", "./".repeat(20_000));
    let arguments = json!({ "uris": [long, "docs/a.md"] });
    let call = json!({ "name": "read_resources", "arguments": arguments });
    server.post("tools/call", call, json!({}), &[]);
    let audit = lines(&path);
    let [read, missing, call] = &*audit else {
        panic!("{audit:?}")
    };
    assert_eq!(call["uris"], arguments["uris"]);
    assert_eq!(read["uris"], json!(["file:///docs/intro.md"]));
    let fields = |line: &Value, names: &[&str]| -> Vec<Value> {
        names.iter().map(|name| line[name].clone()).collect()
    };
    let who = [
        "outcome", "address", "client", "id", "method", "name", "status",
    ];
    let client = "test <b> 1";
    let uri = "file:///docs/intro.md";
    let expected = json!([
        "served",
        "127.0.0.1",
        client,
        "call-7",
        "resources/read",
        uri,
        200
    ]);
    assert_eq!(json!(fields(read, &who)), expected);
    let expected = json!(["refused", -32602, trace]);
    assert_eq!(
        json!(fields(missing, &["outcome", "code", "trace"])),
        expected
    );
    // Programs that rotate logs rename the file like this.
    let rotated = folder.path().join("audit.1");
    fs::rename(&path, &rotated).unwrap();
    server.read();
    assert_eq!((lines(&rotated).len(), lines(&path).len()), (3, 1));
    let mode = std::os::unix::fs::MetadataExt::mode(&fs::metadata(&path).unwrap());
    assert_eq!(mode & 0o777, 0o600);
    // The audit file does not restrict access to any resource.
    let known = server.post("server/discover", json!({}), json!({}), &[]);
    let resources = &known["result"]["capabilities"]["extensions"]["dev.plainly/resources"];
    assert_eq!(resources["recursive"], true);
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_answered_that_the_audit_file_does_not_have() {
    let docs = Docs::new();
    let server = Operated::start(&docs, &["--audit", "/dev/full"], &[]);
    let told = || {
        server.read()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert!(told().starts_with("The reply was withheld"));
    assert!(told().starts_with("The request was refused"));
    assert!(
        server
            .says("audit file cannot be written")
            .contains("/dev/full")
    );
    let (_, page) = server.get("/");
    assert!(page.contains("resources/read"), "{page}");
    let call = json!({ "name": "made-up-tool" });
    server.post("tools/call", call, json!({}), &[]);
    let (_, metrics) = server.get("/metrics");
    let labels = [r#"name="resources/read""#, r#"error_type="-32603""#];
    assert_eq!(values(&metrics, COUNT, &labels), 2.0, "{metrics}");
    assert!(!metrics.contains("made-up"), "{metrics}");
    assert_eq!(server.get("/readyz").0, 503);
    for file in ["/dev/full", "/nowhere/audit"] {
        let server = Operated::start(&docs, &["--audit", file, "--audit-optional"], &[]);
        assert!(server.read()["result"].is_object());
        assert!(server.read()["result"].is_object());
        assert_eq!(server.get("/readyz").0, 200);
    }
    let nowhere = run(&["serve", docs.str(), "--stdio", "--audit", "/nowhere/audit"]);
    assert_eq!(nowhere.status, 2);
    assert!(
        nowhere
            .stderr
            .contains("cannot write the audit file /nowhere/audit")
    );
}

#[test]
#[cfg(target_os = "linux")]
fn a_pipe_without_room_is_as_a_full_disk() {
    let docs = Docs::new();
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("pipe");
    let path = path.to_str().unwrap();
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let unread = run(&["serve", docs.str(), "--stdio", "--audit", path]);
    assert_eq!(unread.status, 2);
    let why = "it is a pipe that nothing reads";
    assert!(unread.stderr.contains(why), "{}", unread.stderr);
    let mut options = OpenOptions::new();
    let options = options
        .read(true)
        .custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let mut pipe = options.open(path).unwrap();
    let mut written = || {
        let mut text = Vec::new();
        // Reads until the pipe is empty, which is an error as long as the server has its other end
        // open.
        let _ = pipe.read_to_end(&mut text);
        String::from_utf8(text).unwrap()
    };
    let server = Operated::start(&docs, &["--audit", path], &[]);
    let arguments = json!({ "uri": "x".repeat(100_000) });
    let call = json!({ "name": "read_resource", "arguments": arguments });
    let withheld = server.post("tools/call", call, json!({}), &[]);
    let message = withheld["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("The reply was withheld"), "{message}");
    assert_eq!(server.get("/readyz").0, 503);
    assert!(written().ends_with("xxx"));
    assert!(server.read()["result"].is_object());
    let text = written();
    let (cut, whole) = text.split_once('\n').unwrap();
    let whole = whole.lines().map(serde_json::from_str::<Value>);
    let whole: Vec<_> = whole.map(|line| line.unwrap()["outcome"].clone()).collect();
    assert_eq!(
        (cut, &*whole),
        ("", &[json!("audit resumed"), json!("served")][..])
    );
}

#[test]
#[cfg(target_os = "linux")]
fn nothing_is_changed_that_the_audit_file_does_not_have() {
    let docs = Docs::new();
    let write = |options: &[&str]| {
        let options = [&["--write", "--audit", "/dev/full"], options].concat();
        let server = Operated::start(&docs, &options, &[]);
        let arguments = json!({ "uri": "docs/new", "text": "x" });
        let params = json!({ "name": "write_resource", "arguments": arguments });
        server.post("tools/call", params, json!({}), &[])
    };
    let refused = write(&[]);
    let message = refused["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("The request was refused"), "{message}");
    assert!(!docs.path.join("new").exists());
    assert!(write(&["--audit-optional"])["result"].is_object());
    assert_eq!(fs::read_to_string(docs.path.join("new")).unwrap(), "x");
}
