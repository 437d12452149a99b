//! Attacks that exhausted memory: endless lines, bodies and answers. The memory of a process is
//! read from Linux.

use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::Child;

use serde_json::json;

use super::network::{serving, status};
use super::place::{Place, Talking};
use crate::support::run;

const MEBIBYTE: usize = 1 << 20;

/// The most memory that a process ever had, in bytes.
fn peak(child: &Child) -> usize {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.unwrap().trim().trim_end_matches(" kB");
    kibibytes.parse::<usize>().unwrap() << 10
}

/// An endless line costs no more than the longest accepted line, and the next line is served.
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

/// There, a request of half a gibibyte used one and a half gibibytes of memory.
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

/// An untrusted server can't exhaust the memory of a command either.
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
