//! Invalid messages, and peers that disconnect at any point: the server answers the next valid
//! request, on the same connection if it is still open.

use crate::cases;
use serde_json::{Map, Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::http::{Attempt, Events, Session, bare, modern};
use crate::site::{KINDS, Kind, Site, server};
use crate::stream;
use crate::within;

fn code(reply: &Value) -> Option<i64> {
    reply["error"]["code"].as_i64()
}

/// Bytes that are no valid request.
const RUBBISH: [&[u8]; 22] = [
    b"5",
    b"\"x\"",
    b"null",
    b"true",
    b"[]",
    b"[1]",
    b"[[]]",
    b"{}",
    b"{",
    b"}",
    b"{}x",
    b"\xef\xbb\xbf{}x",
    br#"{"jsonrpc":"2.0","id":1}"#,
    br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
    br#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
    br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":5}"#,
    br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":5}"#,
    b"\"\xff\xfe\"",
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xff\"}",
    b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"x\":\"\xed\xa0\x80\"}",
    b"\x00\x01\x02",
];

/// In the affected SDK, an invalid request ended the loop that read requests.
#[tokio::test]
async fn cve_2025_53366_invalid_request_ends_the_session() {
    let (server, _) = server();
    for mut stream in [stream::open(&server), stream::legacy(&server).await] {
        for bytes in RUBBISH {
            stream.write(bytes).await;
            stream.write(b"\n").await;
            let before = stream::before_a_good_reply(&mut stream).await;
            assert!(before.len() <= 1, "{bytes:?}: {before:?}");
        }
    }
    let site = Site::start(Kind::Own).await;
    let session = Session::open(site.address, None).await;
    let mut events = Events::open(site.address, None).await;
    for (number, bytes) in RUBBISH.into_iter().enumerate() {
        for attempt in [
            session.post(&json!(null)),
            Attempt::post(site.address, "/mcp", ""),
            Attempt::post(site.address, &events.endpoint, ""),
        ] {
            attempt.body(bytes).send().await;
        }
        let ping = bare(format!("good {number}"), "ping", json!({}));
        assert_eq!(session.post(&ping).status().await, 200, "{bytes:?}");
        let put = Attempt::post(site.address, &events.endpoint, &ping);
        assert_eq!(put.status().await, 202, "{bytes:?}");
        while events.stream.message().await["id"] != format!("good {number}") {}
    }
}

/// In the affected SDK, a client that disconnected ended the server. Here, clients reset their
/// connections after every third byte of a request and while the answer is on its way.
#[tokio::test]
async fn cve_2025_53365_client_that_disconnects_ends_the_server() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        let call = Attempt::call(site.address, "wait", json!({"text": "x"}));
        let request = call.head()
            + &modern(
                1,
                "tools/call",
                json!({"name": "wait", "arguments": {"text": "x"}}),
            )
            .to_string();
        let session = Session::open(site.address, None).await;
        let stream = session.get().head();
        for text in [&request, &stream] {
            for length in (0..=text.len()).step_by(3).chain([text.len()]) {
                let mut connection = TcpStream::connect(site.address).await.unwrap();
                connection.write_all(&text.as_bytes()[..length]).await.ok();
                connection.set_zero_linger().unwrap();
                drop(connection);
            }
        }
        // The handlers that ran for disconnected clients have ended.
        within(site.probe.gate.holds(0)).await;
        let good = Attempt::call(site.address, "echo", json!({"text": "here"}));
        assert_eq!(good.status().await, 200, "{kind:?}");
        assert_eq!(session.get().status().await, 200, "{kind:?}");
    }
}

