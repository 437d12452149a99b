//! The times at which a client polls its task, and the capabilities that it declares.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::{Error, LocalError, StartedCall};
use plainly::protocol::method::Method;
use plainly::protocol::types::{RawJson, TaskStatus};
use plainly::{Client, Revision};
use plainly_peer::message::TASKS;
use plainly_peer::{assert_local, pair};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::script::{Sent, completed, follow, handle, play, task, through, working};

/// Returns whether a request declares that its client supports tasks.
fn declares(sent: &Sent) -> bool {
    let capabilities = &sent.params["_meta"]["io.modelcontextprotocol/clientCapabilities"];
    capabilities["extensions"][TASKS] == json!({})
}

#[tokio::test(start_paused = true)]
async fn a_call_returns_the_result_of_its_task() {
    let (client, log) = follow([working(), working(), completed()]).await;
    let result = client.call_tool("scan", ()).await.unwrap();
    assert_eq!(result.content[0].as_text(), Some("done"));
    assert_eq!(log.count("tools/call"), 1);
    let asked = log.of("tasks/get");
    assert_eq!(asked.len(), 3);
    for sent in log.of("tools/call").iter().chain(&asked) {
        assert!(declares(sent), "{sent:?}");
    }
    assert!(asked.iter().all(|sent| sent.params["taskId"] == "t"));
    assert_eq!(log.count("tasks/cancel"), 0);
    assert_eq!(log.count("notifications/cancelled"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_asked_for_as_often_as_the_server_suggests_within_bounds() {
    for (suggested, least) in [
        (Value::Null, 1_000),
        (json!(0), 100),
        (json!(250), 250),
        (json!(250.0), 250),
        (json!(1_000_000_000_000_000_000_u64), 60_000),
    ] {
        let handle = handle(json!({"pollIntervalMs": suggested}));
        let states = [working(), working(), working(), completed()];
        let (client, log) = play(|builder| builder, through(handle, states)).await;
        client.call_tool("scan", ()).await.unwrap();
        let pauses = log.pauses();
        assert_eq!(pauses.len(), 4);
        let least = Duration::from_millis(least);
        // The test's clock has a resolution of one millisecond.
        let most = least.mul_f64(1.1) + Duration::from_millis(1);
        assert!(
            pauses.iter().all(|pause| (least..=most).contains(pause)),
            "{suggested}: {pauses:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn the_last_suggestion_counts() {
    let slower = task(json!({"pollIntervalMs": 20_000}));
    let (client, log) = follow([working(), slower, working(), completed()]).await;
    client.call_tool("scan", ()).await.unwrap();
    let seconds: Vec<_> = log.pauses().iter().map(Duration::as_secs).collect();
    assert!(
        seconds[..2] == [1, 1] && seconds[2..].iter().all(|pause| *pause >= 20),
        "{seconds:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn what_has_ended_already_is_fetched_at_once() {
    let handle = handle(json!({"status": "completed"}));
    let (client, log) = play(|builder| builder, through(handle, [completed()])).await;
    client.call_tool("scan", ()).await.unwrap();
    assert_eq!(log.pauses(), [Duration::ZERO]);
    // The specification's own examples contain the type of the handle here.
    let mut ended = completed();
    ended["resultType"] = "task".into();
    let (client, _) = follow([ended]).await;
    client.call_tool("scan", ()).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_started_call_is_a_handle_that_is_asked_when_one_likes() {
    let said = task(json!({"statusMessage": "page 7"}));
    let (client, log) = follow([said, completed()]).await;
    let StartedCall::Task(mut task) = client.call_tool("scan", ()).start().await.unwrap() else {
        panic!("it is a task");
    };
    assert_eq!(
        (task.id(), task.status(), task.message()),
        ("t", TaskStatus::Working, None)
    );
    assert_eq!(log.count("tasks/get"), 0);
    task.get().await.unwrap();
    assert_eq!(task.message(), Some("page 7"));
    let result = task.wait().await.unwrap();
    assert_eq!(result.content[0].as_text(), Some("done"));
    assert_eq!(task.status(), TaskStatus::Completed);
    // The server still has the result, so waiting again returns it.
    let before = Instant::now();
    task.wait().await.unwrap();
    assert_eq!(before.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn a_started_call_may_be_done() {
    let script = |method: &str, _: &Value| match method {
        "tools/call" => super::script::Say::Result(json!({"content": []})),
        _ => super::script::Say::Error(-32601),
    };
    let (client, _) = play(|builder| builder, script).await;
    let started = client.call_tool("scan", ()).start().await.unwrap();
    assert!(matches!(started, StartedCall::Complete(_)));
}

#[tokio::test(start_paused = true)]
async fn an_id_that_was_kept_is_a_task_too() {
    let (client, log) = follow([working(), completed()]).await;
    let mut task = client.task("t");
    let result = task.wait().await.unwrap();
    assert_eq!(result.content[0].as_text(), Some("done"));
    let asked = log.of("tasks/get");
    assert_eq!((asked.len(), asked[0].at), (2, Duration::ZERO));
    task.cancel().await.unwrap();
    assert_eq!(log.of("tasks/cancel")[0].params["taskId"], "t");
}

#[tokio::test(start_paused = true)]
async fn nothing_else_is_declared_to_follow_tasks() {
    let (client, log) = follow([completed()]).await;
    let params = RawJson::parse(r#"{"name":"scan"}"#).unwrap();
    let forwarded = client.forward(Method::CallTool, &params).await.unwrap();
    assert!(forwarded.get().contains("\"task\""));
    let once = client.call_tool("scan", ()).once().await.unwrap_err();
    assert_eq!(
        once.to_string(),
        "invalid reply to `tools/call`: /resultType: \"task\" is not \"complete\""
    );
    client.tools().await.unwrap_err();
    client.read("a:b").await.unwrap_err();
    let mut others = log.of("tools/call");
    others.extend(log.of("tools/list"));
    others.extend(log.of("resources/read"));
    assert_eq!(others.len(), 4);
    assert!(!others.iter().any(declares), "{others:?}");
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_hears_nothing_of_tasks() {
    for version in plainly_peer::message::LEGACY {
        let (mut peer, far) = pair(1 << 16);
        let (reader, writer) = tokio::io::split(far);
        let (client, handshake) = tokio::join!(
            Client::over(reader, writer).connect(),
            peer.open_session(version, json!({"tools": {}}))
        );
        let client = client.unwrap();
        let declared = handshake["params"]["capabilities"].to_string();
        assert!(!declared.contains("tasks"), "{declared}");
        let (called, ()) = tokio::join!(client.call_tool("scan", ()), async {
            let call = peer.request("tools/call").await;
            assert_eq!(call["params"], json!({"name": "scan"}));
            peer.reply(&call, json!({"content": []})).await;
        });
        called.unwrap();
        let error = client.task("t").get().await.unwrap_err();
        assert_local!(error, LocalError::NotInRevision { .. });
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_task_says_it_does_is_its_progress() {
    let said = |text: &str| task(json!({"statusMessage": text}));
    let states = [
        said("one"),
        said("one"),
        said("two"),
        working(),
        completed(),
    ];
    let (client, _) = follow(states).await;
    let heard = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&heard);
    let call = client.call_tool("scan", ());
    call.on_progress(move |progress| told.lock().unwrap().push(progress))
        .await
        .unwrap();
    let heard = heard.lock().unwrap();
    let words: Vec<_> = heard
        .iter()
        .map(|progress| progress.message.as_deref())
        .collect();
    assert_eq!(words, [Some("one"), Some("two")]);
    assert!(
        heard
            .iter()
            .all(|progress| progress.done == 0.0 && progress.total.is_none())
    );
}

fn is_timeout_of(error: &Error, method: &str, seconds: u64) -> bool {
    matches!(error.local(), Some(LocalError::Timeout { method: of, after, .. })
        if *of == method && after.as_secs() == seconds)
}

#[tokio::test(start_paused = true)]
async fn the_time_of_a_call_is_for_each_request_and_the_longest_for_all() {
    let set = |builder: super::script::Unconnected| {
        builder
            .timeout(Duration::from_secs(5))
            .longest(Duration::from_secs(90))
    };
    let script = through(handle(json!({})), [working()]);
    let (client, log) = play(set, script).await;
    let before = Instant::now();
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert!(is_timeout_of(&error, "tools/call", 90), "{error}");
    assert_eq!(before.elapsed().as_secs(), 90);
    super::script::settle().await;
    assert_eq!(log.count("tasks/cancel"), 1);

    let mut script = through(handle(json!({})), [working()]);
    let silent = move |method: &str, params: &Value| match method {
        "tasks/get" => super::script::Say::Nothing,
        _ => script(method, params),
    };
    let (client, log) = play(set, silent).await;
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert!(is_timeout_of(&error, "tasks/get", 5), "{error}");
    super::script::settle().await;
    assert_eq!(log.count("tasks/cancel"), 1);
    assert_eq!(client.revision(), Revision::LATEST);
}
