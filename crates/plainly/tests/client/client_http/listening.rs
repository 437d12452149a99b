//! Subscriptions over HTTP: on the stream of the reply with a modern server, and on the stream of
//! the session with a legacy one.

use std::time::Duration;

use plainly::client::{Change, Client, LocalError, Subscription};
use plainly::protocol::types::SubscriptionFilter;
use plainly_peer::{AnsweredRequest, Host};
use serde_json::{Value, json};

use super::server;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn filter() -> SubscriptionFilter {
    SubscriptionFilter::new()
        .resources_list_changed(true)
        .resource_subscriptions(["a:1".to_owned()])
}

fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

fn told(id: &Value, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({SUBSCRIPTION: id});
    event(&json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params}))
}

fn acknowledged(exchange: &AnsweredRequest) -> String {
    let notifications = &exchange.body["params"]["notifications"];
    told(
        &exchange.body["id"],
        "subscriptions/acknowledged",
        json!({"notifications": notifications}),
    )
}

fn updated(exchange: &AnsweredRequest) -> String {
    told(
        &exchange.body["id"],
        "resources/updated",
        json!({"uri": "a:1"}),
    )
}

/// Opens a subscription, and returns it with its exchange.
async fn listen(client: &Client, server: &Host) -> (Subscription, AnsweredRequest) {
    let (subscription, exchange) = tokio::join!(client.listen(filter()), async {
        let mut exchange = server.request("subscriptions/listen").await;
        assert_eq!(exchange.headers["mcp-method"], "subscriptions/listen");
        exchange.events().await;
        exchange.write(&acknowledged(&exchange)).await;
        exchange
    });
    (subscription.expect("acknowledged"), exchange)
}

async fn next(subscription: &mut Subscription) -> Change {
    let change = subscription.next().await;
    change.expect("not over").expect("not cut off")
}

#[tokio::test]
async fn changes_come_on_the_reply_for_longer_than_a_call_may_take() {
    let (client, server) = server::modern().await;
    let client = client.with_timeout(Duration::from_millis(200));
    let (mut subscription, mut exchange) = listen(&client, &server).await;
    assert_eq!(subscription.honoured(), &filter());
    // The subscription outlasts the timeout of a call, and ignores these bytes.
    let nothing = tokio::time::timeout(Duration::from_millis(400), subscription.next());
    exchange.write(": still here\n\ndata\n\n").await;
    assert!(nothing.await.is_err());
    let changed = updated(&exchange);
    exchange.write(&changed).await;
    let found = next(&mut subscription).await;
    assert_eq!(found, Change::Resource("a:1".into()));
    let end = exchange.response(json!({"resultType": "complete"}));
    exchange.write(&format!("{changed}data: {end}\n\n")).await;
    let found = next(&mut subscription).await;
    assert_eq!(found, Change::Resource("a:1".into()));
    assert!(subscription.next().await.is_none());
}

#[tokio::test]
async fn a_subscription_may_be_named_in_quotes() {
    let (client, server) = server::modern().await;
    let (mut subscription, mut exchange) = listen(&client, &server).await;
    let quoted = json!(exchange.body["id"].to_string());
    let changed = told(&quoted, "resources/updated", json!({"uri": "a:1"}));
    exchange.write(&changed).await;
    let found = next(&mut subscription).await;
    assert_eq!(found, Change::Resource("a:1".into()));
}

/// An event that makes the client resume after a short pause.
const SOON: &str = "retry: 1\n\n";

#[tokio::test]
async fn a_stream_that_breaks_off_is_opened_again_and_the_gap_is_told() {
    let (client, server) = server::modern().await;
    let (mut subscription, mut exchange) = listen(&client, &server).await;
    for _ in 0..3 {
        let changed = updated(&exchange);
        exchange.write(&changed).await;
        exchange.write(SOON).await;
        let before = exchange.body["id"].clone();
        drop(exchange);
        let found = next(&mut subscription).await;
        assert_eq!(found, Change::Resource("a:1".into()));
        let (missed, again) = tokio::join!(next(&mut subscription), async {
            let mut again = server.request("subscriptions/listen").await;
            assert_ne!(again.body["id"], before);
            again.events().await;
            again.write(&acknowledged(&again)).await;
            again
        });
        assert_eq!(missed, Change::Missed);
        assert_eq!(subscription.honoured(), &filter());
        exchange = again;
    }
    // A final rejection is reported as an error.
    exchange.write(SOON).await;
    drop(exchange);
    let (told, ()) = tokio::join!(subscription.next(), async {
        let again = server.request("subscriptions/listen").await;
        again.answer("401 Unauthorized", "", "").await;
    });
    assert!(told.unwrap().unwrap_err().is_unauthorized());
    assert!(subscription.next().await.is_none());
}

