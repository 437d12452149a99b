//! The limits on stored tasks, and the lifetimes of tasks.

use std::time::Duration;

use plainly_protocol::peer::Principal;
use proptest::prelude::*;

use super::super::record::TaskEvent;
use super::*;

fn at(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000 + seconds)
}

fn record(id: &str, principal: Option<&str>, now: u64, ttl: u64) -> TaskRecord {
    let (ttl, interval) = (Duration::from_secs(ttl), Duration::from_secs(1));
    let name = principal.map(str::to_owned);
    let mut record = TaskRecord::new(id.to_owned(), name, at(now), ttl, interval);
    record.holder = principal.map(holder);
    record
}

fn holder(principal: &str) -> Holder {
    Holder::Principal(Principal::new(principal))
}

fn tasks(most: usize, of_one: usize, bytes: usize) -> MemoryTasks {
    MemoryTasks(Arc::new(TaskMemory {
        most,
        most_of_one: of_one,
        most_bytes: bytes,
        table: Lock::default(),
    }))
}

fn completed(record: &TaskRecord, bytes: usize) -> TaskRecord {
    let result = RawJson::parse(format!("\"{}\"", "x".repeat(bytes - 2))).unwrap();
    record.after(TaskEvent::Completed(result), at(1)).unwrap()
}

#[test]
fn a_task_is_there_until_it_expires_and_not_after() {
    let tasks = tasks(10, 10, 1 << 20);
    tasks.insert_at(at(0), record("a", None, 0, 60)).unwrap();
    assert!(tasks.get_at(at(59), "a").is_some());
    assert!(tasks.get_at(at(59), "b").is_none());
    assert!(tasks.get_at(at(60), "a").is_none());
    let late = record("a", None, 0, 60)
        .after(TaskEvent::Cancelled, at(61))
        .unwrap();
    assert!(!tasks.replace_at(at(61), late).unwrap());
    assert_eq!(tasks.0.table.lock().bytes, 0);
}

#[test]
fn none_is_given_up_for_another_before_it_expires() {
    let tasks = tasks(2, 10, 1 << 20);
    tasks.insert_at(at(0), record("a", None, 0, 60)).unwrap();
    tasks.insert_at(at(1), record("b", None, 1, 60)).unwrap();
    let full = tasks.insert_at(at(2), record("c", None, 2, 60));
    assert!(matches!(full, Err(TaskStoreError::Full)));
    tasks.insert_at(at(60), record("c", None, 60, 60)).unwrap();
    let left: Vec<_> = ["a", "b", "c"]
        .iter()
        .map(|id| tasks.get_at(at(60), id).is_some())
        .collect();
    assert_eq!(left, [false, true, true]);
}

#[test]
fn one_principal_leaves_room_for_others() {
    let tasks = tasks(10, 2, 1 << 20);
    for id in ["a", "b"] {
        tasks
            .insert_at(at(0), record(id, Some("me"), 0, 60))
            .unwrap();
    }
    assert!(
        tasks
            .insert_at(at(0), record("c", Some("me"), 0, 60))
            .is_err()
    );
    for (id, principal) in [("d", Some("you")), ("e", None), ("f", None), ("g", None)] {
        tasks
            .insert_at(at(0), record(id, principal, 0, 60))
            .unwrap();
    }
    tasks
        .insert_at(at(60), record("c", Some("me"), 60, 60))
        .unwrap();
    assert_eq!(
        tasks.0.table.lock().held,
        HashMap::from([(holder("me"), 1)])
    );
}

#[test]
fn bytes_are_counted_and_an_end_in_words_always_has_room() {
    let tasks = tasks(10, 10, 3 * LEAST);
    let (a, b) = (record("a", None, 0, 60), record("b", None, 0, 60));
    tasks.insert_at(at(0), a.clone()).unwrap();
    tasks.insert_at(at(0), b.clone()).unwrap();
    assert!(matches!(
        tasks.replace_at(at(1), completed(&a, 3 * LEAST)),
        Err(TaskStoreError::Full)
    ));
    assert!(tasks.replace_at(at(1), completed(&a, 2 * LEAST)).unwrap());
    assert_eq!(tasks.0.table.lock().bytes, 3 * LEAST);
    assert!(matches!(
        tasks.replace_at(at(1), completed(&b, 9 * LEAST)),
        Err(TaskStoreError::Full)
    ));
    assert!(tasks.get_at(at(1), "a").is_some(), "it would not help");
    assert!(tasks.replace_at(at(1), completed(&b, 3 * LEAST)).unwrap());
    assert!(tasks.get_at(at(1), "a").is_none());
    tasks.insert_at(at(1), record("c", None, 1, 60)).unwrap();
    assert_eq!(tasks.0.table.lock().bytes, LEAST);
}

