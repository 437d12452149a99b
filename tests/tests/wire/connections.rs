//! HTTP connections to a whole server: several requests on one connection, cut at any byte, or half
//! closed.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::fixture::Fixture;
use crate::http::{Http, mirrored};
use crate::sender::{Sender, call, say};
use crate::within;

/// A modern request as bytes, which keeps the connection open.
fn bytes(http: &Http, template: &str) -> Vec<u8> {
    let body = Sender::Modern.fill(template.as_bytes());
    let head = format!(
        "POST /mcp HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\nAccept: */*\r\n\
         MCP-Protocol-Version: 2026-07-28\r\n{}Content-Length: {}\r\n\r\n",
        http.address,
        mirrored(&body),
        body.len()
    );
    [head.as_bytes(), &body].concat()
}

/// Reads one response and returns its status and body.
async fn response(stream: &mut TcpStream) -> (u16, String) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(within(stream.read_u8()).await.unwrap());
    }
    let head = String::from_utf8(head).unwrap().to_lowercase();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    within(stream.read_exact(&mut body)).await.unwrap();
    (
        head[9..12].parse().unwrap(),
        String::from_utf8(body).unwrap(),
    )
}

#[tokio::test]
async fn requests_on_one_connection_are_answered_in_order_good_and_bad() {
    let (fixture, http) = Fixture::listening().await;
    let rounds = [
        (call("1", "canary", "{}"), 200, r#""id":1,"result""#),
        ("{".to_owned(), 400, "-32700"),
        (call("2", "canary", "{}"), 200, r#""id":2,"result""#),
        ("[]".to_owned(), 400, "-32600"),
        (
            r#"{"jsonrpc":"2.0","method":"notifications/x"}"#.to_owned(),
            202,
            "",
        ),
        (call("3", "panics", "{}"), 200, r#""isError":true"#),
        (call("4", "nope", "{}"), 200, "-32602"),
        (call("5", "canary", "{}"), 200, r#""id":5,"result""#),
    ];
    let all: Vec<u8> = rounds
        .iter()
        .flat_map(|(template, ..)| bytes(&http, template))
        .collect();
    let mut stream = TcpStream::connect(http.address).await.unwrap();
    stream.write_all(&all).await.unwrap();
    for (template, status, part) in &rounds {
        let (got, body) = response(&mut stream).await;
        assert!(
            got == *status && body.contains(part),
            "{template}: {got} {body}"
        );
    }
    assert_eq!(fixture.probe.ran(), 3);
}

#[tokio::test]
async fn a_request_cut_off_anywhere_harms_nobody() {
    let (fixture, http) = Fixture::listening().await;
    let request = bytes(&http, &call("1", "canary", "{}"));
    for length in (0..request.len()).step_by(5) {
        let mut stream = TcpStream::connect(http.address).await.unwrap();
        stream.write_all(&request[..length]).await.unwrap();
        // Connections end in order or with a reset, in turn.
        if length % 2 == 0 {
            stream.set_zero_linger().unwrap();
        }
        drop(stream);
    }
    // These requests are complete, but their connections are reset before the answer.
    for _ in 0..20 {
        let mut stream = TcpStream::connect(http.address).await.unwrap();
        let slow = bytes(&http, &say("1", "slow", "x"));
        stream.write_all(&slow).await.unwrap();
        fixture.probe.gate.holds(1).await;
        stream.set_zero_linger().unwrap();
        drop(stream);
        fixture.probe.gate.holds(0).await;
    }
    assert_eq!(fixture.probe.ran(), 0);
    let client = http.client(Sender::Modern).await;
    assert_eq!(client.send(call("1", "canary", "{}")).await.status, 200);
}

#[tokio::test]
async fn a_client_that_says_no_more_still_gets_its_answer() {
    let (fixture, http) = Fixture::listening().await;
    let mut stream = TcpStream::connect(http.address).await.unwrap();
    let request = bytes(&http, &say("1", "slow", "after the end"));
    stream.write_all(&request).await.unwrap();
    fixture.probe.gate.holds(1).await;
    stream.shutdown().await.unwrap();
    fixture.probe.gate.open(1);
    let (status, body) = response(&mut stream).await;
    assert!(
        status == 200 && body.contains("after the end"),
        "{status} {body}"
    );
}
