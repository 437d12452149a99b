//! All messages about tasks are valid by the JSON Schema of the extension, and a task without the
//! field of its status is invalid.

use crate::cases;
use plainly_errors::{Code, WireError};
use plainly_protocol::types::{
    CancelTaskParams, CreateTaskResult, DetailedTask, ElicitUrlParams, GetTaskParams, InputRequest,
    InputResponses, RawJson, SubscriptionFilter, TaskState, TaskStatus, UpdateTaskParams,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::spec::{parse, spec};

fn value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Returns a task in each state.
fn tasks() -> Vec<(&'static str, DetailedTask)> {
    let visit = InputRequest::from(ElicitUrlParams::new("https://a.example/", "Sign in"));
    let states = [
        ("WorkingTask", TaskState::Working),
        (
            "InputRequiredTask",
            TaskState::InputRequired {
                input_requests: [("sign-in".to_owned(), visit)].into(),
            },
        ),
        (
            "CompletedTask",
            TaskState::Completed {
                result: RawJson::parse(r#"{"content":[],"resultType":"complete"}"#).unwrap(),
            },
        ),
        (
            "FailedTask",
            TaskState::Failed {
                error: WireError::received(Code::new(-32603), "broken", Some(json!({"a": 1}))),
            },
        ),
        ("CancelledTask", TaskState::Cancelled),
    ];
    let task = |state| {
        let mut task = DetailedTask::new("t", "2026-07-28T10:00:00.000Z", Some(60_000));
        task.state = state;
        task.status_message = Some("as it is".to_owned());
        task.poll_interval_ms(1_000)
    };
    states.map(|(name, state)| (name, task(state))).into()
}

fn request(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

/// Returns all messages about tasks, by the name of their definition.
fn documents() -> Vec<(&'static str, Value)> {
    let answer = RawJson::parse(r#"{"action":"accept"}"#).unwrap();
    let update = UpdateTaskParams::new("t", InputResponses::from_iter([("sign-in", answer)]));
    let filter = SubscriptionFilter::new().task_ids(["t"]);
    let mut documents = vec![
        (
            "GetTaskRequest",
            request("tasks/get", value(&GetTaskParams::new("t"))),
        ),
        (
            "CancelTaskRequest",
            request("tasks/cancel", value(&CancelTaskParams::new("t"))),
        ),
        ("UpdateTaskRequest", request("tasks/update", value(&update))),
        ("TaskSubscriptionNotifications", value(&filter)),
        ("TaskSubscriptionAcknowledgedNotifications", value(&filter)),
    ];
    for (name, task) in tasks() {
        let told = json!({"jsonrpc": "2.0", "method": "notifications/tasks", "params": task});
        let (mut got, mut created) = (value(&task), value(&CreateTaskResult::from(task.clone())));
        got["resultType"] = json!("complete");
        created["resultType"] = json!("task");
        documents.extend([
            (name, value(&task)),
            ("DetailedTask", value(&task)),
            ("GetTaskResult", got),
            ("CreateTaskResult", created),
            ("TaskStatusNotification", told),
        ]);
    }
    documents
}

#[test]
fn what_we_write_of_tasks_is_valid() {
    let Some(spec) = spec() else { return };
    let schema = parse(&spec.join("extensions/tasks/schema.json"));
    for (definition, document) in documents() {
        assert!(schema["$defs"][definition].is_object(), "no {definition}");
        let reference = format!("#/$defs/{definition}");
        let one = json!({"$defs": schema["$defs"], "$ref": reference});
        let validator = jsonschema::validator_for(&one).unwrap();
        let failures: Vec<_> = validator
            .iter_errors(&document)
            .map(|e| e.to_string())
            .collect();
        assert!(
            failures.is_empty(),
            "{definition} {document}: {failures:#?}"
        );
        assert!(
            !validator.is_valid(&json!([])),
            "{definition} accepts anything"
        );
    }
}

#[test]
fn a_handle_says_nothing_but_what_the_task_is() {
    for (_, task) in tasks() {
        let status = task.state.status();
        let created = value(&CreateTaskResult::from(task));
        let mut fields: Vec<_> = created.as_object().unwrap().keys().collect();
        fields.sort();
        let expected = [
            "createdAt",
            "lastUpdatedAt",
            "pollIntervalMs",
            "status",
            "statusMessage",
            "taskId",
            "ttlMs",
        ];
        assert_eq!(fields, expected);
        assert_eq!(created["status"], value(&status));
    }
}

#[test]
fn a_task_has_the_field_of_its_status() {
    let read = |state: &str| {
        let text = format!(
            r#"{{"taskId":"a","createdAt":"c","lastUpdatedAt":"u","ttlMs":null,"resultType":"task",{state}}}"#
        );
        serde_json::from_str::<DetailedTask>(&text).map_err(|error| error.to_string())
    };
    for (state, missing) in cases::<(&str, &str)>("fields of a status") {
        let error = read(state).unwrap_err();
        assert!(error.contains(missing), "{state}: {error}");
    }
    let task = read(r#""status":"working","result":{},"progress":1"#).unwrap();
    assert_eq!(task.state, TaskState::Working);
}

#[test]
fn terminal_are_the_three_that_nothing_follows() {
    let all = [
        TaskStatus::Working,
        TaskStatus::InputRequired,
        TaskStatus::Completed,
        TaskStatus::Failed,
        TaskStatus::Cancelled,
    ];
    let terminal = all.map(TaskStatus::is_terminal);
    assert_eq!(terminal, [false, false, true, true, true]);
}

#[test]
fn answers_have_each_key_once() {
    let twice = r#"{"taskId":"a","inputResponses":{"k":{},"k":{}}}"#;
    let error = serde_json::from_str::<UpdateTaskParams>(twice).unwrap_err();
    assert!(error.to_string().contains("duplicate field `k`"), "{error}");
    for wrong in [
        r#"{"taskId":"a"}"#,
        r#"{"taskId":"a","inputResponses":[]}"#,
        r#"{"inputResponses":{}}"#,
    ] {
        assert!(
            serde_json::from_str::<UpdateTaskParams>(wrong).is_err(),
            "{wrong}"
        );
    }
}
