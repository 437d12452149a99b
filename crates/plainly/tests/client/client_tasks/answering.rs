//! The questions of a task: each is answered only once, by the same handlers as other questions.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainly::client::{LocalError, StartedCall};
use plainly::limits::ClientLimits;
use plainly::protocol::types::{ElicitResult, InputResponses, RawJson};
use plainly_peer::assert_local;
use serde_json::{Value, json};

use super::script::{
    Log, Say, Unconnected, asks, completed, follow, handle, play, settle, through, working,
};

/// Adds a handler that answers every question with a name, and counts its calls.
fn named(asked: &Arc<AtomicUsize>) -> impl FnOnce(Unconnected) -> Unconnected {
    let asked = Arc::clone(asked);
    move |builder| {
        builder.on_elicitation(move |_| {
            asked.fetch_add(1, Ordering::Relaxed);
            async {
                ElicitResult::accept([("name".to_owned(), json!("Ada"))].into_iter().collect())
            }
        })
    }
}

/// Returns the keys of the answers, request by request.
fn answered(log: &Log) -> Vec<Vec<String>> {
    let updates = log.of("tasks/update").into_iter();
    let keys = updates.map(|sent| {
        assert_eq!(sent.params["taskId"], "t");
        let answers = sent.params["inputResponses"].as_object().unwrap().clone();
        assert!(
            answers
                .values()
                .all(|answer| answer["content"]["name"] == "Ada"),
            "{answers:?}"
        );
        answers.into_iter().map(|(key, _)| key).collect()
    });
    keys.collect()
}

#[tokio::test(start_paused = true)]
async fn each_question_is_answered_once_however_long_it_is_listed() {
    let asked = Arc::default();
    let states = [
        working(),
        asks(&["a", "b"]),
        asks(&["a", "b"]),
        asks(&["b", "c"]),
        working(),
        asks(&["a", "c"]),
        completed(),
    ];
    let script = through(handle(json!({})), states);
    let (client, log) = play(named(&asked), script).await;
    client.call_tool("scan", ()).await.unwrap();
    assert_eq!(answered(&log), [vec!["a", "b"], vec!["c"]]);
    assert_eq!(asked.load(Ordering::Relaxed), 3);
}

#[tokio::test(start_paused = true)]
async fn a_question_for_ever_is_answered_once_and_ends_with_the_longest_time() {
    let asked = Arc::default();
    let script = through(handle(json!({"status": "input_required"})), [asks(&["a"])]);
    let longest = Duration::from_secs(600);
    let set = named(&asked);
    let (client, log) = play(|builder| set(builder).longest(longest), script).await;
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert!(error.is_timeout(), "{error}");
    assert_eq!(answered(&log), [["a"]]);
    settle().await;
    assert_eq!(log.count("tasks/cancel"), 1);
}

#[tokio::test(start_paused = true)]
async fn new_questions_without_end_come_to_one() {
    let asked = Arc::default();
    let mut next = 0;
    let mut others = through(handle(json!({})), [working()]);
    let script = move |method: &str, params: &Value| match method {
        "tasks/get" => {
            next += 1;
            Say::Result(asks(&[&format!("key {next}")]))
        }
        _ => others(method, params),
    };
    let (client, log) = play(named(&asked), script).await;
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert_local!(error, LocalError::TooManyRounds { .. });
    let limits = ClientLimits::default();
    assert_eq!(answered(&log).len(), limits.rounds);

    let many: Vec<_> = (0..=limits.questions).map(|key| key.to_string()).collect();
    let many: Vec<_> = many.iter().map(String::as_str).collect();
    let script = through(handle(json!({})), [asks(&many)]);
    let (client, log) = play(named(&Arc::default()), script).await;
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid reply to `tasks/get`: it asks for more than 64 things at a time"
    );
    assert_eq!(log.count("tasks/update"), 0);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_can_answer_is_answered_by_hand_or_given_up() {
    let (client, log) = follow([asks(&["a"])]).await;
    let error = client.call_tool("scan", ()).await.unwrap_err();
    assert_local!(error, LocalError::Unanswered { .. });
    settle().await;
    assert_eq!(log.count("tasks/cancel"), 1);

    let (client, log) = follow([asks(&["a"]), asks(&["a"]), working(), completed()]).await;
    let StartedCall::Task(mut task) = client.call_tool("scan", ()).start().await.unwrap() else {
        panic!("it is a task");
    };
    let error = task.wait().await.unwrap_err();
    assert_local!(error, LocalError::Unanswered { .. });
    let answer = RawJson::parse(r#"{"action":"accept","content":{"name":"Ada"}}"#).unwrap();
    task.answer(InputResponses::from_iter([("a", answer)]))
        .await
        .unwrap();
    task.wait().await.unwrap();
    assert_eq!(answered(&log), [["a"]]);
    settle().await;
    assert_eq!(log.count("tasks/cancel"), 0);
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_refused_may_be_given_again() {
    let mut refused = false;
    let mut others = through(handle(json!({})), [asks(&["a"]), asks(&["a"]), completed()]);
    let script = move |method: &str, params: &Value| match method {
        "tasks/update" if !std::mem::replace(&mut refused, true) => Say::Error(-32602),
        _ => others(method, params),
    };
    let (client, log) = play(named(&Arc::default()), script).await;
    let mut task = client.task("t");
    let error = task.wait().await.unwrap_err();
    assert!(error.is_invalid_params(), "{error}");
    task.wait().await.unwrap();
    assert_eq!(answered(&log), [["a"], ["a"]]);
}
