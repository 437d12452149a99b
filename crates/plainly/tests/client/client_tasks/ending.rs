//! The ends of a task, and wrong reports of a server about it.

use std::time::Duration;

use plainly::client::{Client, LocalError, StartedCall};
use plainly_peer::{assert_local, table, told};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::script::{
    Log, Say, completed, follow, handle, modern, play, settle, task, through, working,
};

#[tokio::test(start_paused = true)]
async fn each_wrong_answer_is_said_with_its_place() {
    for (created, state, expected) in
        table::cases::<(Value, Value, &str)>(include_str!("ending.txt"), "wrong")
    {
        let script = through(handle(created), [task(state.clone())]);
        let (client, _) = play(|builder| builder, script).await;
        let error = client.call_tool("scan", ()).await.unwrap_err();
        assert_local!(error, LocalError::InvalidResponse { .. });
        assert_eq!(
            told(&error),
            format!("invalid reply to {expected}"),
            "{state}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn each_end_is_that_of_the_call() {
    for (state, expected) in table::cases::<(Value, &str)>(include_str!("ending.txt"), "ends") {
        let (client, log) = follow([working(), task(state.clone())]).await;
        let said = match client.call_tool("scan", ()).await {
            Ok(result) if result.is_tool_error() => {
                format!("tool error: {}", result.content[0].as_text().unwrap())
            }
            Ok(result) => result.content[0].as_text().unwrap().to_owned(),
            Err(error) => told(&error),
        };
        assert_eq!(said, expected, "{state}");
        settle().await;
        assert_eq!(log.count("tasks/cancel"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_task_fails_with_is_recognised_as_that_of_its_tool() {
    let error = json!({"code": -32602, "message": "Unknown tool: scan"});
    let (client, _) = follow([task(json!({"status": "failed", "error": error}))]).await;
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert!(error.is_tool_not_found(), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn only_a_tool_becomes_a_task() {
    let (client, mut peer) = modern(|builder| builder).await;
    for method in ["tools/list", "resources/read", "prompts/get"] {
        let (error, ()) = tokio::join!(
            async {
                match method {
                    "tools/list" => client.tools().await.map(drop),
                    "prompts/get" => client.prompt("p", ()).await.map(drop),
                    _ => client.read("a:b").await.map(drop),
                }
            },
            peer.answer_with(method, handle(json!({})))
        );
        let error = error.unwrap_err();
        let expected =
            format!("invalid reply to `{method}`: /resultType: \"task\" is not \"complete\"");
        assert_eq!(told(&error), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_that_outlives_its_time_is_lost() {
    for refused in [false, true] {
        let ttl = task(json!({"ttlMs": 10_000, "pollIntervalMs": 4_000}));
        let mut others = through(
            handle(json!({"ttlMs": 10_000, "pollIntervalMs": 4_000})),
            [ttl],
        );
        let start = Instant::now();
        let script = move |method: &str, params: &Value| match method {
            "tasks/get" if refused && start.elapsed().as_secs() >= 10 => Say::Error(-32602),
            _ => others(method, params),
        };
        let (client, log) = play(|builder| builder, script).await;
        let error = client.call_tool("scan", ()).await.unwrap_err();
        assert_local!(error, LocalError::TaskLost { .. });
        let expected = "the task has not ended within the 10 seconds for which the server keeps it";
        assert_eq!(told(&error), expected);
        assert_eq!(start.elapsed().as_secs(), 10);
        assert_eq!(log.count("tasks/get"), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_may_keep_a_task_for_longer_than_it_said() {
    let states = [
        task(json!({"ttlMs": 60_000})),
        task(json!({"ttlMs": null})),
        working(),
        task(json!({"status": "completed", "result": {"content": []}})),
    ];
    let script = through(
        handle(json!({"ttlMs": 1_500, "pollIntervalMs": 1_000})),
        states,
    );
    let (client, _) = play(|builder| builder, script).await;
    client.call_tool("scan", ()).await.unwrap();
}

/// A client of a server that refuses the first requests for the task so.
async fn failing(times: usize, error: Value) -> (Client, Log) {
    let mut left = times;
    let mut others = through(handle(json!({})), [working(), completed()]);
    let script = move |method: &str, params: &Value| match method {
        "tasks/get" if left > 0 => {
            left -= 1;
            Say::Refusal(error.clone())
        }
        _ => others(method, params),
    };
    play(|builder| builder, script).await
}

#[tokio::test(start_paused = true)]
async fn a_server_that_can_not_report_a_task_now_is_asked_again_when_it_wants() {
    let limited = json!({"code": 429, "message": "m", "data": {"code": "RATE_LIMIT_EXCEEDED", "retry_after": 40}});
    for (error, least) in [(json!({"code": -32603, "message": "m"}), 1), (limited, 40)] {
        let (client, log) = failing(2, error).await;
        client.call_tool("scan", ()).await.unwrap();
        settle().await;
        let least = Duration::from_secs(least);
        let pauses = &log.pauses()[1..3];
        assert!(pauses.iter().all(|pause| *pause >= least), "{pauses:?}");
        assert_eq!(log.count("tasks/get"), 4);
        assert_eq!(log.count("tasks/cancel"), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_fails_does_not_lose_the_task() {
    let (client, log) = failing(31, json!({"code": -32603, "message": "m"})).await;
    let StartedCall::Task(mut task) = client.call_tool("scan", ()).start().await.unwrap() else {
        panic!("it is a task");
    };
    assert!(task.wait().await.unwrap_err().is_internal());
    assert_eq!(log.count("tasks/get"), 31);
    task.wait().await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(log.count("tasks/cancel"), 0);
}
