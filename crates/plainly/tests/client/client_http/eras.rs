//! The era and the revision that a client detects over HTTP.

use super::cases;
use std::time::Duration;

use plainly::client::{Client, Error, LocalError};
use plainly::errors::Revision;
use plainly_peer::assert_local;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::server;

#[tokio::test]
async fn a_modern_request_is_mirrored_in_its_headers() {
    let (builder, server) = server::start().await;
    let builder = builder.header("Authorization", "Bearer t");
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = server.request("server/discover").await;
        assert_eq!(probe.headers["mcp-protocol-version"], "2026-07-28");
        assert_eq!(probe.headers["mcp-method"], "server/discover");
        assert_eq!(probe.headers["authorization"], "Bearer t");
        probe
            .result(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}))
            .await;
    });
    let client = client.unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
    let (read, ()) = tokio::join!(client.read("file:///ä"), async {
        let request = server.request("resources/read").await;
        assert_eq!(request.headers["mcp-name"], "=?base64?ZmlsZTovLy/DpA==?=");
        assert_eq!(request.headers["authorization"], "Bearer t");
        assert!(!request.headers.contains_key("mcp-session-id"));
        request
            .result(json!({"contents": [], "ttlMs": 1000, "cacheScope": "public"}))
            .await;
    });
    assert_eq!(read.unwrap().cache.ttl.as_secs(), 1);
}

#[tokio::test]
async fn what_is_no_modern_answer_means_legacy() {
    let cases = cases::<(&str, &str, &str)>("no modern answers");
    for (status, headers, body) in cases {
        let (builder, server) = server::start().await;
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = server.request("server/discover").await;
            probe.answer(status, headers, body).await;
            server.initialize(None, json!({})).await;
        });
        let client = client.unwrap_or_else(|error| panic!("{status} {body}: {error}"));
        assert_eq!(client.revision(), Revision::V2025_06_18);
    }
}

#[tokio::test]
async fn a_modern_error_is_no_reason_to_fall_back() {
    type Expected = fn(&Error) -> bool;
    let cases: [(&str, Value, Expected); 3] = [
        (
            "400 Bad Request",
            json!({"code": -32022, "message": "", "data": {"supported": ["2031-01-01"], "requested": "2026-07-28"}}),
            |error| matches!(error.local(), Some(LocalError::UnsupportedVersion { .. })),
        ),
        (
            "400 Bad Request",
            json!({"code": -32020, "message": ""}),
            |error| error.protocol().is_some(),
        ),
        (
            "400 Bad Request",
            json!({"code": -32021, "message": "", "data": {"requiredCapabilities": {"roots": {}}}}),
            |error| error.protocol().is_some(),
        ),
    ];
    for (status, error, expected) in cases {
        let (builder, server) = server::start().await;
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = server.request("server/discover").await;
            probe.error(status, error.clone()).await;
        });
        let found = client.unwrap_err();
        assert!(expected(&found), "{error}: {found}");
    }
}

#[tokio::test]
async fn a_refusal_on_the_way_says_nothing_about_the_era() {
    for status in [
        "401 Unauthorized",
        "403 Forbidden",
        "503 Service Unavailable",
    ] {
        let (builder, server) = server::start().await;
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = server.request("server/discover").await;
            probe.answer(status, "", "go away\nnow").await;
        });
        let error = client.unwrap_err();
        let number = &status[..3];
        let expected = format!("HTTP status {number} ");
        assert!(error.to_string().starts_with(&expected), "{error}");
        let Some(LocalError::HttpStatus { body, .. }) = error.local() else {
            panic!("{error}");
        };
        assert_eq!(body, "go away\nnow");
    }
}

#[tokio::test]
async fn a_refusal_on_the_way_says_nothing_about_the_era_whatever_its_body() {
    let bodies = [
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"who are you?"}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","error":{"code":401,"message":"no"}}"#,
        r#"{"jsonrpc":"2.0","error":"no"}"#,
        r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no","data":{"kind":"refused","refusal":"forbidden_origin"}}}"#,
        r#"{"error":{"code":-32001}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ];
    let statuses = [
        "401 Unauthorized",
        "403 Forbidden",
        "407 Proxy Authentication Required",
        "429 Too Many Requests",
        "502 Bad Gateway",
        "503 Service Unavailable",
        "504 Gateway Timeout",
    ];
    for (status, body) in statuses
        .iter()
        .flat_map(|status| bodies.map(|body| (status, body)))
    {
        let (builder, server) = server::start().await;
        let builder = builder.connect_timeout(Duration::from_secs(5));
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = server.request("server/discover").await;
            probe.json(status, body).await;
            drop(server);
        });
        let error = client.unwrap_err();
        let refused = match &error {
            Error::Local(_) => error.to_string().starts_with("HTTP status"),
            Error::Protocol(error) => {
                body.contains("forbidden_origin") && !error.to_string().is_empty()
            }
        };
        assert!(refused, "{status} {body}: {error}");
    }
}

