//! Tasks of several replicas over records that fail, compared with a task whose events happen one
//! after another.

use std::collections::BTreeMap;

use futures_util::future::join_all;
use plainly_errors::{Dialect, ProtocolError, Revision};
use plainly_protocol::types::{
    ElicitUrlParams, Implementation, InputRequest, InputResponses, RawJson,
};
use plainly_transport::seal::Keys;
use proptest::prelude::*;

use super::*;
use crate::audience::ErrorPolicy;
use crate::changes::Changes;
use crate::limits::Limits;
use crate::outgoing::encode::Encoder;
use crate::shelves::faulty::FaultyRecords;
use crate::tasks::Tasks;
use crate::tasks::record::TaskEvent;

const ID: &str = "a task";

fn replica(records: &FaultyRecords) -> Arc<Tasks> {
    let shelves = Shelves::new(Arc::new(records.clone()), "tests");
    let shelves = shelves.sealed(Some(&Keys::new([1; 32]))).limited(256);
    let store = Arc::new(SharedTasks::new(Arc::new(shelves)));
    let implementation = Implementation::new("tests", "1");
    let encoder = Encoder::new(Dialect::default(), implementation, usize::MAX);
    let (errors, limits) = (ErrorPolicy::default(), Limits::default());
    let tasks = Tasks::new(store, &Changes::new(), &Arc::new(encoder), errors, &limits);
    Arc::new(tasks)
}

fn begun() -> TaskRecord {
    let (now, hour) = (SystemTime::now(), Duration::from_hours(1));
    TaskRecord::new(ID.to_owned(), None, now, hour, Duration::from_secs(1))
}

/// Returns a record without its times and the number of its writes.
fn facts(record: &TaskRecord) -> TaskRecord {
    let mut facts = record.clone();
    (facts.stored, facts.version, facts.expires) = (None, 0, None);
    facts.task.last_updated_at = String::new();
    facts
}

fn asks(key: &str) -> TaskEvent {
    // The question is long enough for a record in parts.
    let question = ElicitUrlParams::new("https://a.example/", "x".repeat(300));
    let question: InputRequest = question.into();
    TaskEvent::Asks(BTreeMap::from([(key.to_owned(), question)]))
}

fn answered(key: &str) -> TaskEvent {
    let answer = (key.to_owned(), RawJson::parse("{}").unwrap());
    TaskEvent::Answered([answer].into_iter().collect::<InputResponses>())
}

fn event() -> impl Strategy<Value = TaskEvent> {
    let key = || prop_oneof![Just("a"), Just("b")];
    let error = ProtocolError::internal("broken");
    let error = Dialect::default().encode(&error, Revision::LATEST);
    prop_oneof![
        2 => Just(TaskEvent::Asks(BTreeMap::new())),
        4 => key().prop_map(asks),
        6 => key().prop_map(answered),
        3 => "[xy]".prop_map(TaskEvent::Said),
        1 => Just(TaskEvent::Completed(RawJson::parse("{}").unwrap())),
        1 => Just(TaskEvent::Failed(error)),
        1 => Just(TaskEvent::Cancelled),
    ]
}

/// Returns all orders of these events. Each failed event may have happened or not.
fn orders(events: &[(TaskEvent, bool)]) -> Vec<Vec<TaskEvent>> {
    if events.is_empty() {
        return vec![Vec::new()];
    }
    let mut orders = Vec::new();
    for index in 0..events.len() {
        let mut others = events.to_vec();
        let (first, is_sure) = others.remove(index);
        for rest in self::orders(&others) {
            if !is_sure {
                orders.push(rest.clone());
            }
            orders.push([vec![first.clone()], rest].concat());
        }
    }
    orders
}

fn after(record: &TaskRecord, events: Vec<TaskEvent>) -> TaskRecord {
    let now = SystemTime::now();
    events.into_iter().fold(record.clone(), |record, event| {
        record.after(event, now).unwrap_or(record)
    })
}

async fn check(rounds: Vec<(Vec<TaskEvent>, Vec<u8>)>) {
    let records = FaultyRecords::default();
    let replicas = [(); 3].map(|()| replica(&records));
    let mut model = begun();
    replicas[0].store.insert(model.clone()).await.unwrap();
    for (events, faults) in rounds {
        records.fail(faults);
        let sent = events.iter().zip(&replicas);
        let sent = sent.map(|(event, replica)| replica.record(ID, event.clone()));
        let results = join_all(sent).await;
        records.mend().await;
        let happened = replicas[0].get(ID).await.unwrap().unwrap();
        let events = events.into_iter().zip(results.iter().map(Result::is_ok));
        let events: Vec<_> = events.collect();
        let possible = orders(&events).into_iter();
        let mut possible = possible.map(|order| facts(&after(&model, order)));
        assert!(
            possible.any(|possible| possible == facts(&happened)),
            "{happened:?} of {model:?} after {events:?}"
        );
        model = happened;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Up to three events happen at once, each at a different replica. The result must be the same
    /// as if they had happened one after another, with or without those that failed.
    #[test]
    fn whatever_fails_each_event_happens_or_its_sender_is_told(
        rounds in proptest::collection::vec((
            proptest::collection::vec(event(), 1..4),
            proptest::collection::vec(0_u8..30, 0..24),
        ), 1..12)
    ) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().build().unwrap().block_on(check(rounds));
    }
}

#[tokio::test]
async fn a_task_out_of_reach_is_unavailable_and_one_without_room_full() {
    let records = FaultyRecords::default();
    let tasks = replica(&records);
    tasks.store.insert(begun()).await.unwrap();
    records.fail(vec![0; 9]);
    let got = tasks.store.get(ID).await;
    assert!(
        matches!(got, Err(TaskStoreError::Unavailable(_))),
        "{got:?}"
    );
    assert!(matches!(EngineError::Full.into(), TaskStoreError::Full));
}
