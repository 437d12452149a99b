//! What a slow replica misses, and what expires.

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
