//! The allowed transitions, as a table and as properties.

use plainly_errors::{Dialect, ProtocolError, Revision};
use plainly_protocol::types::{ElicitUrlParams, TaskStatus};
use proptest::prelude::*;

use super::*;

fn question(text: &str) -> InputRequest {
    ElicitUrlParams::new("https://a.example/", text).into()
}

fn answers<const N: usize>(keys: [&str; N]) -> TaskEvent {
    let answer = |key: &str| {
        (
            key.to_owned(),
            RawJson::parse(format!("\"{key}\"")).unwrap(),
        )
    };
    TaskEvent::Answered(keys.into_iter().map(answer).collect())
}

fn asks<const N: usize>(keys: [&str; N]) -> TaskEvent {
    TaskEvent::Asks(keys.map(|key| (key.to_owned(), question(key))).into())
}

fn completed() -> TaskEvent {
    TaskEvent::Completed(RawJson::parse("{}").unwrap())
}

fn failed() -> TaskEvent {
    let error = ProtocolError::internal("broken");
    TaskEvent::Failed(Dialect::default().encode(&error, Revision::LATEST))
}

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn begun() -> TaskRecord {
    let ttl = Duration::from_secs(60);
    TaskRecord::new("t".to_owned(), None, at(0), ttl, Duration::from_secs(1))
}

/// Returns the record after these events.
fn after(events: impl IntoIterator<Item = TaskEvent>) -> TaskRecord {
    events.into_iter().fold(begun(), |record, event| {
        record.after(event, at(1)).unwrap_or(record)
    })
}

#[test]
fn each_state_is_followed_by_what_happens_in_it() {
    use TaskStatus::{Cancelled, Completed, Failed, InputRequired, Working};
    let said = |text: &str| TaskEvent::Said(text.to_owned());
    // Each case has the earlier events, the next event, and the new status if that event changes
    // the record.
    let cases: Vec<(Vec<TaskEvent>, TaskEvent, Option<TaskStatus>)> = vec![
        (vec![], asks(["a"]), Some(InputRequired)),
        (vec![], asks([]), None),
        (vec![], answers(["a"]), None),
        (vec![], said("x"), Some(Working)),
        (vec![said("x")], said("x"), None),
        (vec![], completed(), Some(Completed)),
        (vec![], failed(), Some(Failed)),
        (vec![], TaskEvent::Cancelled, Some(Cancelled)),
        (vec![asks(["a"])], asks(["a"]), None),
        (vec![asks(["a"])], asks(["a", "b"]), Some(InputRequired)),
        (vec![asks(["a"])], asks(["b"]), Some(InputRequired)),
        (vec![asks(["a"])], asks([]), Some(Working)),
        (vec![asks(["a"])], answers(["b"]), None),
        (vec![asks(["a"])], answers([]), None),
        (vec![asks(["a"])], answers(["a"]), Some(Working)),
        (vec![asks(["a", "b"])], answers(["a"]), Some(InputRequired)),
        (
            vec![asks(["a", "b"])],
            answers(["a", "b", "c"]),
            Some(Working),
        ),
        (vec![asks(["a"]), answers(["a"])], answers(["a"]), None),
        (vec![asks(["a"]), answers(["a"])], asks(["a"]), None),
        (
            vec![asks(["a"]), answers(["a"])],
            asks(["a", "b"]),
            Some(InputRequired),
        ),
        (vec![asks(["a"]), asks([])], answers(["a"]), None),
        (
            vec![asks(["a"]), asks([])],
            asks(["a"]),
            Some(InputRequired),
        ),
        (vec![asks(["a"])], said("x"), Some(InputRequired)),
        (vec![asks(["a"])], completed(), Some(Completed)),
        (vec![asks(["a"])], failed(), Some(Failed)),
        (vec![asks(["a"])], TaskEvent::Cancelled, Some(Cancelled)),
    ];
    for (before, event, expected) in cases {
        let record = after(before.clone());
        let next = record.after(event.clone(), at(2));
        let led = next.as_ref().map(|next| next.task.state.status());
        assert_eq!(led, expected, "{before:?}, then {event:?}");
        if let Some(next) = next {
            assert_eq!(next.version, record.version + 1);
            assert_ne!(next.task.last_updated_at, record.task.last_updated_at);
        }
    }
}

#[test]
fn nothing_follows_the_end() {
    for end in [completed(), failed(), TaskEvent::Cancelled] {
        let over = after([asks(["a"]), end]);
        let events = [
            asks(["b"]),
            asks([]),
            answers(["a"]),
            TaskEvent::Said("x".to_owned()),
            completed(),
            failed(),
            TaskEvent::Cancelled,
        ];
        for event in events {
            assert_eq!(over.after(event.clone(), at(2)), None, "{event:?}");
        }
    }
}