/// The affected SDK ignored the case of keys, so that two readers of a message saw two different
/// messages.
#[tokio::test]
async fn cve_2026_27896_keys_matched_by_case_folding() {
    let call = modern(1, "tools/call", json!({"name": "canary", "arguments": {}})).to_string();
    let spellings = [
        ("jsonrpc", &["JSONRPC", "jsonRpc", "j\u{17f}onrpc"][..]),
        ("method", &["Method", "METHOD", "methoD"]),
        ("params", &["Params", "PARAMS", "param\u{17f}"]),
        ("name", &["Name", "NAME", "naMe"]),
        ("id", &["ID", "Id", "\u{130}d"]),
        ("_meta", &["_Meta", "_META", "_met\u{430}"]),
        (
            "io.modelcontextprotocol/protocolVersion",
            &[
                "io.modelcontextprotocol/protocolversion",
                "io.modelconte\u{17f}tprotocol/protocolVersion",
                "IO.modelcontextprotocol/protocolVersion",
            ],
        ),
    ];
    let (server, probe) = server();
    let mut stream = stream::open(&server);
    let site = Site::start(Kind::Own).await;
    for (key, others) in spellings {
        for other in others {
            let (key, other) = (format!("\"{key}\":"), format!("\"{other}\":"));
            assert_eq!(call.matches(&key).count(), 1, "{key}");
            let text = call.replace(&key, &other);
            stream.write(format!("{text}\n").as_bytes()).await;
            for reply in stream::before_a_good_reply(&mut stream).await {
                assert!(reply["error"].is_object(), "{text}: {reply}");
            }
            let attempt = Attempt::call(site.address, "canary", json!({})).body(text.clone());
            // A message without an id is a notification, which runs no tool.
            let answer = attempt.send().await.rest().await;
            assert!(
                answer.is_empty() || answer.contains(r#""error":{"#),
                "{text}: {answer}"
            );
            // Beside the right key, the other spelling is an unknown member without effect.
            let (before, after) = call.split_once(&key).unwrap();
            let text = format!("{before}{other}{},{key}{after}", json!("echo"));
            let attempt = Attempt::call(site.address, "echo", json!({"text": "x"}));
            let body = attempt.clone().body(text.clone()).json().await;
            // The header names `echo` and the body `canary`: the server refuses the mismatch.
            assert_eq!(code(&body), Some(-32020), "{text}: {body}");
        }
    }
    assert_eq!((probe.ran(), site.probe.ran()), (0, 0));
}

/// A key that is given twice has the same effect: readers differ in which of the two they take.
#[tokio::test]
async fn cve_2026_27896_keys_given_twice() {
    let call = modern(
        1,
        "tools/call",
        json!({"name": "canary", "arguments": {"a": 1}}),
    )
    .to_string();
    let (server, probe) = server();
    let mut stream = stream::open(&server);
    let site = Site::start(Kind::Own).await;
    for (key, value) in cases::<(&str, &str)>("keys given twice") {
        let plain = key.replace("\\u0061", "a").replace("\\u0065", "e");
        let (before, after) = call.split_once(&format!("\"{plain}\":")).unwrap();
        let text = format!("{before}\"{key}\":{value},\"{plain}\":{after}");
        stream.write(format!("{text}\n").as_bytes()).await;
        let replies = stream::before_a_good_reply(&mut stream).await;
        let found = replies.iter().filter_map(code).collect::<Vec<_>>();
        assert_eq!(found, [-32600], "{text}");
        let attempt = Attempt::call(site.address, "canary", json!({})).body(text);
        assert_eq!(attempt.status().await, 400);
    }
    assert_eq!((probe.ran(), site.probe.ran()), (0, 0));
}

/// Headers that make the length of a body ambiguous, and the body before the hidden request.
/// `LENGTH` stands for the length of that request.
const AMBIGUOUS: [(&[(&str, &str)], &str); 10] = [
    (&[("Content-Length", "0"), ("Content-Length", "LENGTH")], ""),
    (&[("Content-Length", "LENGTH, 0")], ""),
    (&[("Content-Length", "+0")], ""),
    (&[("Content-Length", "-1")], ""),
    (&[("Content-Length", "18446744073709551616")], ""),
    (
        &[
            ("Transfer-Encoding", "chunked"),
            ("Content-Length", "LENGTH"),
        ],
        "0\r\n\r\n",
    ),
    (&[("Transfer-Encoding", "xchunked")], "0\r\n\r\n"),
    (&[("Transfer-Encoding", "chunked, identity")], "0\r\n\r\n"),
    (&[("Transfer-Encoding ", "chunked")], "0\r\n\r\n"),
    (
        &[("Transfer-Encoding", "chunked")],
        "FFFFFFFFFFFFFFFF1\r\n\r\n",
    ),
];

/// A server refuses a request whose length is ambiguous, because a second request could hide behind
/// it.
#[tokio::test]
async fn rustsec_2021_0078_request_hidden_behind_another() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        let call = modern(1, "tools/call", json!({"name": "canary", "arguments": {}}));
        let hidden = Attempt::call(site.address, "canary", json!({})).body(call.to_string());
        let hidden = format!("{}{call}", hidden.head());
        for (headers, before) in AMBIGUOUS {
            let mut outer = Attempt::post(site.address, "/mcp", format!("{before}{hidden}"));
            outer = outer.without("Connection");
            for (name, value) in headers {
                outer = outer.and(name, value.replace("LENGTH", &hidden.len().to_string()));
            }
            let answer = outer.send().await;
            // The refusal closes the connection, so that the server never reads what follows.
            let rest = answer.rest().await;
            assert!(!rest.contains("HTTP/1.1 2"), "{headers:?}: {rest}");
            assert_eq!(site.probe.ran(), 0, "{kind:?} {headers:?}");
        }
    }
}

/// Cargo unifies features over a whole build, so any dependency could turn on features of
/// serde_json.
#[test]
fn serde_json_is_as_we_know_it() {
    let precise: Result<Value, _> = serde_json::from_str("1e400");
    assert!(precise.is_err(), "arbitrary_precision is on");
    let number: Value = serde_json::from_str("1.0").unwrap();
    assert_eq!(number.as_f64(), Some(1.0));
    let rounded: Value = serde_json::from_str("0.1000000000000000055511151231257827").unwrap();
    assert_eq!(rounded.to_string(), "0.1", "arbitrary_precision is on");
    let map: Map<String, Value> = serde_json::from_str(r#"{"b":1,"a":2}"#).unwrap();
    let keys: Vec<_> = map.keys().collect();
    assert_eq!(keys, ["a", "b"], "preserve_order is on");
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(serde_json::from_str::<Value>(&nested(127)).is_ok());
    assert!(
        serde_json::from_str::<Value>(&nested(128)).is_err(),
        "depth is unbounded"
    );
}
