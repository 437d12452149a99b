//! Subscriptions over a byte stream: their acknowledgement, their ids, their end by either side,
//! and mistakes of servers.

use plainly::client::{Change, Client, LocalError, Subscription};
use plainly::protocol::types::SubscriptionFilter;
use plainly_peer::{Peer, assert_local};
use serde_json::{Value, json};

use super::peer::{legacy_with, modern};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn everything() -> SubscriptionFilter {
    SubscriptionFilter::new()
        .resources_list_changed(true)
        .tools_list_changed(true)
        .prompts_list_changed(true)
        .resource_subscriptions(["a:1".to_owned(), "a:2".to_owned()])
}

fn acknowledged(id: &Value, notifications: Value) -> Value {
    told(
        id,
        "subscriptions/acknowledged",
        json!({"notifications": notifications}),
    )
}

fn updated(id: &Value, uri: &str) -> Value {
    told(id, "resources/updated", json!({"uri": uri}))
}

fn told(id: &Value, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({SUBSCRIPTION: id});
    json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params})
}

/// Opens a subscription to everything, and returns it with the id of its request.
async fn listen(client: &Client, peer: &mut Peer) -> (Subscription, Value) {
    let (subscription, id) = tokio::join!(client.listen(everything()), async {
        let request = peer.request("subscriptions/listen").await;
        let asked = &request["params"]["notifications"];
        peer.send(acknowledged(&request["id"], asked.clone())).await;
        request["id"].clone()
    });
    (subscription.expect("acknowledged"), id)
}

async fn resource(subscription: &mut Subscription) -> String {
    match subscription.next().await {
        Some(Ok(Change::Resource(uri))) => uri,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn what_is_asked_for_and_honoured_is_told_up_to_the_end() {
    let (client, mut peer) = modern().await;
    let (subscription, request) = tokio::join!(client.listen(everything()), async {
        let request = peer.request("subscriptions/listen").await;
        assert_eq!(
            request["params"]["notifications"],
            json!({
                "toolsListChanged": true,
                "promptsListChanged": true,
                "resourcesListChanged": true,
                "resourceSubscriptions": ["a:1", "a:2"],
            })
        );
        // The client ignores parts that it did not request.
        let honoured =
            json!({"resourcesListChanged": true, "resourceSubscriptions": ["a:2", "a:3"]});
        peer.send(acknowledged(&request["id"], honoured)).await;
        request
    });
    let mut subscription = subscription.unwrap();
    let honoured = SubscriptionFilter::new()
        .resources_list_changed(true)
        .resource_subscriptions(["a:2".to_owned()]);
    assert_eq!(subscription.honoured(), &honoured);

    let id = &request["id"];
    peer.send(updated(id, "a:2")).await;
    peer.send(told(id, "tools/list_changed", json!({}))).await;
    peer.send(told(id, "unheard/of", json!({}))).await;
    peer.send(updated(id, "a:2/inside")).await;
    peer.send(told(id, "resources/list_changed", json!({})))
        .await;
    peer.reply(
        &request,
        json!({"resultType": "complete", "_meta": {SUBSCRIPTION: id}}),
    )
    .await;
    assert_eq!(resource(&mut subscription).await, "a:2");
    assert_eq!(resource(&mut subscription).await, "a:2/inside");
    let found = subscription.next().await.unwrap().unwrap();
    assert_eq!(found, Change::Resources);
    assert!(subscription.next().await.is_none());
    assert!(subscription.next().await.is_none());
    drop(subscription);
    client.close().await;
    // A subscription that has ended is not cancelled.
    peer.ended().await;
}

#[tokio::test]
async fn subscriptions_are_told_apart_by_their_ids() {
    let (client, mut peer) = modern().await;
    let (mut one, first) = listen(&client, &mut peer).await;
    let (mut other, second) = listen(&client, &mut peer).await;
    assert_ne!(first, second);
    peer.send(updated(&json!("4711"), "a:0")).await;
    peer.send(updated(&json!(4711), "a:0")).await;
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": "a:0"}}))
        .await;
    peer.send(updated(&second, "a:2")).await;
    peer.send(updated(&first, "a:1")).await;
    assert_eq!(resource(&mut one).await, "a:1");
    assert_eq!(resource(&mut other).await, "a:2");

    drop(one);
    let cancelled = peer.request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], first);
    peer.send(updated(&first, "a:1")).await;
    peer.send(updated(&second, "a:1")).await;
    assert_eq!(resource(&mut other).await, "a:1");
}

#[tokio::test]
async fn a_connection_that_ends_is_an_error_once() {
    let (client, mut peer) = modern().await;
    let (mut subscription, id) = listen(&client, &mut peer).await;
    peer.send(updated(&id, "a:1")).await;
    drop(peer);
    assert_eq!(resource(&mut subscription).await, "a:1");
    assert!(subscription.next().await.unwrap().unwrap_err().is_closed());
    assert!(subscription.next().await.is_none());
}