#[tokio::test]
async fn what_honours_nothing_any_more_is_an_error() {
    let (client, server) = server::modern().await;
    let (mut subscription, mut exchange) = listen(&client, &server).await;
    exchange.write(SOON).await;
    drop(exchange);
    let (told, _again) = tokio::join!(subscription.next(), async {
        let mut again = server.request("subscriptions/listen").await;
        again.events().await;
        let nothing = json!({"notifications": {}});
        let id = &again.body["id"];
        let nothing = told(id, "subscriptions/acknowledged", nothing);
        again.write(&nothing).await;
        again
    });
    let error = told.unwrap().unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("no longer reports these changes"),
        "{error}"
    );
}

#[tokio::test]
async fn a_client_that_is_closed_does_not_wait_to_open_a_stream_again() {
    let (client, server) = server::modern().await;
    let (mut subscription, mut exchange) = listen(&client, &server).await;
    exchange.write("retry: 3600000\n\n").await;
    drop(exchange);
    let waiting = tokio::time::timeout(Duration::from_millis(100), subscription.next());
    assert!(waiting.await.is_err());
    client.close().await;
    let told = plainly_peer::within(subscription.next()).await;
    assert!(told.unwrap().unwrap_err().is_closed());
}

#[tokio::test]
async fn dropped_it_hangs_up_and_so_does_closing_the_client() {
    let (client, server) = server::modern().await;
    let (subscription, mut exchange) = listen(&client, &server).await;
    drop(subscription);
    exchange.hung_up().await;
    let (mut subscription, mut exchange) = listen(&client, &server).await;
    client.close().await;
    exchange.hung_up().await;
    assert!(subscription.next().await.unwrap().unwrap_err().is_closed());
}

#[tokio::test]
async fn what_a_server_must_not_send_is_an_error() {
    type Case = (fn(&AnsweredRequest) -> String, &'static str);
    let cases: &[Case] = &[
        (
            |_| told(&json!(4711), "resources/updated", json!({"uri": "a:1"})),
            "a message of another subscription",
        ),
        (
            |exchange| told(&exchange.body["id"], "resources/updated", json!({"uri": 1})),
            "`notifications/resources/updated` has wrong parameters: /uri: 1 is not of type \"string\"",
        ),
        (
            |_| format!("data: {}", "x".repeat(33 << 20)),
            "it is larger than 33554432 bytes",
        ),
    ];
    for (say, expected) in cases {
        let (client, server) = server::modern().await;
        let (mut subscription, mut exchange) = listen(&client, &server).await;
        let said = say(&exchange);
        let (told, ()) = tokio::join!(subscription.next(), exchange.write(&said));
        let error = told.unwrap().unwrap_err();
        let is_invalid = matches!(error.local(), Some(LocalError::InvalidResponse { why, .. }) if why == expected);
        assert!(is_invalid, "{expected}: {error}");
        drop(subscription);
        exchange.hung_up().await;
    }
}

#[tokio::test]
async fn who_sends_everything_but_an_acknowledgement_is_not_waited_for() {
    let (client, server) = server::modern().await;
    let client = client.with_timeout(Duration::from_millis(200));
    let (subscription, ()) = tokio::join!(client.listen(filter()), async {
        let mut exchange = server.request("subscriptions/listen").await;
        exchange.events().await;
        let noise =
            event(&json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}));
        let ever = async {
            loop {
                exchange.write(&noise).await;
            }
        };
        // Writing continues until the client disconnects.
        let _elapsed = tokio::time::timeout(Duration::from_millis(400), ever).await;
    });
    assert!(subscription.unwrap_err().is_timeout());
}

#[tokio::test]
async fn a_refusal_is_the_servers_error() {
    let (client, server) = server::modern().await;
    let (subscription, ()) = tokio::join!(client.listen(filter()), async {
        let exchange = server.request("subscriptions/listen").await;
        let error = json!({"code": -32601, "message": "Method not found"});
        exchange.error("404 Not Found", error).await;
    });
    assert!(subscription.unwrap_err().is_method_not_found());
}

fn legacy_capabilities() -> Value {
    json!({"resources": {"subscribe": true, "listChanged": true}, "tools": {}})
}

/// Answers the GET of the session's stream with a stream.
async fn news(server: &Host) -> AnsweredRequest {
    let mut news = server.next().await;
    assert_eq!(news.method, "GET");
    assert_eq!(news.headers["accept"], "text/event-stream");
    news.is_of(Some("s-1"));
    news.events().await;
    news
}

/// Subscribes at a legacy server whose stream is already open.
async fn subscribe(client: &Client, server: &Host) -> Subscription {
    let (subscription, ()) = tokio::join!(
        client.listen(filter()),
        server.answer("resources/subscribe")
    );
    subscription.expect("subscribed")
}

