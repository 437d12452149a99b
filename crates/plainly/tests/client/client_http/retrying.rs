//! Retries of calls, with a server that counts: a client retries only calls that may be repeated
//! and may then succeed, not before the requested time, and a limited number of times.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainly::client::{Client, Retries};
use plainly_peer::Host;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::server;

const SECOND: Duration = Duration::from_secs(1);

async fn retrying(retries: Retries) -> (Client, Host) {
    let (builder, host) = server::start().await;
    let (client, ()) = tokio::join!(builder.retries(retries).connect(), host.discover());
    (client.expect("the server is modern"), host)
}

/// Answers the next request with this error, this status and these headers.
async fn refuse(host: &Host, method: &str, status: &str, headers: &str, error: &Value) {
    let request = host.request(method).await;
    let headers = format!("Content-Type: application/json\r\n{headers}");
    let body = json!({"jsonrpc": "2.0", "id": null, "error": error}).to_string();
    request.answer(status, &headers, &body).await;
}

fn busy() -> Value {
    json!({"code": 503, "message": "Busy", "data": {"kind": "overloaded"}})
}

const BUSY: &str = "503 Service Unavailable";

#[tokio::test]
async fn a_listing_is_tried_again_after_the_wait_that_the_server_asks_for() {
    let limited = json!({"code": 429, "message": "m", "data": {"code": "RATE_LIMIT_EXCEEDED", "retry_after": 1}});
    for (status, headers, error) in [
        (BUSY, "Retry-After: 1\r\n", &busy()),
        ("200 OK", "", &limited),
    ] {
        let (client, host) = retrying(Retries::by_hint()).await;
        let start = Instant::now();
        let (tools, ()) = tokio::join!(client.tools(), async {
            refuse(&host, "tools/list", status, headers, error).await;
            host.answer("tools/list").await;
        });
        tools.unwrap();
        assert!(start.elapsed() >= SECOND);
    }
}

#[tokio::test]
async fn a_call_is_tried_so_often_and_no_longer() {
    let (client, host) = retrying(Retries::by_hint()).await;
    let failing = json!({"code": -32603, "message": "m"});
    let (read, ()) = tokio::join!(client.read("a:b"), async {
        for _ in 0..3 {
            refuse(&host, "resources/read", "200 OK", "", &failing).await;
        }
    });
    assert!(read.unwrap_err().is_internal());
    // The requested wait exceeds the call's timeout, so the call fails at once and reports the
    // wait.
    let start = Instant::now();
    let (read, ()) = tokio::join!(client.read("a:b"), async {
        refuse(
            &host,
            "resources/read",
            BUSY,
            "Retry-After: 61\r\n",
            &busy(),
        )
        .await;
    });
    assert_eq!(read.unwrap_err().retry_after(), Some(61 * SECOND));
    assert!(start.elapsed() < 10 * SECOND);
    // A permanent error is not retried, and a client without retries retries nothing.
    let missing = json!({"code": -32602, "message": "m", "data": {"uri": "a:b"}});
    let (read, ()) = tokio::join!(client.read("a:b"), async {
        refuse(&host, "resources/read", "200 OK", "", &missing).await;
    });
    assert!(read.unwrap_err().is_resource_not_found());
    let once = client.with_retries(Retries::NONE);
    let (read, ()) = tokio::join!(once.read("a:b"), async {
        refuse(&host, "resources/read", "200 OK", "", &failing).await;
    });
    assert!(read.unwrap_err().is_internal());
    let (tools, ()) = tokio::join!(client.tools(), host.answer("tools/list"));
    tools.unwrap();
}

#[tokio::test]
async fn a_tool_is_called_again_only_if_its_listing_allows_it() {
    let (client, host) = retrying(Retries::by_hint()).await;
    let tool = |name: &str, annotations: Value| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": annotations});
    let listing = json!({"tools": [
        tool("read", json!({"readOnlyHint": true})),
        tool("set", json!({"idempotentHint": true})),
        tool("pay", json!({"readOnlyHint": false})),
    ]});
    let (tools, ()) = tokio::join!(client.tools(), host.answer_with("tools/list", listing));
    tools.unwrap();
    for name in ["read", "set"] {
        let (called, ()) = tokio::join!(client.call_tool(name, ()), async {
            refuse(&host, "tools/call", BUSY, "Retry-After: 0\r\n", &busy()).await;
            host.answer("tools/call").await;
        });
        called.unwrap();
    }
    for name in ["pay", "unknown"] {
        let (called, ()) = tokio::join!(client.call_tool(name, ()), async {
            refuse(&host, "tools/call", BUSY, "Retry-After: 0\r\n", &busy()).await;
        });
        assert!(called.unwrap_err().is_unavailable(), "{name}");
    }
    // An error result of a tool is an answer, which is not retried.
    let failed = json!({"content": [], "isError": true});
    let (called, ()) = tokio::join!(
        client.call_tool("read", ()),
        host.answer_with("tools/call", failed)
    );
    assert!(called.unwrap().is_tool_error());
}

#[tokio::test]
async fn what_was_cut_off_is_tried_again_too() {
    let (client, host) = retrying(Retries::by_hint()).await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        drop(host.request("tools/list").await);
        host.request("tools/list").await.answer(BUSY, "", "").await;
        host.answer("tools/list").await;
    });
    tools.unwrap();
}

#[tokio::test]
async fn what_is_learnt_between_two_tries_gives_no_more_of_them() {
    let (client, host) = retrying(Retries::by_hint()).await;
    let tool = json!({"name": "t", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}});
    let listing = json!({"tools": [tool]});
    let (tools, ()) = tokio::join!(
        client.tools(),
        host.answer_with("tools/list", listing.clone())
    );
    tools.unwrap();
    let mismatch = json!({"code": -32020, "message": "Header mismatch"});
    let (called, ()) = tokio::join!(client.call_tool("t", ()), async {
        refuse(&host, "tools/call", BUSY, "Retry-After: 0\r\n", &busy()).await;
        refuse(&host, "tools/call", "400 Bad Request", "", &mismatch).await;
        host.answer_with("tools/list", listing).await;
        refuse(&host, "tools/call", BUSY, "Retry-After: 0\r\n", &busy()).await;
    });
    assert!(called.unwrap_err().is_unavailable());
    let (read, ()) = tokio::join!(client.prompts(), host.answer("prompts/list"));
    read.unwrap();
}

#[tokio::test]
async fn a_token_that_is_renewed_costs_no_try() {
    let (builder, host) = server::start().await;
    let asked = AtomicUsize::new(0);
    let builder = builder.token(move || {
        let number = asked.fetch_add(1, Ordering::SeqCst);
        async move { Ok(format!("t{number}")) }
    });
    let builder = builder.retries(Retries::by_hint());
    let (client, ()) = tokio::join!(builder.connect(), host.discover());
    let client = client.unwrap();
    let (read, ()) = tokio::join!(client.prompts(), async {
        let refused = host.request("prompts/list").await;
        refused.answer("401 Unauthorized", "", "").await;
        for _ in 0..2 {
            refuse(&host, "prompts/list", BUSY, "Retry-After: 0\r\n", &busy()).await;
        }
        host.answer("prompts/list").await;
    });
    read.unwrap();
}