#[tokio::test]
async fn a_subscription_that_the_server_gives_up_is_an_error_once() {
    let (client, mut peer) = modern().await;
    let (mut one, first) = listen(&client, &mut peer).await;
    let (mut other, second) = listen(&client, &mut peer).await;
    peer.send(updated(&first, "a:1")).await;
    let cancelled =
        |params| json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
    peer.send(cancelled(json!({"requestId": 4711}))).await;
    peer.send(cancelled(json!({}))).await;
    peer.send(cancelled(json!({"requestId": first, "reason": "no more"})))
        .await;
    peer.send(updated(&second, "a:1")).await;
    assert_eq!(resource(&mut one).await, "a:1");
    let told = tokio::time::timeout(std::time::Duration::from_secs(20), one.next()).await;
    let error = told.expect("an end").unwrap().unwrap_err();
    assert_local!(error, LocalError::Interrupted { .. });
    assert!(one.next().await.is_none());
    assert_eq!(resource(&mut other).await, "a:1");
}

#[tokio::test]
async fn what_is_not_read_is_kept_once_and_up_to_a_bound() {
    let (client, mut peer) = modern().await;
    let (mut subscription, id) = listen(&client, &mut peer).await;
    for _ in 0..3_000 {
        peer.send(updated(&id, "a:1")).await;
    }
    assert_eq!(resource(&mut subscription).await, "a:1");
    let long = "x".repeat(1_000);
    for uri in 0..3_000 {
        peer.send(updated(&id, &format!("a:1/{uri}/{long}"))).await;
    }
    // When a later call is answered, the client has received all earlier notifications.
    let (pong, ()) = tokio::join!(client.tools(), peer.answer("tools/list"));
    pong.unwrap();
    assert_eq!(subscription.next().await.unwrap().unwrap(), Change::Missed);
    peer.send(updated(&id, "a:1")).await;
    assert_eq!(resource(&mut subscription).await, "a:1");
}

/// The messages of a server before its acknowledgement, and the client's errors.
#[tokio::test]
async fn what_comes_before_the_acknowledgement_is_an_error() {
    let early = "a change was reported before the subscription was acknowledged";
    type Case = (fn(&Value) -> Value, &'static str);
    let cases: &[Case] = &[
        (|id| updated(id, "a:1"), early),
        (|id| told(id, "resources/list_changed", json!({})), early),
        (
            |id| told(id, "subscriptions/acknowledged", json!({})),
            "`notifications/subscriptions/acknowledged` has wrong parameters: ",
        ),
        (
            |id| acknowledged(id, json!([1])),
            "`notifications/subscriptions/acknowledged` has wrong parameters: ",
        ),
        (
            |id| json!({"jsonrpc": "2.0", "id": id, "result": {}}),
            "the subscription ended before it was acknowledged",
        ),
        (|id| json!({"jsonrpc": "2.0", "id": id, "result": 1}), ""),
    ];
    for (say, expected) in cases {
        let (client, mut peer) = modern().await;
        let (subscription, message) = tokio::join!(client.listen(everything()), async {
            let request = peer.request("subscriptions/listen").await;
            let message = say(&request["id"]);
            peer.send(message.clone()).await;
            message
        });
        let error = subscription.unwrap_err();
        let is_invalid = matches!(error.local(), Some(LocalError::InvalidResponse { why, .. }) if why.contains(expected));
        assert!(is_invalid, "{message}: {error}");
    }
}

#[tokio::test]
async fn a_server_that_knows_no_subscriptions_says_so() {
    let (client, mut peer) = modern().await;
    let (subscription, ()) = tokio::join!(
        client.listen(everything()),
        peer.refuse("subscriptions/listen", -32601, None)
    );
    assert!(subscription.unwrap_err().is_method_not_found());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_acknowledges_nothing_is_not_waited_for_and_one_that_is_silent_then_is() {
    let (client, mut peer) = modern().await;
    let (subscription, id) = tokio::join!(client.listen(everything()), async {
        let request = peer.request("subscriptions/listen").await;
        peer.send(acknowledged(&json!(4711), json!({}))).await;
        request["id"].clone()
    });
    assert!(subscription.unwrap_err().is_timeout());
    let cancelled = peer.request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], id);

    let (mut subscription, id) = listen(&client, &mut peer).await;
    tokio::time::sleep(std::time::Duration::from_secs(24 * 3600)).await;
    peer.send(updated(&id, "a:1")).await;
    assert_eq!(resource(&mut subscription).await, "a:1");
}

