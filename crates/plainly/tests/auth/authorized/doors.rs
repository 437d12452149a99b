//! The only way in: every path and method of the endpoint requires authorization before the body is
//! read.

use plainly_peer::message;
use serde_json::json;

use super::issuer::Issuer;
use super::support::{Guarded, RESOURCE, bearer, call, challenge, mirrored};

const METHODS: [&str; 9] = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND",
];
/// The paths of the endpoints, and some that only look similar.
const HERE: [&str; 4] = ["/mcp", "/mcp?x=1", "/sse", "/sse?sessionId=1"];
const ELSEWHERE: [&str; 8] = [
    "//mcp",
    "/mcp/",
    "/%2fmcp",
    "/mcp%2f",
    "/MCP",
    "/./mcp",
    "/",
    "/.well-known/oauth-protected-resource/other",
];

/// CVE-2026-33032.
#[tokio::test]
async fn every_path_and_method_asks_for_a_token_before_the_body_is_read() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let message = call("who");
    for method in METHODS {
        for path in HERE.into_iter().chain(ELSEWHERE) {
            // The body is never sent.
            let head = format!(
                "{method} {path} HTTP/1.1\r\nHost: {}\r\n{}{}Content-Length: 1000\r\n\r\n",
                guarded.site.address,
                message::JSON,
                mirrored(&message)
            );
            let response = guarded.site.write(head).await;
            let expected = if HERE.contains(&path) { 401 } else { 404 };
            assert_eq!(
                response.status, expected,
                "{method} {path}: {}",
                response.head
            );
            let is_challenged = challenge(&response).starts_with("Bearer resource_metadata=");
            assert_eq!(is_challenged, expected == 401, "{method} {path}");
            // The server closes the connection, because it would read the next request as the
            // missing body.
            let closes = response.head.contains("connection: close");
            assert!(closes, "{method} {path}: {}", response.head);
        }
    }
    let chunked = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";
    let chunked = chunked.replace("localhost", &guarded.site.address.to_string());
    assert_eq!(guarded.site.write(chunked).await.status, 401);
    assert_eq!(guarded.ran.count(), 0);
}

#[tokio::test]
async fn every_message_asks_for_a_token() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    for message in [
        message::initialize(message::LEGACY[3]),
        message::modern(1, "server/discover", json!({})),
        message::request(1, "ping", json!({})),
        message::notification("initialized", json!({})),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!([message::request(1, "ping", json!({}))]),
        json!("no message"),
    ] {
        let mut response = guarded.post("", &message).await;
        assert_eq!(response.status, 401, "{message}");
        let reply = response.json().await;
        assert_eq!(reply["error"]["data"]["refusal"], "unauthorized", "{reply}");
        assert_eq!(reply.get("id"), None);
    }
    let token = issuer.token(json!({}));
    let opened = guarded
        .post(&bearer(&token), &message::initialize(message::LEGACY[3]))
        .await;
    assert_eq!(opened.status, 200);
    let session = format!("Mcp-Session-Id: {}\r\n", opened.session());
    for line in ["GET /mcp", "DELETE /mcp"] {
        let refused = guarded.site.send(line, &session, "").await;
        assert_eq!(refused.status, 401, "{line}");
    }
}

#[tokio::test]
async fn a_foreign_host_or_page_is_refused_before_its_token_is_looked_at() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let token = bearer(&issuer.token(json!({})));
    for header in ["Host: evil.example\r\n", "Origin: https://evil.example\r\n"] {
        let refused = guarded
            .post(&format!("{token}{header}"), &call("who"))
            .await;
        assert_eq!(refused.status, 403, "{header}");
    }
    assert_eq!(issuer.behaviour.keys_asked(), 0);
}

