//! Servers that send notifications about a task: the client then polls less often, and as usual if
//! the notifications stop.

use std::time::Duration;

use plainly::Client;
use plainly::client::{Change, StartedCall};
use plainly::protocol::types::{SubscriptionFilter, TaskStatus};
use plainly_peer::Peer;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::script::{completed, handle, modern, task, working};

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn notification(listen: &Value, method: &str, mut params: Value) -> Value {
    params["_meta"][SUBSCRIPTION] = listen["id"].clone();
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

fn acknowledged(listen: &Value, filter: Value) -> Value {
    let method = "notifications/subscriptions/acknowledged";
    notification(listen, method, json!({"notifications": filter}))
}

fn told(listen: &Value, mut task: Value) -> Value {
    task.as_object_mut().unwrap().remove("resultType");
    notification(listen, "notifications/tasks", task)
}

/// Answers a call with a task, and acknowledges the subscription to it. Returns that request.
async fn begin(peer: &mut Peer) -> Value {
    peer.answer_with("tools/call", handle(json!({}))).await;
    let listen = peer.request("subscriptions/listen").await;
    assert_eq!(listen["params"]["notifications"], json!({"taskIds": ["t"]}));
    peer.send(acknowledged(&listen, json!({"taskIds": ["t"]})))
        .await;
    listen
}

#[tokio::test(start_paused = true)]
async fn what_is_told_is_not_asked_for() {
    let (client, mut peer) = modern(|builder| builder).await;
    let start = Instant::now();
    let (called, ()) = tokio::join!(client.call_tool("scan", ()), async {
        let listen = begin(&mut peer).await;
        peer.send(told(&listen, task(json!({"statusMessage": "half"}))))
            .await;
        // The client ignores the notification about another task.
        peer.send(told(&listen, task(json!({"taskId": "other"}))))
            .await;
        peer.send(told(&listen, completed())).await;
    });
    assert_eq!(called.unwrap().content[0].as_text(), Some("done"));
    assert_eq!(start.elapsed(), Duration::ZERO);
    // The client also ends the subscription.
    assert_eq!(peer.next().await["method"], "notifications/cancelled");
    peer.silent().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_promises_and_does_not_tell_is_asked_less_often() {
    let (client, mut peer) = modern(|builder| builder).await;
    let (called, ()) = tokio::join!(client.call_tool("scan", ()), async {
        begin(&mut peer).await;
        let start = Instant::now();
        peer.answer_with("tasks/get", working()).await;
        assert_eq!(start.elapsed().as_secs(), 1);
        peer.answer_with("tasks/get", working()).await;
        assert!(
            (11..=13).contains(&start.elapsed().as_secs()),
            "{:?}",
            start.elapsed()
        );
        peer.answer_with("tasks/get", completed()).await;
    });
    called.unwrap();
}

/// Ends the notifications of a server in some way.
type End = fn(&Value) -> Value;

#[tokio::test(start_paused = true)]
async fn a_server_that_falls_silent_is_asked_as_ever() {
    let ends: [End; 4] = [
        |listen| json!({"jsonrpc": "2.0", "id": listen["id"], "result": {"resultType": "complete"}}),
        |listen| json!({"jsonrpc": "2.0", "id": listen["id"], "error": {"code": -32603, "message": "no"}}),
        |listen| told(listen, task(json!({"status": "completed"}))),
        |listen| told(listen, json!({"taskId": 7})),
    ];
    for end in ends {
        let (client, mut peer) = modern(|builder| builder).await;
        let (called, ()) = tokio::join!(client.call_tool("scan", ()), async {
            let listen = begin(&mut peer).await;
            peer.send(end(&listen)).await;
            let mut asked = 0;
            let start = Instant::now();
            while asked < 3 {
                let message = peer.next().await;
                // The client ends the subscription.
                if message["method"] == "notifications/cancelled" {
                    continue;
                }
                assert_eq!(message["method"], "tasks/get", "{message}");
                asked += 1;
                let state = if asked < 3 { working() } else { completed() };
                peer.reply(&message, state).await;
            }
            assert!(start.elapsed() < Duration::from_secs(4));
        });
        called.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_promises_nothing_is_not_listened_to() {
    let (client, mut peer) = modern(|builder| builder).await;
    let (called, ()) = tokio::join!(client.call_tool("scan", ()), async {
        peer.answer_with("tools/call", handle(json!({}))).await;
        let listen = peer.request("subscriptions/listen").await;
        peer.send(acknowledged(&listen, json!({}))).await;
        let cancelled = peer.request("notifications/cancelled").await;
        assert_eq!(cancelled["params"]["requestId"], listen["id"]);
        peer.answer_with("tasks/get", completed()).await;
    });
    called.unwrap();
}

async fn started(client: &Client) -> StartedCall<plainly::protocol::types::CallToolResult> {
    client.call_tool("scan", ()).start().await.unwrap()
}

#[tokio::test(start_paused = true)]
async fn whoever_listens_by_hand_hears_which_task_has_come_further() {
    let (client, mut peer) = modern(|builder| builder).await;
    let (started, ()) = tokio::join!(
        started(&client),
        peer.answer_with("tools/call", handle(json!({})))
    );
    let StartedCall::Task(mut task) = started else {
        panic!("it is a task");
    };
    let filter = SubscriptionFilter::new().task_ids([task.id()]);
    let (subscription, listen) = tokio::join!(client.listen(filter), async {
        let listen = peer.request("subscriptions/listen").await;
        peer.send(acknowledged(&listen, json!({"taskIds": ["t"]})))
            .await;
        listen
    });
    let mut subscription = subscription.unwrap();
    peer.send(told(&listen, working())).await;
    let change = subscription.next().await.unwrap().unwrap();
    assert_eq!(change, Change::Task("t".to_owned()));
    let (polled, ()) = tokio::join!(task.get(), peer.answer_with("tasks/get", completed()));
    polled.unwrap();
    assert_eq!(task.status(), TaskStatus::Completed);
}