#[tokio::test]
async fn a_legacy_server_is_subscribed_to_each_resource() {
    let resources = json!({"subscribe": true, "listChanged": true});
    let (client, mut peer) = legacy_with(json!({"resources": resources, "tools": {}})).await;
    let (subscription, ()) = tokio::join!(client.listen(everything()), async {
        for uri in ["a:1", "a:2"] {
            let request = peer.request("resources/subscribe").await;
            assert_eq!(request["params"], json!({"uri": uri}));
            // A change that arrives before the reply counts too.
            peer.send(legacy_updated(uri)).await;
            peer.reply(&request, json!({})).await;
        }
    });
    let mut one = subscription.unwrap();
    let honoured = SubscriptionFilter::new()
        .resources_list_changed(true)
        .resource_subscriptions(["a:1".to_owned(), "a:2".to_owned()]);
    assert_eq!(one.honoured(), &honoured);
    for uri in ["a:1", "a:2"] {
        assert_eq!(resource(&mut one).await, uri);
    }

    let filter = SubscriptionFilter::new().resource_subscriptions(["a:2".to_owned()]);
    let (subscription, ()) =
        tokio::join!(client.listen(filter), peer.answer("resources/subscribe"));
    let mut other = subscription.unwrap();
    // A URI with only a common prefix is another resource.
    for uri in ["b:1", "a:12", "a:2b/inside", "a:1", "a:2/inside"] {
        peer.send(legacy_updated(uri)).await;
    }
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"}))
        .await;
    assert_eq!(resource(&mut one).await, "a:1");
    assert_eq!(resource(&mut one).await, "a:2/inside");
    assert_eq!(one.next().await.unwrap().unwrap(), Change::Resources);
    assert_eq!(resource(&mut other).await, "a:2/inside");

    // A resource that another subscription still uses is not unsubscribed.
    drop(one);
    let request = peer.request("resources/unsubscribe").await;
    assert_eq!(request["params"], json!({"uri": "a:1"}));
    peer.reply(&request, json!({})).await;
    drop(other);
    let request = peer.request("resources/unsubscribe").await;
    assert_eq!(request["params"], json!({"uri": "a:2"}));
}

#[tokio::test]
async fn a_legacy_server_is_not_asked_for_what_it_can_not_do() {
    let (client, mut peer) =
        legacy_with(json!({"resources": {}, "tools": {"listChanged": true}})).await;
    let mut subscription = client.listen(everything()).await.unwrap();
    let honoured = SubscriptionFilter::new().tools_list_changed(true);
    assert_eq!(subscription.honoured(), &honoured);
    peer.send(legacy_updated("a:1")).await;
    peer.send(
        json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {}}),
    )
    .await;
    assert_eq!(subscription.next().await.unwrap().unwrap(), Change::Tools);
    drop(peer);
    assert!(subscription.next().await.unwrap().unwrap_err().is_closed());
    assert!(client.listen(everything()).await.unwrap_err().is_closed());
}

#[tokio::test]
async fn a_resource_that_can_not_be_subscribed_to_is_not_honoured_and_of_none_it_is_the_servers_error()
 {
    let (client, mut peer) = legacy_with(json!({"resources": {"subscribe": true}})).await;
    let (subscription, ()) = tokio::join!(client.listen(everything()), async {
        peer.refuse("resources/subscribe", -32602, Some(json!({"uri": "a:1"})))
            .await;
        peer.answer("resources/subscribe").await;
    });
    let mut subscription = subscription.unwrap();
    let honoured = SubscriptionFilter::new().resource_subscriptions(["a:2"]);
    assert_eq!(subscription.honoured(), &honoured);
    peer.send(legacy_updated("a:2")).await;
    assert_eq!(resource(&mut subscription).await, "a:2");

    let (none, ()) = tokio::join!(client.listen(everything()), async {
        for uri in ["a:1", "a:2"] {
            peer.refuse("resources/subscribe", -32602, Some(json!({ "uri": uri })))
                .await;
        }
    });
    assert!(none.unwrap_err().is_resource_not_found());
}

#[tokio::test]
async fn who_listens_again_at_once_is_not_unsubscribed_by_the_one_before() {
    let (client, mut peer) = legacy_with(json!({"resources": {"subscribe": true}})).await;
    let filter = SubscriptionFilter::new().resource_subscriptions(["a:1".to_owned()]);
    let (subscription, ()) = tokio::join!(
        client.listen(filter.clone()),
        peer.answer("resources/subscribe")
    );
    drop(subscription.unwrap());
    let (subscription, ()) = tokio::join!(client.listen(filter), async {
        let mut request = json!({});
        while request["method"] != "resources/subscribe" {
            request = peer.message().await.expect("a message");
            peer.reply(&request, json!({})).await;
        }
    });
    let subscription = subscription.unwrap();
    let (pong, ()) = tokio::join!(client.ping(), peer.answer("ping"));
    pong.unwrap();
    drop(subscription);
    peer.request("resources/unsubscribe").await;
}

fn legacy_updated(uri: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/updated", "params": {"uri": uri}})
}
