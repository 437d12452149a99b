//! Tests `serve` over HTTPS and behind proxies, for clients and for the user who starts it.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair, SanType, date_time_ymd};
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::serving::status;
use crate::support::{Docs, plainly, run};

/// A directory with a certificate for 127.0.0.1 that is valid until this year, and with its key.
fn certificate(until: i32) -> TempDir {
    certificate_with(|params| params.not_after = date_time_ymd(until, 1, 1))
}

/// Like `certificate`, with these changes.
fn certificate_with(change: impl FnOnce(&mut CertificateParams)) -> TempDir {
    let directory = TempDir::new().unwrap();
    let key = KeyPair::generate().unwrap();
    let mut params = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(4000, 1, 1);
    change(&mut params);
    let own = params.self_signed(&key).unwrap();
    write(&directory.path().join("cert.pem"), &own.pem(), 0o644);
    write(
        &directory.path().join("key.pem"),
        &key.serialize_pem(),
        0o600,
    );
    directory
}

fn write(path: &Path, text: &str, mode: u32) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

/// A server, its address, and its output on standard error.
struct Served {
    child: Child,
    /// The host and port.
    address: String,
    said: String,
    stderr: BufReader<ChildStderr>,
}

impl Served {
    fn start(docs: &Docs, options: &[&str]) -> Self {
        let mut child = plainly()
            .args(["serve", docs.str(), "--http", "127.0.0.1:0"])
            .args(options)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        let mut said = String::new();
        while !said.contains(" at http") {
            assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "{said}");
        }
        let (_, url) = said.rsplit_once("://").unwrap();
        let address = url.trim_end().trim_end_matches("/mcp").to_owned();
        Self {
            child,
            address,
            said,
            stderr,
        }
    }

    /// Starts a server with this certificate.
    fn secure(docs: &Docs, certificate: &TempDir) -> Self {
        let file = |name| certificate.path().join(name).display().to_string();
        let (cert, key) = (file("cert.pem"), file("key.pem"));
        Self::start(docs, &["--tls-cert", &cert, "--tls-key", &key])
    }

    /// The output of the server after it has stopped and closed its connections.
    fn stopped(mut self) -> String {
        kill_process(Pid::from_child(&self.child), Signal::TERM).unwrap();
        // A server that has just printed its address may not handle signals yet, and is then ended
        // by the signal.
        let _zero_or_none = status(&mut self.child);
        self.stderr.read_to_string(&mut self.said).unwrap();
        std::mem::take(&mut self.said)
    }

    /// The answer on a new connection.
    fn send(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(bytes).unwrap();
        let mut answer = Vec::new();
        let _reset = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // The server may have been stopped.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

#[test]
fn a_certificate_that_is_rejected_is_told_with_what_mends_it() {
    let own = CertificateParams::new(["127.0.0.1".to_owned()]).unwrap();
    let key = KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap();
    let around = TempDir::new().unwrap();
    let namesake = around.path().join("namesake.pem");
    write(&namesake, &own.self_signed(&key).unwrap().pem(), 0o644);
    type Change = fn(&mut CertificateParams);
    let ours = "OWN".to_owned();
    let other = namesake.display().to_string();
    let cases: [(Change, Option<&String>, &str, &str); 6] = [
        (|_| {}, None, "is not trusted: ", "--cacert FILE"),
        // Debian creates and trusts such a certificate.
        (|_| {}, Some(&other), "is not trusted: ", "--cacert FILE"),
        (
            |it| it.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
            Some(&ours),
            "is invalid: it is that of an authority (CA:TRUE)\n",
            "basicConstraints=critical,CA:FALSE",
        ),
        (
            |it| it.subject_alt_names = vec![SanType::DnsName("a.example".try_into().unwrap())],
            Some(&ours),
            "is not for 127.0.0.1, but for a.example\n",
            "subjectAltName",
        ),
        (
            |it| it.not_after = date_time_ymd(2021, 1, 1),
            Some(&ours),
            "expired ",
            "renewed",
        ),
        (
            |it| it.not_before = date_time_ymd(3000, 1, 1),
            Some(&ours),
            "is not valid before ",
            "clock",
        ),
    ];
    let docs = Docs::new();
    for (change, trusted, said, help) in cases {
        let certificate = certificate_with(change);
        let served = Served::secure(&docs, &certificate);
        let url = format!("https://{}/mcp", served.address);
        let own = certificate.path().join("cert.pem").display().to_string();
        let trusted = trusted.map(|it| if *it == ours { &own } else { it });
        let mut words = vec!["ls", &url];
        words.extend(trusted.iter().flat_map(|file| ["--cacert", file.as_str()]));
        let run = run(&words);
        let expected = format!("error: cannot reach {url}: the server's certificate {said}");
        assert!(run.stderr.starts_with(&expected), "{}", run.stderr);
        let advice = run.stderr.lines().nth(1).unwrap();
        assert!(advice.contains(help), "{}", run.stderr);
        assert_eq!(
            (run.status, run.stderr.lines().count()),
            (3, 2),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn https_is_served_to_our_own_client_and_to_curl() {
    let (docs, certificate) = (Docs::new(), certificate(4000));
    let served = Served::secure(&docs, &certificate);
    let url = format!("https://{}/mcp", served.address);
    let trusted = certificate.path().join("cert.pem").display().to_string();
    let listed = run(&["ls", &url, "--cacert", &trusted]).succeeded();
    assert!(listed.text().contains("intro.md"), "{}", listed.text());
    for (protocol, version) in [("--http1.1", "1.1"), ("--http2", "2")] {
        let curl = Command::new("curl")
            .args([
                "--silent",
                "--max-time",
                "30",
                "--cacert",
                &trusted,
                protocol,
            ])
            .args([
                "--write-out",
                "%{http_version} %{http_code}",
                "--output",
                "/dev/null",
            ])
            .args(["--data", "{}", "--header", "Content-Type: application/json"])
            .args([
                "--header",
                "Accept: application/json, text/event-stream",
                &url,
            ])
            .output();
        // curl may not be installed.
        if let Ok(curl) = curl {
            let told = String::from_utf8(curl.stdout).unwrap();
            assert_eq!(told, format!("{version} 400"));
        }
    }
    let told = served.send(b"GET / HTTP/1.1\r\n\r\n");
    assert!(
        told.starts_with("HTTP/1.1 400 ") && told.contains("speaks HTTPS"),
        "{told}"
    );
    let said = served.stopped();
    assert!(
        said.contains("at https://") && said.contains("\"url\": \"https://"),
        "{said}"
    );
    assert!(!said.contains("WARN"), "{said}");
}

#[test]
fn a_client_that_speaks_tls_to_plain_http_is_in_the_log() {
    let docs = Docs::new();
    let served = Served::start(&docs, &[]);
    let refused = run(&["ls", &format!("https://{}/mcp", served.address)]);
    assert_eq!(refused.status, 3);
    let said = served.stopped();
    assert!(
        said.contains("a client spoke TLS, but this server speaks plain HTTP"),
        "{said}"
    );
}

#[test]
fn what_makes_a_certificate_bad_is_said_before_anything_is_served() {
    let (docs, one, other) = (Docs::new(), certificate(4000), certificate(4000));
    let file = |directory: &TempDir, name| directory.path().join(name).display().to_string();
    let (cert, key) = (file(&one, "cert.pem"), file(&one, "key.pem"));
    for (cert, key, expected) in [
        ("/nowhere.pem", &*key, "cannot read /nowhere.pem: "),
        (&*key, &*cert, "no certificate in "),
        (
            &*cert,
            &file(&other, "key.pem"),
            "does not belong to the certificate in ",
        ),
    ] {
        let options = ["serve", docs.str(), "--http", "127.0.0.1:0"];
        let refused = run(&[&options[..], &["--tls-cert", cert, "--tls-key", key]].concat());
        assert_eq!(refused.status, 2, "{}", refused.stderr);
        let told = refused.stderr;
        assert!(
            told.starts_with("error: cannot serve HTTPS: ") && told.contains(expected),
            "{told}"
        );
    }
    let half = run(&["serve", docs.str(), "--tls-cert", &cert]);
    assert!(half.stderr.contains("--tls-key"), "{}", half.stderr);
}

#[test]
fn an_expired_certificate_and_an_open_key_are_warned_of() {
    let (docs, certificate) = (Docs::new(), certificate(2021));
    let key = certificate.path().join("key.pem");
    fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
    let said = Served::secure(&docs, &certificate).stopped();
    assert!(said.contains("cert.pem: it has expired"), "{said}");
    let expected = format!("chmod o-rwx {}", key.display());
    assert!(said.contains(&expected), "{said}");
}

/// Posts a message on a new connection, like a client behind a proxy. `more` are additional
/// headers.
fn post(served: &Served, path: &str, more: &str, message: &str) -> String {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nX-Forwarded-For: 1.1.1.1, 203.0.113.7\r\n{more}",
        served.address,
    );
    let length = message.len();
    served.send(format!("{head}Content-Length: {length}\r\n\r\n{message}").as_bytes())
}

#[test]
fn each_line_of_the_access_log_has_the_client_even_behind_a_trusted_proxy() {
    let docs = Docs::new();
    let initialize = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}"#;
    let batch = r#"[{"jsonrpc":"2.0","id":2,"method":"ping"},{"jsonrpc":"2.0","id":3,"method":"nope"},{"jsonrpc":"2.0","id":4}]"#;
    for (options, expected) in [
        (
            &["--trusted-proxy", "127.0.0.0/8"][..],
            "client=203.0.113.7",
        ),
        (&[], "client=127.0.0.1"),
    ] {
        let served = Served::start(
            &docs,
            &[options, &["--log", "plainly::access=info"]].concat(),
        );
        let opened = post(&served, "/mcp", "", initialize);
        let session = opened
            .lines()
            .find(|line| line.starts_with("mcp-session-id: "))
            .unwrap_or_else(|| panic!("{opened}"));
        let answered = post(&served, "/mcp", &format!("{session}\r\n"), batch);
        assert!(answered.contains("200 OK"), "{answered}");
        post(&served, "/mcp", "", "{");
        post(&served, "/mcp", "Mcp-Session-Id: nobody\r\n", batch);
        post(&served, "/elsewhere", "", initialize);
        let said = served.stopped();
        let lines = said.lines().filter(|line| line.contains("plainly::access"));
        let (with, without): (Vec<_>, Vec<_>) = lines.partition(|line| line.contains(expected));
        assert!(without.is_empty(), "{without:#?}");
        assert_eq!(with.len(), 7, "{with:#?}");
    }
    let wrong = run(&["serve", docs.str(), "--trusted-proxy", "10.0.0.1/8"]);
    assert_eq!(wrong.status, 2);
    assert!(wrong.stderr.contains("invalid network"), "{}", wrong.stderr);
}

#[test]
fn the_limits_of_a_server_can_be_set() {
    let docs = Docs::new();
    let options = [
        "--max-body",
        "100",
        "--max-connections",
        "5",
        "--max-sessions",
        "1",
        "--max-requests",
        "2",
        "--max-connections-per-client",
        "3",
    ];
    let head = |served: &Served, length: usize| {
        let address = &served.address;
        format!(
            "POST /mcp HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nConnection: close\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n\r\n{}",
            " ".repeat(length)
        )
    };
    let served = Served::start(&docs, &options);
    for (length, expected) in [(101, "HTTP/1.1 413 "), (100, "HTTP/1.1 400 ")] {
        let told = served.send(head(&served, length).as_bytes());
        assert!(told.starts_with(expected), "{told}");
    }
    // A new server, which has no connection that has just ended.
    let served = Served::start(&docs, &options);
    let _three = [(); 3].map(|()| TcpStream::connect(&served.address).unwrap());
    assert_eq!(served.send(head(&served, 1).as_bytes()), "");
    let none = run(&["serve", docs.str(), "--max-requests", "0"]);
    assert!(
        none.stderr.contains("use a whole number from 1"),
        "{}",
        none.stderr
    );
}

/// These files are not served under any name, through links, or after a renewal.
#[test]
#[expect(clippy::too_many_lines, reason = "one server is asked in every way")]
fn what_an_option_names_is_never_served() {
    let (docs, certificate) = (Docs::new(), certificate(4000));
    let inside = |name: &str| docs.path.join(name).display().to_string();
    for name in ["cert.pem", "key.pem"] {
        fs::copy(certificate.path().join(name), docs.path.join(name)).unwrap();
    }
    fs::write(docs.path.join("cursors.txt"), "0a".repeat(32)).unwrap();
    let keys = inside("keys.json");
    let new = |name| run(&["key", "new", name, "--file", &keys]);
    let ada = new("ada").text().trim().to_owned();
    fs::hard_link(docs.path.join("key.pem"), docs.path.join("hard.txt")).unwrap();
    std::os::unix::fs::symlink("key.pem", docs.path.join("link.txt")).unwrap();
    let cert = inside("cert.pem");
    let served = Served::start(
        &docs,
        &[
            "--tls-cert",
            &cert,
            "--tls-key",
            &inside("key.pem"),
            "--auth-keys",
            &keys,
            "--key-file",
            &inside("cursors.txt"),
        ],
    );
    let url = format!("https://{}/mcp", served.address);
    let header = format!("Authorization: Bearer {ada}");
    let secret = [
        "cert.pem",
        "key.pem",
        "keys.json",
        "cursors.txt",
        "hard.txt",
        "link.txt",
    ];
    for renewed in [false, true] {
        if renewed {
            assert_eq!(new("bob").status, 0);
        }
        let run =
            |words: &[&str]| run(&[words, &["--cacert", &cert, "--header", &header]].concat());
        for words in [
            &["ls", &url][..],
            &["ls", &url, "file:///docs"],
            &["call", &url, "list_resources", "uri=file:///docs"],
            &["call", &url, "search", "pattern=."],
            &["call", &url, "tree"],
        ] {
            let told = run(words);
            assert_eq!(told.status, 0, "{words:?}: {}", told.stderr);
            let told = told.text();
            assert!(told.contains("intro.md"), "{words:?}: {told}");
            let shown: Vec<_> = secret.iter().filter(|name| told.contains(*name)).collect();
            assert!(shown.is_empty(), "{words:?}: {shown:?}");
        }
        for name in secret {
            let uri = format!("file:///docs/{name}");
            for command in ["read", "stat"] {
                assert_eq!(run(&[command, &url, &uri]).status, 4, "{command} {name}");
            }
            let read = run(&["call", &url, "read_resource", &format!("uri={uri}")]);
            assert_eq!(read.status, 5, "{name}: {}", read.text());
        }
    }
}

#[test]
fn a_host_is_told_a_name_of_the_certificate() {
    let docs = Docs::new();
    let directory = TempDir::new().unwrap();
    let [cert, key] = ["cert.pem", "key.pem"].map(|file| directory.path().join(file));
    for (names, url) in [
        (&["localhost"][..], "https://localhost:4444/mcp"),
        (&["docs.example.com"], "https://docs.example.com:4444/mcp"),
        (&["127.0.0.1", "localhost"], "https://127.0.0.1:4444/mcp"),
        (&["other.example.com"], "https://127.0.0.1:4444/mcp"),
    ] {
        let names: Vec<_> = names.iter().map(|&name| name.to_owned()).collect();
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        write(&cert, &made.cert.pem(), 0o644);
        write(&key, &made.signing_key.serialize_pem(), 0o600);
        let told = run(&[
            "serve",
            docs.str(),
            "--http",
            "127.0.0.1:4444",
            "--allow-host",
            "docs.example.com",
            "--tls-cert",
            cert.to_str().unwrap(),
            "--tls-key",
            key.to_str().unwrap(),
            "--print-config",
            "cursor",
        ]);
        let config = told.json();
        assert_eq!(config["mcpServers"]["docs"]["url"], url);
    }
}