/// Subscribes at a legacy server, which opens the stream.
async fn first_subscription(client: &Client, server: &Host) -> (Subscription, AnsweredRequest) {
    let (subscription, stream) = tokio::join!(client.listen(filter()), async {
        let stream = news(server).await;
        server.answer("resources/subscribe").await;
        stream
    });
    (subscription.expect("subscribed"), stream)
}

fn legacy_updated() -> String {
    event(
        &json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a:1"}}),
    )
}

#[tokio::test]
async fn a_legacy_server_tells_all_on_one_stream() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let (subscription, mut stream) = tokio::join!(client.listen(filter()), async {
        let stream = news(&server).await;
        let request = server.request("resources/subscribe").await;
        request.is_of(Some("s-1"));
        request.result(json!({})).await;
        stream
    });
    let mut one = subscription.unwrap();
    assert_eq!(one.honoured(), &filter());
    let mut other = subscribe(&client, &server).await;
    stream.write(&legacy_updated()).await;
    for subscription in [&mut one, &mut other] {
        assert_eq!(next(subscription).await, Change::Resource("a:1".into()));
    }
    // The server may send a request on the stream.
    let ping = event(&json!({"jsonrpc": "2.0", "id": 7, "method": "ping"}));
    stream.write(&ping).await;
    let answer = server.next().await;
    let expected = json!({"jsonrpc": "2.0", "id": 7, "result": {}});
    assert_eq!(answer.body, expected);
    answer.answer("202 Accepted", "", "").await;

    drop(one);
    stream.write(&legacy_updated()).await;
    assert_eq!(next(&mut other).await, Change::Resource("a:1".into()));
    drop(other);
    server.answer("resources/unsubscribe").await;
    stream.hung_up().await;
}

#[tokio::test]
async fn a_legacy_stream_that_ends_is_opened_again() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let (mut subscription, mut stream) = first_subscription(&client, &server).await;
    stream.write(&format!("id: 7\ndata:\n\n{SOON}")).await;
    drop(stream);
    // The client retries while the server is unavailable.
    for _ in 0..3 {
        let refused = server.next().await;
        assert_eq!(refused.headers["last-event-id"], "7");
        refused.answer("503 Service Unavailable", "", "").await;
        drop(server.next().await);
    }
    let mut stream = news(&server).await;
    assert_eq!(next(&mut subscription).await, Change::Missed);
    stream.write(&legacy_updated()).await;
    let found = next(&mut subscription).await;
    assert_eq!(found, Change::Resource("a:1".into()));
    drop(stream);
    server.next().await.answer("401 Unauthorized", "", "").await;
    let error = subscription.next().await.unwrap().unwrap_err();
    assert!(error.is_unauthorized(), "{error}");
    assert!(subscription.next().await.is_none());
}

#[tokio::test]
async fn a_legacy_server_that_does_not_come_back_is_given_up() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let (mut subscription, mut stream) = first_subscription(&client, &server).await;
    stream.write(SOON).await;
    drop(stream);
    let mut tries = 0;
    let refusing = async {
        loop {
            let busy = server.next().await;
            assert_eq!(busy.method, "GET");
            tries += 1;
            busy.answer("503 Service Unavailable", "", "").await;
        }
    };
    let told = tokio::select! {
        told = subscription.next() => told,
        () = refusing => unreachable!("it goes on"),
    };
    assert_eq!(told.unwrap().unwrap_err().http_status(), Some(503));
    assert_eq!(tries, 30);
}

/// Opens a new session, and returns its stream.
async fn begin_anew(server: &Host, session: &str) -> AnsweredRequest {
    server
        .initialize(Some(session), legacy_capabilities())
        .await;
    let mut news = server.next_in(session, "GET").await;
    news.events().await;
    subscribed(server, session).await;
    news
}

async fn subscribed(server: &Host, session: &str) {
    let request = server.request("resources/subscribe").await;
    request.is_of(Some(session));
    assert_eq!(request.body["params"]["uri"], "a:1");
    request.result(json!({})).await;
}

#[tokio::test]
async fn a_session_that_is_forgotten_is_opened_anew_once_with_all_subscriptions() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let (mut one, mut stream) = first_subscription(&client, &server).await;
    let mut other = subscribe(&client, &server).await;
    for (session, forgotten) in [("s-2", "404 Not Found"), ("s-3", "400 Bad Request")] {
        stream.write(SOON).await;
        drop(stream);
        let (first, second, again) = tokio::join!(next(&mut one), next(&mut other), async {
            server.next().await.answer(forgotten, "", "").await;
            let stream = begin_anew(&server, session).await;
            subscribed(&server, session).await;
            stream
        });
        assert_eq!((first, second), (Change::Missed, Change::Missed));
        stream = again;
        stream.write(&legacy_updated()).await;
        for subscription in [&mut one, &mut other] {
            assert_eq!(next(subscription).await, Change::Resource("a:1".into()));
        }
    }
}