#[test]
fn a_record_says_when_in_iso_8601_and_for_how_long() {
    let record = begun();
    assert_eq!(record.task.created_at, "2027-01-15T08:00:00.000Z");
    assert_eq!(record.task.ttl_ms, Some(60_000));
    assert_eq!(record.task.poll_interval_ms, Some(1_000));
    assert_eq!(record.expires, Some(at(60)));
    let endless = TaskRecord::new("t".to_owned(), None, at(0), Duration::MAX, Duration::MAX);
    assert_eq!((endless.expires, endless.task.ttl_ms), (None, None));
    assert_eq!(endless.task.poll_interval_ms, Some(LARGEST));
}

#[test]
fn a_failure_says_why_in_words_too() {
    let record = after([failed()]);
    assert_eq!(record.task.status_message.as_deref(), Some("broken"));
}

#[test]
fn a_record_comes_back_from_json_as_it_was() {
    let mut records = vec![begun(), after([asks(["a"]), answers(["a"]), asks(["b"])])];
    records
        .extend([completed(), failed(), TaskEvent::Cancelled].map(|end| after([asks(["a"]), end])));
    for mut record in records {
        record.principal = Some("me".to_owned());
        let text = serde_json::to_string(&record).unwrap();
        let read: TaskRecord = serde_json::from_str(&text).unwrap();
        assert_eq!(read, record);
    }
}

fn event() -> impl Strategy<Value = TaskEvent> {
    let key = || prop_oneof![Just("a"), Just("b"), Just("c")];
    prop_oneof![
        2 => Just(asks([])),
        4 => key().prop_map(|key| asks([key])),
        4 => (key(), key()).prop_map(|(one, other)| asks([one, other])),
        4 => key().prop_map(|key| answers([key])),
        2 => (key(), key()).prop_map(|(one, other)| answers([one, other])),
        1 => key().prop_map(|text| TaskEvent::Said(text.to_owned())),
        1 => Just(completed()),
        1 => Just(failed()),
        1 => Just(TaskEvent::Cancelled),
    ]
}

proptest! {
    /// Compares the record with two sets: the open questions, and the answered ones.
    #[test]
    fn whatever_happens_answers_are_taken_once_and_only_for_what_is_asked(
        events in proptest::collection::vec(event(), 0..60)
    ) {
        let (mut open, mut known) = (Vec::<String>::new(), Vec::<String>::new());
        let mut record = begun();
        for event in events {
            let was_over = record.is_over();
            if let Some(next) = record.after(event.clone(), at(1)) {
                prop_assert!(!was_over, "{:?} followed the end", event);
                record = next;
            }
            if was_over {
                continue;
            }
            match event {
                TaskEvent::Asks(questions) => {
                    open = questions.into_keys().filter(|key| !known.contains(key)).collect();
                }
                TaskEvent::Answered(answers) => {
                    let wanted: Vec<_> = answers.iter().map(|(key, _)| key.to_owned()).filter(|key| open.contains(key)).collect();
                    open.retain(|key| !wanted.contains(key));
                    known.extend(wanted);
                }
                TaskEvent::Said(_) | TaskEvent::Completed(_) | TaskEvent::Failed(_) | TaskEvent::Cancelled => {}
            }
            if !record.is_over() {
                let mut asked: Vec<_> = record.asked().into_iter().flatten().map(|(key, _)| key.clone()).collect();
                let status = record.task.state.status();
                prop_assert_eq!(status == TaskStatus::InputRequired, !asked.is_empty());
                open.sort();
                asked.sort();
                prop_assert_eq!(&asked, &open);
            }
            known.sort();
            prop_assert_eq!(record.answers.iter().map(|(key, _)| key.to_owned()).collect::<Vec<_>>(), known.clone());
        }
    }
}

#[test]
fn members_that_newer_servers_add_are_stored_with_the_next_event() {
    let written = serde_json::to_string(&begun()).unwrap();
    let newer = written.replacen('{', r#"{"later":[1],"#, 1);
    let record: TaskRecord = serde_json::from_str(&newer).unwrap();
    let next = record.after(completed(), at(1)).unwrap();
    let written = serde_json::to_string(&next).unwrap();
    assert!(written.contains(r#""later":[1]"#), "{written}");
    let read: TaskRecord = serde_json::from_str(&written).unwrap();
    assert_eq!(read, next);
}
