//! Servers that support only HTTP with SSE, the transport of 2024-11-05, and servers that only look
//! like one. The client must detect both.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::{Builder, Change, Client, Http, LocalError};
use plainly::errors::Revision;
use plainly::protocol::types::{Root, SubscriptionFilter};
use plainly_peer::{AnsweredRequest, Host, assert_local, told, within};
use serde_json::{Value, json};

use super::cases;
use super::server;

/// A timeout that is far longer than any of these tests takes.
const LONG: Duration = Duration::from_secs(20);

/// Rejects newer requests, and returns the request for the stream.
async fn refuse(host: &Host, status: &str) -> AnsweredRequest {
    host.refuse("server/discover", status).await;
    host.refuse("initialize", status).await;
    get(host).await
}

async fn get(host: &Host) -> AnsweredRequest {
    let get = host.next().await;
    assert_eq!((&*get.method, &*get.path), ("GET", "/mcp?key=secret"));
    assert_eq!(get.headers["accept"], "text/event-stream");
    get
}

/// Returns the next message, which is posted to the URL from the stream.
async fn posted(host: &Host, method: &str) -> AnsweredRequest {
    let posted = host.request(method).await;
    assert_eq!(posted.path, "/messages?session=1");
    posted
}

/// Receives the next message, and answers it on the stream with this result or a minimal one.
async fn reply(host: &Host, stream: &mut AnsweredRequest, method: &str, result: Option<Value>) {
    let posted = posted(host, method).await;
    let result = result.unwrap_or_else(|| plainly_peer::message::least(method));
    let reply = posted.response(result);
    posted.answer("202 Accepted", "", "Accepted").await;
    stream.write(&format!("data: {reply}\n\n")).await;
}

async fn shake_hands(
    host: &Host,
    stream: &mut AnsweredRequest,
    version: &str,
    capabilities: Value,
) {
    stream.events().await;
    stream
        .write(": hello\n\nevent: endpoint\ndata: /messages?session=1\n\n")
        .await;
    let initialized = plainly_peer::message::initialized(version, capabilities);
    reply(host, stream, "initialize", Some(initialized)).await;
    let done = posted(host, "notifications/initialized").await;
    done.answer("202 Accepted", "", "").await;
}

async fn connect_with(
    builder: Builder<Http>,
    host: &Host,
    capabilities: Value,
) -> (Client, AnsweredRequest) {
    let (client, stream) = tokio::join!(builder.connect(), async {
        let mut stream = refuse(host, "405 Method Not Allowed").await;
        shake_hands(host, &mut stream, "2024-11-05", capabilities).await;
        stream
    });
    (client.expect("it is found out"), stream)
}

async fn connect() -> (Client, Host, AnsweredRequest) {
    let (builder, host) = server::start().await;
    let (client, stream) = connect_with(builder, &host, json!({})).await;
    (client, host, stream)
}

#[tokio::test]
async fn a_server_of_the_older_transport_is_found_by_itself() {
    for status in ["400 Bad Request", "404 Not Found", "405 Method Not Allowed"] {
        let (builder, host) = server::start().await;
        let builder = builder.header("Authorization", "Bearer t");
        let (client, mut stream) = tokio::join!(builder.connect(), async {
            let mut stream = refuse(&host, status).await;
            assert_eq!(stream.headers["authorization"], "Bearer t");
            shake_hands(&host, &mut stream, "2024-11-05", json!({})).await;
            stream
        });
        let client = client.unwrap();
        assert_eq!(client.revision(), Revision::V2024_11_05);
        let (tools, ()) = tokio::join!(client.tools(), async {
            let asked = posted(&host, "tools/list").await;
            assert_eq!(asked.headers["authorization"], "Bearer t");
            // Some servers accept a request only after they have handled it.
            let reply = asked.response(json!({"tools": []}));
            stream.write(&format!("data: {reply}\n\n")).await;
            asked.answer("202 Accepted", "", "").await;
        });
        assert!(tools.unwrap().is_empty());
        client.close().await;
        stream.hung_up().await;
        assert!(client.ping().await.unwrap_err().is_closed());
    }
}

