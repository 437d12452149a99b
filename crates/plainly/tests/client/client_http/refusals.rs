//! The meaning of an error status and its headers: authentication, redirects, and the time before a
//! retry.

use std::time::Duration;

use plainly::client::Error;
use serde_json::{Value, json};

use super::cases;
use super::server;

/// Returns the error of a listing that is answered with this status, these headers and this body.
async fn refused(status: &str, headers: &str, body: &str) -> Error {
    let (client, server) = server::modern().await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        let request = server.request("tools/list").await;
        request.answer(status, headers, body).await;
    });
    tools.expect_err("it is refused")
}

#[tokio::test]
async fn a_status_says_what_to_do() {
    for (status, headers, body, expected) in cases::<(&str, &str, &str, &str)>("refusals") {
        let error = refused(status, headers, body).await;
        // The port is removed, because it differs in each run.
        let moved = error.location().and_then(|url| url.strip_suffix("/mcp/"));
        let text = error.to_string().replace(moved.unwrap_or("nowhere"), "");
        assert_eq!(text, expected);
        let number: u16 = status[..3].parse().unwrap();
        assert_eq!(error.http_status(), Some(number));
        assert_eq!(error.is_unauthorized(), number == 401);
        assert_eq!(error.is_forbidden(), number == 403);
        assert_eq!(error.location().is_some(), headers.contains("Location"));
        assert_eq!(error.challenge().is_some(), headers.contains("Bearer"));
    }
}

#[tokio::test]
async fn the_credentials_that_are_wanted_are_data() {
    let headers = "WWW-Authenticate: Bearer error=\"insufficient_scope\", scope=\"files:read files:write\", \
                   resource_metadata=\"https://a.example/.well-known/oauth-protected-resource\"\r\n";
    let error = refused("403 Forbidden", headers, "").await;
    let challenge = error.challenge().unwrap();
    assert_eq!(challenge.scheme, "Bearer");
    assert_eq!(challenge.scope.as_deref(), Some("files:read files:write"));
    assert_eq!(challenge.error.as_deref(), Some("insufficient_scope"));
    let metadata = challenge.resource_metadata.as_deref();
    assert_eq!(
        metadata,
        Some("https://a.example/.well-known/oauth-protected-resource")
    );
}

/// Returns the error of a listing that is answered with this status, these headers and this
/// JSON-RPC error.
async fn erred(status: &str, headers: &str, error: Value) -> Error {
    let headers = format!("Content-Type: application/json\r\n{headers}");
    let body = json!({"jsonrpc": "2.0", "id": null, "error": error});
    refused(status, &headers, &body.to_string()).await
}

#[tokio::test]
async fn the_header_says_when_to_try_again_beside_an_error_too() {
    let overloaded = json!({"code": 503, "message": "Busy", "data": {"kind": "overloaded"}});
    let limited = json!({"code": 429, "message": "Slow", "data": {"code": "RATE_LIMIT_EXCEEDED", "retry_after": 5}});
    let params = json!({"code": -32602, "message": "m", "data": {"kind": "invalid_cursor"}});
    let (unavailable, many) = ("503 Service Unavailable", "429 Too Many Requests");
    for (status, error, wait, words) in [
        (unavailable, &overloaded, Some(30), "Busy (code 503)"),
        (many, &limited, Some(30), "Slow (code 429)"),
        ("400 Bad Request", &params, None, "m (InvalidParams -32602)"),
    ] {
        let error = erred(status, "Retry-After: 30\r\n", error.clone()).await;
        assert_eq!(
            error.retry_after(),
            wait.map(Duration::from_secs),
            "{error:?}"
        );
        assert_eq!(error.is_retryable(), wait.is_some());
        assert_eq!(error.to_string(), words);
        assert_eq!(error.http_status(), status[..3].parse().ok());
    }
}

#[tokio::test]
async fn a_problem_is_found_under_a_status_too() {
    let denied = json!({"code": 403, "message": "No", "data": {"code": "INSUFFICIENT_SCOPE"}});
    let error = erred("403 Forbidden", "", denied.clone()).await;
    assert_eq!(
        error.problem().unwrap().code().as_str(),
        "INSUFFICIENT_SCOPE"
    );
    assert!(error.is_forbidden() && error.protocol().is_some());
    let headers = "WWW-Authenticate: Bearer scope=\"a\"\r\n";
    let error = erred("403 Forbidden", headers, denied).await;
    assert_eq!(
        error.problem().unwrap().code().as_str(),
        "INSUFFICIENT_SCOPE"
    );
    assert_eq!(error.challenge().unwrap().scope.as_deref(), Some("a"));
}