#[tokio::test]
async fn the_metadata_is_for_everybody_and_says_whose_tokens_are_taken() {
    let issuer = Issuer::start().await;
    let guarded =
        Guarded::with(|auth| auth.issuer(&issuer.url).require(["read"]).name("Files")).await;
    for path in [
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-protected-resource",
    ] {
        let page = "Origin: https://app.example\r\n";
        let mut response = guarded.site.bare(&format!("GET {path}"), page, "").await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.header("cache-control"), Some("max-age=3600"));
        assert_eq!(response.header("content-type"), Some("application/json"));
        let document: serde_json::Value = serde_json::from_str(&response.body().await).unwrap();
        let expected = json!({
            "resource": RESOURCE, "authorization_servers": [issuer.url], "scopes_supported": ["read"],
            "bearer_methods_supported": ["header"], "resource_name": "Files",
        });
        assert_eq!(document, expected);
        let foreign = guarded
            .site
            .bare(&format!("GET {path}"), "Host: evil.example\r\n", "")
            .await;
        assert_eq!(foreign.status, 403);
        let asked = guarded
            .site
            .bare(&format!("OPTIONS {path}"), page, "")
            .await;
        assert_eq!(asked.status, 204);
        assert_eq!(
            asked.header("access-control-allow-headers"),
            Some("Content-Type, MCP-Protocol-Version")
        );
        let posted = guarded.site.bare(&format!("POST {path}"), "", "").await;
        assert_eq!(posted.status, 405);
    }
    let bare = guarded.post("", &call("who")).await;
    let expected = r#"Bearer resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp", scope="read""#;
    assert_eq!(challenge(&bare), expected);
}

/// GHSA-g53w-w6mj-hrpp.
#[tokio::test]
async fn no_header_says_who_calls_or_where() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let host = guarded.site.address;
    let forged = format!(
        "Host: {host}\r\nX-Forwarded-User: root\r\nX-Plainly-Principal: root\r\nX-Forwarded-Host: evil.example\r\n\
         Forwarded: host=evil.example\r\nRemote-User: root\r\nX-Forwarded-For: 192.0.2.1\r\n"
    );
    let refused = guarded.post(&forged, &call("who")).await;
    assert_eq!(refused.status, 401);
    assert!(
        !challenge(&refused).contains("evil"),
        "{}",
        challenge(&refused)
    );
    let token = bearer(&issuer.token(json!({})));
    let mut taken = guarded
        .post(&format!("{token}{forged}"), &call("who"))
        .await;
    let reply = taken.json().await.to_string();
    assert!(
        reply.contains("alice") && !reply.contains("root"),
        "{reply}"
    );
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn a_token_is_sent_once_and_in_the_header_alone() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let token = issuer.token(json!({}));
    let (once, body) = (bearer(&token), call("who"));
    for (name, path, headers, status, error) in [
        ("once", "/mcp", once.clone(), 200, ""),
        ("twice", "/mcp", once.repeat(2), 400, "invalid_request"),
        (
            "with another scheme",
            "/mcp",
            format!("{once}Authorization: Basic dTpw\r\n"),
            400,
            "invalid_request",
        ),
        (
            "in the query too",
            &format!("/mcp?access_token={token}"),
            once,
            400,
            "invalid_request",
        ),
        (
            "in the query alone",
            &format!("/mcp?access_token={token}"),
            String::new(),
            401,
            "",
        ),
        (
            "by another scheme",
            "/mcp",
            format!("Authorization: Basic {token}\r\n"),
            401,
            "",
        ),
        (
            "with a proof that nobody asks for",
            "/mcp",
            format!("Authorization: DPoP {token}\r\nDPoP: x\r\n"),
            401,
            "",
        ),
        (
            "two in one",
            "/mcp",
            format!("Authorization: Bearer {token}, {token}\r\n"),
            401,
            "invalid_token",
        ),
        (
            "none",
            "/mcp",
            "Authorization: Bearer\r\n".to_owned(),
            401,
            "invalid_token",
        ),
    ] {
        let headers = format!("{}{headers}", mirrored(&body));
        let response = guarded
            .site
            .send(&format!("POST {path}"), &headers, &body)
            .await;
        assert_eq!(response.status, status, "{name}");
        let (_, said) = response.head.split_once(" error=\"").unwrap_or_default();
        assert_eq!(said.split('"').next(), Some(error), "{name}");
        assert!(!response.head.contains(&token), "{name}");
    }
}