#[tokio::test]
async fn a_pinned_revision_is_asked_for_there_and_a_modern_one_is_not() {
    let (builder, host) = server::start().await;
    let builder = builder.revision(Revision::V2024_11_05);
    let (client, _stream) = tokio::join!(builder.connect(), async {
        host.refuse("initialize", "404 Not Found").await;
        let mut stream = get(&host).await;
        shake_hands(&host, &mut stream, "2024-11-05", json!({})).await;
        stream
    });
    assert_eq!(client.unwrap().revision(), Revision::V2024_11_05);
    let (builder, host) = server::start().await;
    let builder = builder.revision(Revision::V2026_07_28);
    let (client, ()) = tokio::join!(
        builder.connect(),
        host.refuse("server/discover", "404 Not Found")
    );
    assert_eq!(client.unwrap_err().http_status(), Some(404));
}

#[tokio::test]
async fn the_endpoint_may_be_a_whole_url_and_has_the_users_credentials() {
    let host = Host::start().await;
    let client = Client::http(host.url.replace("//", "//me:hush@"));
    let (client, _stream) = tokio::join!(client.connect(), async {
        host.refuse("server/discover", "405 Method Not Allowed")
            .await;
        host.refuse("initialize", "405 Method Not Allowed").await;
        let mut stream = host.next().await;
        let credentials = stream.headers["authorization"].clone();
        stream.events().await;
        let endpoint = host.url.replace("/mcp", "/in");
        stream
            .write(&format!("event: endpoint\r\ndata: {endpoint}\r\n\r\n"))
            .await;
        let handshake = host.request("initialize").await;
        assert_eq!(handshake.path, "/in");
        assert_eq!(handshake.headers["authorization"], credentials);
        handshake.answer("403 Forbidden", "", "not you").await;
        stream
    });
    let error = client.unwrap_err();
    let expected = "HTTP status 403 without an MCP reply to `initialize`";
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn what_both_ways_fail_with_is_told_by_the_one_that_says_more() {
    for (status, body, other, expected) in
        cases::<(&str, &str, &str, &str)>("no server of any transport")
    {
        let (builder, host) = server::start().await;
        let host_url = host.url.replace("/mcp", "");
        let (client, ()) = tokio::join!(builder.connect(), async {
            for method in ["server/discover", "initialize"] {
                let asked = host.request(method).await;
                match body.starts_with('{') {
                    true => asked.json(status, body).await,
                    false => asked.answer(status, "", body).await,
                }
            }
            let mut asked = get(&host).await;
            asked.write(&format!("HTTP/1.1 {other}")).await;
        });
        let error = client.unwrap_err();
        let found = told(&error).replace(&host_url, "http://host");
        assert_eq!(found, expected, "{status} {other}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_says_nothing_is_not_waited_for_longer_than_connecting_may_take() {
    for (written, expected) in [
        (
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n: still here\n\n",
            "no reply to `GET` within 30s; the server sent a stream of events without `endpoint` instead",
        ),
        ("", "HTTP status 405 without an MCP reply to `initialize`"),
    ] {
        let (builder, host) = server::start().await;
        let (client, _silent) = tokio::join!(builder.connect(), async {
            let mut asked = refuse(&host, "405 Method Not Allowed").await;
            asked.write(written).await;
            asked
        });
        assert_eq!(client.unwrap_err().to_string(), expected);
    }
}

#[tokio::test]
async fn a_line_without_an_end_is_read_up_to_the_limit() {
    let (builder, host) = server::start().await;
    let (client, ()) = tokio::join!(builder.connect(), async {
        let mut asked = refuse(&host, "405 Method Not Allowed").await;
        asked.events().await;
        asked.write(&"x".repeat(33 << 20)).await;
    });
    let expected = "invalid reply to `GET`: it is larger than 33554432 bytes";
    assert_eq!(client.unwrap_err().to_string(), expected);
}

#[tokio::test]
async fn what_the_server_does_not_take_fails_by_itself() {
    let (client, host, mut stream) = connect().await;
    for (status, body, expected) in [
        (
            "401 Unauthorized",
            "",
            "HTTP status 401 without an MCP reply to `tools/list`; the server wants credentials in the header `Authorization`",
        ),
        (
            "404 Not Found",
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}"#,
            "HTTP status 404 without an MCP reply to `tools/list`",
        ),
    ] {
        let (tools, ()) = tokio::join!(client.tools(), async {
            posted(&host, "tools/list")
                .await
                .answer(status, "", body)
                .await;
        });
        assert_eq!(tools.unwrap_err().to_string(), expected);
    }
    let (pinged, ()) = tokio::join!(client.ping(), reply(&host, &mut stream, "ping", None));
    pinged.unwrap();
}

#[tokio::test]
async fn the_server_asks_and_tells_on_its_stream() {
    let (builder, host) = server::start().await;
    let builder = builder.roots([Root::new("file:///a")]);
    let capabilities = json!({"resources": {"subscribe": true, "listChanged": true}});
    let (client, mut stream) = connect_with(builder, &host, capabilities).await;
    let filter = SubscriptionFilter::new()
        .resources_list_changed(true)
        .resource_subscriptions(["a:1".to_owned()]);
    let (subscription, ()) = tokio::join!(
        client.listen(filter.clone()),
        reply(&host, &mut stream, "resources/subscribe", None)
    );
    let mut subscription = subscription.unwrap();
    assert_eq!(subscription.honoured(), &filter);
    for (method, change) in [
        ("resources/updated", Change::Resource("a:1".to_owned())),
        ("resources/list_changed", Change::Resources),
    ] {
        let told = plainly_peer::message::notification(method, json!({"uri": "a:1"}));
        stream.event(&told).await;
        assert_eq!(within(subscription.next()).await.unwrap().unwrap(), change);
    }
    let question = json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list"});
    stream.event(&question).await;
    let answer = host.next().await;
    assert_eq!(answer.path, "/messages?session=1");
    assert_eq!(answer.body["id"], "q");
    assert_eq!(answer.body["result"]["roots"][0]["uri"], "file:///a");
    // A rejected answer does not end the connection.
    answer.answer("400 Bad Request", "", "").await;
    let (pinged, ()) = tokio::join!(client.ping(), reply(&host, &mut stream, "ping", None));
    pinged.unwrap();
}

#[tokio::test]
async fn calls_are_reported_with_their_transport_and_subscriptions_are_not() {
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&reported);
    let (builder, host) = server::start().await;
    let builder = builder.on_operation(move |operation| {
        let operation = format!("{} {}", operation.method, operation.transport);
        kept.lock().unwrap().push(operation);
    });
    let capabilities = json!({"resources": {"subscribe": true}});
    let (client, mut stream) = connect_with(builder, &host, capabilities).await;
    let filter = SubscriptionFilter::new().resource_subscriptions(["a:1".to_owned()]);
    let (subscription, ()) = tokio::join!(
        client.listen(filter),
        reply(&host, &mut stream, "resources/subscribe", None)
    );
    drop(subscription.unwrap());
    reply(&host, &mut stream, "resources/unsubscribe", None).await;
    let (pinged, ()) = tokio::join!(client.ping(), reply(&host, &mut stream, "ping", None));
    pinged.unwrap();
    assert_eq!(*reported.lock().unwrap(), ["ping http"]);
}

#[tokio::test]
async fn a_call_that_is_given_up_is_cancelled_at_the_server() {
    let (client, host, _stream) = connect().await;
    let mut call = Box::pin(client.call_tool("t", ()).into_future());
    let asked = tokio::select! {
        asked = posted(&host, "tools/call") => asked,
        _ = &mut call => unreachable!("it was not answered"),
    };
    let id = asked.body["id"].clone();
    asked.answer("202 Accepted", "", "").await;
    let call = tokio::time::timeout(Duration::from_millis(100), call).await;
    assert!(call.is_err());
    let cancelled = posted(&host, "notifications/cancelled").await;
    assert_eq!(cancelled.body["params"]["requestId"], id);
    cancelled.answer("202 Accepted", "", "").await;
}

#[tokio::test]
async fn the_end_of_the_stream_ends_the_session_and_all_that_is_in_flight() {
    for (last, expected) in [
        (
            "",
            "reading from the server failed: its stream of events ended",
        ),
        (
            "event: error\ndata: the disk is full\n\n",
            "reading from the server failed: it sent the error \"the disk is full\"",
        ),
        (
            "event: endpoint\ndata: /elsewhere\n\n",
            "reading from the server failed: it sent a second `endpoint` event",
        ),
    ] {
        let (client, host, mut stream) = connect().await;
        let (called, _asked) = tokio::join!(client.call_tool("t", ()).into_future(), async {
            let asked = posted(&host, "tools/call").await;
            stream.write(last).await;
            drop(stream);
            asked
        });
        let error = called.unwrap_err();
        assert_local!(error, LocalError::Closed(_));
        assert_eq!(told(&error), expected);
        let later = tokio::time::timeout(LONG, client.tools()).await;
        assert_eq!(told(&later.expect("at once").unwrap_err()), expected);
    }
}
