//! The end of a task that is no longer wanted.

use std::time::Duration;

use plainly::client::StartedCall;
use serde_json::json;
use tokio::time::{Instant, timeout};

use super::script::{Say, follow, handle, play, settle, through, working};

const SOON: Duration = Duration::from_millis(3_500);

#[tokio::test(start_paused = true)]
async fn a_call_that_is_dropped_cancels_its_task() {
    let (client, log) = follow([working()]).await;
    timeout(SOON, client.call_tool("scan", ()))
        .await
        .unwrap_err();
    settle().await;
    assert_eq!(log.count("tasks/get"), 3);
    let cancelled = log.of("tasks/cancel");
    assert_eq!(
        (cancelled.len(), &cancelled[0].params["taskId"]),
        (1, &"t".into())
    );
    assert_eq!(log.count("notifications/cancelled"), 0);
    tokio::time::sleep(Duration::from_secs(3_600)).await;
    assert_eq!(log.count("tasks/get"), 3);
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_is_dropped_cancels_unless_it_is_detached() {
    for is_detached in [false, true] {
        let (client, log) = follow([working()]).await;
        let StartedCall::Task(task) = client.call_tool("scan", ()).start().await.unwrap() else {
            panic!("it is a task");
        };
        let mut task = match is_detached {
            true => task.detach(),
            false => task,
        };
        timeout(SOON, task.wait()).await.unwrap_err();
        settle().await;
        assert_eq!(log.count("tasks/cancel"), usize::from(!is_detached));
        assert_eq!(log.count("notifications/cancelled"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_others_may_have_started_is_left_alone() {
    let (client, log) = follow([working()]).await;
    timeout(SOON, client.task("t").wait()).await.unwrap_err();
    settle().await;
    assert_eq!(log.count("tasks/cancel"), 0);
}

#[tokio::test(start_paused = true)]
async fn a_handle_that_is_dropped_leaves_its_task_alone() {
    let (client, log) = follow([working()]).await;
    let started = client.call_tool("scan", ()).start().await.unwrap();
    drop(started);
    drop(client.task("t").get().await.unwrap());
    settle().await;
    assert_eq!(log.count("tasks/cancel"), 0);
}

#[tokio::test(start_paused = true)]
async fn closing_waits_for_a_farewell_no_longer_than_its_time() {
    let mut follows = through(handle(json!({})), [working()]);
    // The cancellation needs another handshake, which the server never answers.
    let (client, log) = play(
        |builder| builder,
        move |method, params| match method {
            "tasks/cancel" => Say::Refusal(
                json!({"code": -32022, "message": "m", "data": {"supported": ["2025-06-18"], "requested": "2026-07-28"}}),
            ),
            "initialize" => Say::Nothing,
            _ => follows(method, params),
        },
    )
    .await;
    timeout(SOON, client.call_tool("scan", ()))
        .await
        .unwrap_err();
    let closing = Instant::now();
    client.close().await;
    assert_eq!(log.count("initialize"), 1);
    assert_eq!(closing.elapsed().as_secs(), 5);
}
