//! Clients that subscribe to their tasks instead of polling them.

use serde_json::{Value, json};

use super::support::{Following, capabilities, http, server, stream};
use plainly_peer::Gate;
use plainly_peer::message::TASKS;

const SUBSCRIPTION: &str = "io.modelcontextprotocol/subscriptionId";

fn listen(ids: &[&str]) -> Value {
    json!({"notifications": {"taskIds": ids}})
}

/// Returns the task in a notification.
fn told(mut message: Value, subscription: &Value) -> Value {
    assert_eq!(message["method"], "notifications/tasks", "{message}");
    let mut params = message["params"].take();
    let meta = params.as_object_mut().unwrap().remove("_meta").unwrap();
    assert_eq!(meta, json!({SUBSCRIPTION: subscription}));
    params
}

/// Returns the task without the members that only results have.
fn bare(mut task: Value) -> Value {
    let members = task.as_object_mut().unwrap();
    members.remove("_meta");
    members.remove("resultType");
    task
}

#[tokio::test]
async fn whoever_listens_on_a_stream_hears_what_each_task_is() {
    let gate = Gate::new();
    let server = server(&gate);
    let (mut client, mut other) = (stream(&server).await, stream(&server).await);
    let id = other.begin_task("steps", "").await;
    gate.holds(1).await;
    let request = client.request("subscriptions/listen", listen(&[&id, "unknown", &id]));
    client.peer().send(&request).await;
    let acknowledged = client.peer().next().await;
    let expected =
        json!({"_meta": {SUBSCRIPTION: request["id"]}, "notifications": {"taskIds": [id]}});
    assert_eq!(acknowledged["params"], expected);
    let task = told(client.peer().next().await, &request["id"]);
    assert_eq!(task, bare(other.get(&id).await));
    assert_eq!(task["statusMessage"], "first");
    gate.open(1);
    let task = told(client.peer().next().await, &request["id"]);
    assert_eq!(
        (&task["status"], &task["statusMessage"]),
        (&json!("working"), &json!("second"))
    );
    gate.holds(1).await;
    gate.open(1);
    let task = told(client.peer().next().await, &request["id"]);
    assert_eq!(task["status"], "completed");
    assert_eq!(task, bare(other.get(&id).await));
}

#[tokio::test]
async fn whoever_listens_over_http_hears_of_what_is_their_own() {
    let gate = Gate::new();
    let nobody = http(&server(&gate)).await;
    let (mut alice, mut bob) = (nobody.known_as("alice"), nobody.known_as("bob"));
    let (hers, his) = (
        alice.begin_task("must", "well").await,
        bob.begin_task("must", "well").await,
    );
    let request = alice.request("subscriptions/listen", listen(&[&hers, &his]));
    let mut stream = alice.post(&request).await;
    assert_eq!(stream.status, 200);
    let acknowledged = stream.next().await.unwrap();
    let expected = json!({"taskIds": [hers]});
    assert_eq!(acknowledged["params"]["notifications"], expected);
    let task = told(stream.next().await.unwrap(), &request["id"]);
    let expected = (&json!(hers), &json!("working"));
    assert_eq!((&task["taskId"], &task["status"]), expected);
    bob.ask("tasks/cancel", json!({"taskId": his})).await;
    gate.holds(1).await;
    gate.open(1);
    let task = told(stream.next().await.unwrap(), &request["id"]);
    let expected = (&json!(hers), &json!("completed"));
    assert_eq!((&task["taskId"], &task["status"]), expected);
}

#[tokio::test]
async fn whoever_can_not_follow_tasks_can_not_listen_to_them() {
    let gate = Gate::new();
    let mut client = stream(&server(&gate)).await;
    client.capabilities = capabilities(false);
    let reply = client.ask("subscriptions/listen", listen(&[])).await;
    assert_eq!(reply["error"]["code"], -32021, "{reply}");
    let required = json!({"extensions": {TASKS: {}}});
    assert_eq!(reply["error"]["data"]["requiredCapabilities"], required);
}

#[tokio::test]
async fn more_tasks_than_one_may_listen_to_are_refused() {
    let gate = Gate::new();
    let mut client = stream(&server(&gate)).await;
    let reply = client
        .ask("subscriptions/listen", listen(&["x"; 1_001]))
        .await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
    let request = client.request("subscriptions/listen", listen(&["x"; 1_000]));
    client.peer().send(&request).await;
    assert_eq!(
        client.peer().next().await["params"]["notifications"],
        json!({})
    );
}
