//! Attacks by clients that should have got no answer, or that left resources behind.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::json;

use super::place::{Place, request};
use crate::support::{PATIENCE, Serving, plainly, run};

/// By default, only this machine can connect.
#[test]
fn cve_2026_23744_listens_to_other_machines_by_default() {
    let place = Place::new();
    let serving = serving(&place, &[]);
    let expected = "http://127.0.0.1:";
    assert!(serving.url.starts_with(expected), "{}", serving.url);
    let refused = run(&["serve", &place.data(), "--http", "0.0.0.0:0"]);
    assert_ne!(refused.status, 0);
    let expected = "--allow-host";
    assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    let help = run(&["serve", "--help"]).succeeded();
    assert!(help.text().contains("127.0.0.1:3333"));
}

pub(super) fn serving(place: &Place, options: &[&str]) -> Serving {
    let mut command = plainly();
    command.args(["serve", &place.data(), "--http", "127.0.0.1:0"]);
    command.args(options);
    Serving::start(command)
}

/// Sends a request as bytes, and returns the status.
pub(super) fn status(serving: &Serving, request: &str, headers: &str, body: &str) -> u16 {
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

/// There, the proxy that starts processes answered every client. Here, no route of a default server
/// answers web pages, whatever host name and origin they send.
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
    // There is nothing else to reach: no page, no proxy, no settings.
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

/// Clients that disconnect leave neither processes nor connections behind.
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
        // Closing a connection with unread bytes resets it.
        drop(stream);
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(text.as_bytes()).unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).unwrap();
    assert_eq!(&head, b"HTTP/1.1 200");
}