#[tokio::test]
async fn a_legacy_server_that_takes_the_stream_before_for_open_is_asked_again() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let filter = SubscriptionFilter::new().resources_list_changed(true);
    let (first, mut stream) = tokio::join!(client.listen(filter.clone()), news(&server));
    drop(first.unwrap());
    stream.hung_up().await;
    let (second, _stream) = tokio::join!(client.listen(filter.clone()), async {
        for _ in 0..2 {
            let taken = server.next().await;
            assert_eq!(taken.method, "GET");
            taken.answer("409 Conflict", "", "").await;
        }
        news(&server).await
    });
    assert_eq!(second.unwrap().honoured(), &filter);
}

#[tokio::test]
async fn a_legacy_stream_that_stays_taken_is_an_error() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let refusing = async {
        loop {
            server.next().await.answer("409 Conflict", "", "").await;
        }
    };
    let refused = tokio::select! {
        subscription = client.listen(filter()) => subscription.unwrap_err(),
        () = refusing => unreachable!("it goes on"),
    };
    let status = match refused.local() {
        Some(LocalError::HttpStatus { status, .. }) => Some(*status),
        _ => None,
    };
    assert_eq!(status, Some(409), "{refused}");
}

#[tokio::test]
async fn a_legacy_server_without_a_stream_honours_nothing() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let (subscription, ()) = tokio::join!(client.listen(filter()), async {
        let news = server.next().await;
        assert_eq!(news.method, "GET");
        news.answer("405 Method Not Allowed", "", "").await;
    });
    assert_eq!(subscription.unwrap().honoured(), &SubscriptionFilter::new());
}

#[tokio::test]
async fn what_a_legacy_server_tells_while_its_stream_is_opened_is_no_error() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let filter = SubscriptionFilter::new().resources_list_changed(true);
    let changed =
        event(&json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}));
    let (subscription, mut stream) = tokio::join!(client.listen(filter), async {
        let mut opening = server.next().await;
        assert_eq!(opening.method, "GET");
        let (listed, ()) = tokio::join!(client.tools(), async {
            let mut call = server.request("tools/list").await;
            call.events().await;
            let reply = call.response(json!({"tools": []}));
            call.write(&format!("{changed}data: {reply}\n\n")).await;
        });
        listed.unwrap();
        opening.events().await;
        opening
    });
    let mut subscription = subscription.unwrap();
    stream.write(&changed).await;
    assert_eq!(next(&mut subscription).await, Change::Resources);
}

#[tokio::test]
async fn subscriptions_go_on_in_the_session_that_a_call_has_opened_anew() {
    let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
    let (mut subscription, mut old) = first_subscription(&client, &server).await;
    // The server forgets the session. A call notices that first, while the stream may still be
    // open.
    let (called, ()) = tokio::join!(client.tools(), async {
        server.refuse("tools/list", "404 Not Found").await;
        server.initialize(Some("s-2"), json!({})).await;
        server.answer("tools/list").await;
    });
    called.unwrap();
    let (missed, mut stream) = tokio::join!(next(&mut subscription), async {
        let mut stream = server.next_in("s-2", "GET").await;
        stream.events().await;
        subscribed(&server, "s-2").await;
        stream
    });
    assert_eq!(missed, Change::Missed);
    old.hung_up().await;
    stream.write(&legacy_updated()).await;
    let found = next(&mut subscription).await;
    assert_eq!(found, Change::Resource("a:1".into()));
}

#[tokio::test]
async fn all_subscriptions_at_a_legacy_server_end_for_the_same_reason() {
    type Case = (bool, fn(&plainly::client::Error) -> bool);
    let cases: [Case; 2] = [
        (true, plainly::client::Error::is_closed),
        (false, plainly::client::Error::is_forbidden),
    ];
    for (is_closed, expected) in cases {
        let (client, server) = server::legacy_with(Some("s-1"), legacy_capabilities()).await;
        let (one, mut stream) = first_subscription(&client, &server).await;
        let other = subscribe(&client, &server).await;
        if is_closed {
            tokio::join!(client.close(), async {
                server.next().await.answer("200 OK", "", "").await;
            });
        } else {
            stream.write(SOON).await;
            drop(stream);
            server.next().await.answer("403 Forbidden", "", "").await;
        }
        for mut subscription in [one, other] {
            let error = subscription.next().await.unwrap().unwrap_err();
            assert!(expected(&error), "{error}");
        }
    }
}
