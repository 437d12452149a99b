//! Tests of missed events, expired entries, and requested faults.

use futures_util::{FutureExt as _, StreamExt as _};
use tokio::time::advance;

use super::*;

#[tokio::test]
async fn a_replica_that_hears_too_slowly_learns_that_it_has_missed_some() {
    let engine = InProcess::new();
    let (slow, other) = (engine.replica(), engine.replica());
    let mut heard = Box::pin(slow.hear());
    for _ in 0..2_000 {
        other.tell(Bytes::from_static(b"news"));
    }
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    for _ in 0..1_024 {
        assert!(matches!(heard.next().await, Some(Heard::Event(_))));
    }
    assert!(heard.next().now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn what_has_expired_is_gone() {
    let engine = InProcess::new();
    let replica = engine.replica();
    let second = Duration::from_secs(1);
    let value = || Bytes::from_static(b"value");
    let first = replica.put("key", value(), None, second).await.unwrap();
    replica.append("journal", value()).await.unwrap();
    let mut followed = Box::pin(replica.follow("journal"));
    assert!(followed.next().await.unwrap().is_ok());
    assert!(followed.next().now_or_never().is_none());
    advance(Duration::from_secs(600)).await;
    assert_eq!(replica.get("key").await.unwrap(), None);
    assert!(replica.put("key", value(), None, second).await.unwrap() > first);

    replica.append("journal", value()).await.unwrap();
    assert!(followed.next().await.unwrap().is_ok());
}

#[tokio::test]
async fn a_replica_that_was_cut_off_hears_of_the_gap_once_it_is_back() {
    let engine = InProcess::new();
    let (cut, other) = (engine.replica(), engine.replica());
    let mut heard = Box::pin(cut.hear());
    cut.fail(|faults| faults.is_cut = true);
    other.tell(Bytes::from_static(b"news"));
    let asked = other.ask(cut.id(), Bytes::new(), Duration::MAX).await;
    assert_eq!(asked, Err(Unanswered::Gone));
    let asked = cut.ask(other.id(), Bytes::new(), Duration::MAX).await;
    assert_eq!(asked, Err(Unanswered::Unsent));
    assert!(matches!(cut.get("key").await, Err(EngineError::Refused(_))));
    assert!(heard.next().now_or_never().is_none());
    cut.fail(|faults| faults.is_cut = false);
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    other.fail(|faults| faults.lost_events = 1);
    for event in ["lost", "news"] {
        other.tell(event.into());
    }
    assert!(matches!(heard.next().await, Some(Heard::Event(event)) if event == "news"));
}

#[tokio::test(start_paused = true)]
async fn writes_are_in_doubt_slow_and_refused_on_order() {
    let engine = InProcess::new();
    let replica = engine.replica();
    let hour = Duration::from_secs(3_600);
    let put = |key| replica.put(key, Bytes::from_static(b"value"), None, hour);
    replica.fail(|faults| faults.doubtful_writes = 1);
    assert!(matches!(put("a").await, Err(EngineError::Unknown(_))));
    assert_eq!(put("a").await.unwrap(), None);
    replica.fail(|faults| faults.is_full = true);
    assert!(matches!(put("b").await, Err(EngineError::Full)));
    let over = replica.get("a").await.unwrap().map(|stored| stored.version);
    let written = replica.put("a", Bytes::new(), over, hour).await;
    assert!(written.unwrap() > over);
    replica.fail(|faults| faults.delay = Duration::from_secs(3));
    let began = tokio::time::Instant::now();
    engine.forget();
    assert_eq!(replica.get("a").await.unwrap(), None);
    assert_eq!(began.elapsed(), Duration::from_secs(3));
}

#[tokio::test(start_paused = true)]
async fn it_keeps_the_contract() {
    let engine = InProcess::new();
    let broken = crate::check::check(&engine.replica(), &engine.replica()).await;
    assert_eq!(broken, [""; 0]);
}