#[tokio::test]
async fn where_the_fallback_fails_too_the_first_error_is_told() {
    let unclear = "500 Internal Server Error";
    let unknown = json!({"code": -32601, "message": "Method not found"});
    let other = json!({"code": -32602, "message": "later"});
    let first = json!({"code": -32603, "message": "database down"});
    for (status, fallback, told) in [
        (unclear, &unknown, "database down (InternalError -32603)"),
        (unclear, &other, "database down (InternalError -32603)"),
        ("200 OK", &unknown, "database down (InternalError -32603)"),
        ("200 OK", &other, "later (InvalidParams -32602)"),
    ] {
        let (builder, server) = server::start().await;
        let (client, ()) = tokio::join!(builder.connect(), async {
            let probe = server.request("server/discover").await;
            probe.error(status, first.clone()).await;
            let handshake = server.request("initialize").await;
            handshake.error("200 OK", fallback.clone()).await;
        });
        assert_eq!(client.unwrap_err().to_string(), told, "{status} {fallback}");
    }
}

#[tokio::test]
async fn a_server_that_fails_before_it_is_greeted_is_greeted() {
    let (builder, server) = server::start().await;
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = server.request("server/discover").await;
        let error = json!({"code": -32603, "message": "no session"});
        probe.error("500 Internal Server Error", error).await;
        server.initialize(None, json!({})).await;
    });
    assert_eq!(client.unwrap().revision(), Revision::V2025_06_18);
}

#[tokio::test]
async fn a_server_that_does_not_end_the_handshake_owes_that() {
    let (builder, server) = server::start().await;
    let builder = builder.connect_timeout(Duration::from_secs(2));
    let (client, ()) = tokio::join!(builder.connect(), async {
        server.refuse("server/discover", "404 Not Found").await;
        let handshake = server.request("initialize").await;
        let result = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "serverInfo": {"name": "old", "version": "1"},
        });
        handshake.result(result).await;
        server
            .request("notifications/initialized")
            .await
            .hung_up()
            .await;
    });
    let expected = "no reply to `notifications/initialized` within 2s";
    assert_eq!(client.unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn nobody_there_is_unreachable_and_no_secret_is_shown() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let client = Client::http(format!("http://me:hush@{address}/mcp?key=secret#x"));
    let error = client.connect().await.unwrap_err();
    assert!(error.is_unreachable());
    let expected = format!("cannot reach http://{address}/mcp");
    assert_eq!(error.to_string(), expected);
    let mut causes = String::new();
    let mut cause = std::error::Error::source(&error);
    while let Some(next) = cause {
        causes.push_str(&next.to_string());
        cause = next.source();
    }
    assert!(
        !causes.is_empty() && !causes.contains("secret") && !causes.contains("hush"),
        "{causes}"
    );
}

#[tokio::test]
async fn what_can_not_be_used_is_refused_before_anything_is_sent() {
    for builder in [
        Client::http("ftp://example.com"),
        Client::http("example.com/mcp"),
        Client::http("http://127.0.0.1:1/").header("bad name", "x"),
        Client::http("http://127.0.0.1:1/").header("name", "line\nbreak"),
    ] {
        let error = builder.connect().await.unwrap_err();
        assert_local!(error, LocalError::Configuration { .. });
    }
}

#[tokio::test]
async fn headers_of_the_client_itself_are_refused_and_others_are_set_once() {
    for name in [
        "Accept",
        "Accept-Encoding",
        "CONTENT-TYPE",
        "Content-Length",
        "Host",
        "Last-Event-ID",
        "Mcp-Param-Region",
        "Mcp-Protocol-Version",
        "mcp-session-id",
        "Transfer-Encoding",
    ] {
        let builder = Client::http("http://127.0.0.1:1/").header(name, "hush");
        let error = builder.connect().await.unwrap_err();
        let told = error.to_string();
        assert!(told.starts_with(&format!("header {name:?} can't be set: ")));
        assert!(!told.contains("hush"), "{told}");
    }
    let (builder, server) = server::start().await;
    let builder = builder.header("X-Key", "1").header("x-key", "2");
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = server.request("server/discover").await;
        assert_eq!(probe.headers["x-key"], "2");
        probe
            .result(json!({"supportedVersions": ["2026-07-28"], "capabilities": {}}))
            .await;
    });
    client.unwrap();
}

#[tokio::test]
async fn a_secure_url_is_spoken_to_in_tls_alone() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let connecting = Client::http(format!("https://{address}/mcp")).connect();
    let (client, first) = tokio::join!(connecting, async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let first = stream.read_u8().await.unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        first
    });
    const TLS_HANDSHAKE: u8 = 22;
    assert_eq!(first, TLS_HANDSHAKE);
    assert!(client.unwrap_err().is_unreachable());
}