#[test]
fn what_has_been_over_for_longest_makes_room_and_ones_own_first() {
    let tasks = tasks(4, 3, 1 << 20);
    let insert = |id, principal| tasks.insert_at(at(9), record(id, principal, 0, 60)).is_ok();
    let end = |id, seconds| {
        let before = tasks.get_at(at(9), id).unwrap();
        let over = before.after(TaskEvent::Cancelled, at(seconds)).unwrap();
        assert!(tasks.replace_at(at(9), over).unwrap());
    };
    let ids = || {
        let mut ids: Vec<_> = tasks.0.table.lock().records.keys().cloned().collect();
        ids.sort_unstable();
        ids.concat()
    };
    let (me, you) = (Some("me"), Some("you"));
    assert!(insert("a", you) && insert("b", me) && insert("c", me) && insert("d", me));
    end("a", 1);
    assert!(!insert("e", me), "another's task leaves the own share full");
    end("d", 2);
    assert!(insert("e", me));
    assert_eq!(ids(), "abce");
    end("b", 3);
    assert!(insert("f", None), "nobody's own task is over");
    assert_eq!(ids(), "bcef");
    assert!(insert("g", you));
    assert_eq!(ids(), "cefg");
    assert!(!insert("h", you), "all are running");
}

#[test]
fn only_what_follows_the_record_that_is_there_replaces_it() {
    let tasks = tasks(10, 10, 1 << 20);
    let first = record("a", None, 0, 60);
    tasks.insert_at(at(0), first.clone()).unwrap();
    let said = first.after(TaskEvent::Said("x".to_owned()), at(1)).unwrap();
    let cancelled = first.after(TaskEvent::Cancelled, at(1)).unwrap();
    assert!(tasks.replace_at(at(1), cancelled.clone()).unwrap());
    assert!(!tasks.replace_at(at(1), said).unwrap());
    assert!(!tasks.replace_at(at(1), cancelled.clone()).unwrap());
    assert_eq!(tasks.get_at(at(1), "a"), Some(cancelled));
}

#[test]
fn what_never_expires_is_kept() {
    let tasks = tasks(1, 1, 1 << 20);
    let forever = TaskRecord::new("a".to_owned(), None, at(0), Duration::MAX, Duration::ZERO);
    tasks.insert_at(at(0), forever).unwrap();
    assert!(tasks.get_at(at(1 << 40), "a").is_some());
}

proptest! {
    /// The counts match the stored tasks after any steps.
    #[test]
    fn the_counts_are_right(steps in proptest::collection::vec((0_u8..4, 0_u8..8, 0_u64..50), 0..80)) {
        let tasks = tasks(5, 2, 8 * LEAST);
        let mut now = 0;
        for (step, number, amount) in steps {
            let id = number.to_string();
            now += u64::from(step == 0) * amount;
            let principal = (number % 3 > 0).then(|| format!("p{}", number % 3));
            match (step, tasks.get_at(at(now), &id)) {
                (1, None) => {
                    // A task that exceeds a limit changes nothing.
                    tasks.insert_at(at(now), record(&id, principal.as_deref(), now, amount + 1)).ok();
                }
                (2, Some(before)) if !before.is_over() => {
                    tasks.replace_at(at(now), completed(&before, LEAST / 8 * (amount as usize + 1))).ok();
                }
                _ => {}
            }
            let table = tasks.0.table.lock();
            let weights: usize = table.records.values().map(|(record, _)| weight(record)).sum();
            prop_assert_eq!(table.bytes, weights);
            prop_assert!(table.bytes <= 8 * LEAST && table.records.len() <= 5);
            let mut counts = TaskCounts::default();
            table.records.values().for_each(|(record, _)| *counts.of_mut(record.task.state.status()) += 1);
            prop_assert_eq!(table.counts, counts);
            prop_assert_eq!(table.expiring.len(), table.records.len());
            let over = table.records.values().filter(|(record, _)| record.is_over()).count();
            prop_assert_eq!(table.over.len(), over);
            let owned = table.records.values().filter(|(record, _)| record.principal.is_some()).count();
            prop_assert_eq!(table.held.values().sum::<usize>(), owned);
            prop_assert!(table.held.values().all(|held| (1..=2).contains(held)));
        }
    }
}
