//! Faults of Redis servers.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::PathBuf;
use std::pin::pin;

use futures_util::StreamExt as _;
use plainly_cluster::{Bus as _, Engine as _, EngineError, Heard, Journals as _, Records as _};
use plainly_redis::Redis;
use rustix::process::Signal;

use crate::disk::Disk;
use crate::processes::{HOUR, connected, count_lost, put, put_all, put_at_last, until};
use crate::proxy::Way;
use crate::rows::{self, gap, hears};
use crate::servers::Servers;
use crate::soak;

impl rows::Servers for Servers {
    type Engine = Redis;

    fn folders(&self) -> Vec<PathBuf> {
        (0..self.ports.len())
            .map(|index| self.folder(index))
            .collect()
    }

    fn run(&mut self, index: usize) {
        Self::run(self, index);
    }

    fn kill(&mut self, index: usize) {
        Self::kill(self, index);
    }

    fn signal(&self, index: usize, signal: Signal) {
        Self::signal(self, index, signal);
    }

    fn first(&self) -> u16 {
        self.ports[0]
    }

    async fn replica_at(&self, port: u16) -> Redis {
        let redis = Redis::connect([format!("redis://127.0.0.1:{port}")]);
        let redis = redis.name("test").await.unwrap();
        connected(&redis).await;
        redis
    }
}

#[tokio::test]
async fn engine_down_at_start() {
    let Some(mut servers) = Servers::prepare(1) else {
        return;
    };
    let redis = servers.connecting().await.unwrap();
    rows::down_at_start(redis, || servers.run(0)).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn thundering_start() {
    let Some(mut servers) = Servers::prepare(1) else {
        return;
    };
    let mut all = Vec::new();
    for _ in 0..100 {
        all.push(servers.connecting().await.unwrap());
    }
    rows::thundering_start(all, || servers.run(0)).await;
}

#[tokio::test]
async fn engine_gone_for_a_second() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::engine_gone_for_a_second(&servers).await;
}

#[tokio::test]
#[ignore = "takes a minute: .ci/full"]
async fn engine_gone_for_a_minute() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::engine_gone_for_a_minute(&servers).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn partition_replica() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::cut_off(&servers, Way::Silent).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn one_way() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::cut_off(&servers, Way::Deaf).await;
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::cut_off(&servers, Way::Mute).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn creds_revoked() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let own = servers.url(0).replace("//", "//own:x@");
    let restore = || servers.ask::<()>(0, "ACL SETUSER own on >x ~* &* +@all");
    restore();
    let revoke = || assert_eq!(servers.ask::<u64>(0, "ACL DELUSER own"), 1);
    let revoked = Redis::connect([own]).name("test").await.unwrap();
    connected(&revoked).await;
    let other = servers.replica().await;
    rows::creds_revoked([revoked, other], revoke, restore).await;
}

/// No confirmed write is lost if Redis syncs to disk at once.
#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn power_cut() {
    for (fsync, is_safe) in [("always", true), ("everysec", false)] {
        let Some(mut servers) = Servers::prepare(1) else {
            return;
        };
        servers.storing(fsync);
        rows::power_cut(&mut servers, is_safe).await;
    }
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn disk_full() {
    let Some(mut servers) = Servers::prepare(1) else {
        return;
    };
    servers.storing("everysec");
    let Some(disk) = Disk::mount(&servers.folder(0), 32) else {
        return;
    };
    servers.run(0);
    let redis = servers.replica().await;
    put_all(&redis, 0..100).await;
    let full = disk.fill();
    let mut number = 100;
    while put(&redis, &format!("key.{number}")).await.is_ok() {
        number += 1;
    }
    // Everything else continues.
    assert!(redis.is_connected());
    assert_eq!(count_lost(&redis, 0..number).await, 0);
    drop(full);
    put_at_last(&redis, "after").await;
}

#[tokio::test]
async fn huge() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let two = [servers.replica().await, servers.replica().await];
    rows::huge(two, &[768, 2 << 10, 8 << 10]).await;
}

#[tokio::test]
#[ignore = "takes a minute: .ci/full"]
async fn huge_as_can_be() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::huge(
        [servers.replica().await, servers.replica().await],
        &[30 << 10],
    )
    .await;
}

/// A server without files, which is empty after a restart.
#[tokio::test]
async fn server_killed() {
    let Some(mut servers) = Servers::start().await else {
        return;
    };
    let (redis, other) = (servers.replica().await, servers.replica().await);
    let version = put(&redis, "key").await.unwrap();
    let mut heard = Box::pin(redis.hear());
    other.append("journal", "1".into()).await.unwrap();
    let mut followed = pin!(redis.follow("journal"));
    assert_eq!(followed.next().await.unwrap().unwrap(), "1");
    servers.kill(0);
    until(async || (!redis.is_connected()).then_some(())).await;
    servers.run(0);
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    assert_eq!(redis.get("key").await.unwrap(), None);
    assert!(put(&redis, "key").await.unwrap() > version);
    until(async || other.append("journal", "2".into()).await.ok()).await;
    assert_eq!(followed.next().await.unwrap().unwrap(), "2");
}

/// The primary becomes a copy, and then a primary again.
#[tokio::test]
async fn read_only() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let redis = servers.replica().await;
    let _done: () = servers.ask(0, "REPLICAOF 127.0.0.1 1");
    let (stored, ()) = tokio::join!(put(&redis, "key"), async {
        until(async || (!redis.is_connected()).then_some(())).await;
        let _done: () = servers.ask(0, "REPLICAOF NO ONE");
    });
    assert!(stored.unwrap().is_some());
}

#[tokio::test]
async fn records_full() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let redis = servers.replica().await;
    let version = put(&redis, "key").await.unwrap();
    let _length: u64 = servers.ask(0, "SETRANGE other 20000000 x");
    let info: redis::InfoDict = servers.ask(0, "INFO memory");
    let used: u64 = info.get("used_memory").unwrap();
    let limit = |most| {
        let _done: () = servers.ask(0, &format!("CONFIG SET maxmemory {most}"));
    };
    // Less than a tenth is free, so existing records can still be replaced.
    limit(used + used / 12);
    until(async || match put(&redis, "new").await {
        Err(EngineError::Full) => Some(()),
        _ => None,
    })
    .await;
    let full = redis.append("journal", "event".into()).await;
    assert!(matches!(full, Err(EngineError::Full)), "{full:?}");
    let again = |version| redis.put("key", "again".into(), version, HOUR);
    let version = again(version).await.unwrap();
    assert!(version.is_some());
    // No memory is free.
    limit(1);
    let full = again(version).await;
    assert!(matches!(full, Err(EngineError::Full)), "{full:?}");
    assert!(redis.get("key").await.unwrap().is_some());
}

#[tokio::test]
async fn password_missing() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let right = servers.url(0).replace("//", "//:right@");
    let _done: () = servers.ask(0, "CONFIG SET requirepass right");
    let refused = async |url| {
        let redis = Redis::connect([url]).await.unwrap();
        format!("{:?}", redis.get("key").await)
    };
    let (missing, wrong) = tokio::join!(
        refused(servers.url(0)),
        refused(right.replace("right", "wrong"))
    );
    for refused in [missing, wrong] {
        assert!(refused.contains("password"), "{refused}");
    }
    connected(&Redis::connect([right]).await.unwrap()).await;
}

#[tokio::test]
async fn slow_bus() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    rows::slow_bus(servers.replica().await, servers.replica().await).await;
}

/// Redis disconnects a replica that gets no time to read.
#[tokio::test]
async fn slow_subscriber() {
    let Some(servers) = Servers::start().await else {
        return;
    };
    let limit = "CONFIG SET client-output-buffer-limit";
    let mut limits = redis::cmd("CONFIG");
    limits
        .arg("SET")
        .arg("client-output-buffer-limit")
        .arg("pubsub 100000 0 0");
    limits.exec(&mut servers.admin(0).unwrap()).expect(limit);
    let (redis, other) = (servers.replica().await, servers.replica().await);
    let mut heard = Box::pin(redis.hear());
    hears(&mut heard, &other).await;
    // Blocks this thread, so the replica can't read.
    let mut admin = servers.admin(0).unwrap();
    let event = vec![b'x'; 1 << 20];
    for _ in 0..64 {
        let mut told = redis::cmd("PUBLISH");
        told.arg("plainly:v1:test:tell").arg(&event);
        told.exec(&mut admin).unwrap();
    }
    gap(&mut heard, 64).await;
    connected(&redis).await;
    hears(&mut heard, &other).await;
}

/// A write that no copy has is not confirmed.
#[tokio::test]
async fn copy_stopped() {
    let Some(servers) = Servers::with_copies(1).await else {
        return;
    };
    let redis = servers.replica().await;
    servers.signal(1, Signal::STOP);
    let doubt = put(&redis, "key").await;
    assert!(matches!(doubt, Err(EngineError::Unknown(_))), "{doubt:?}");
    // Reading a write in doubt fails; other reads don't wait.
    let doubt = redis.get("key").await;
    assert!(matches!(doubt, Err(EngineError::Refused(_))), "{doubt:?}");
    assert!(redis.get("other").await.unwrap().is_none());
    servers.signal(1, Signal::CONT);
    // The doubt ends without another write.
    until(async || redis.get("key").await.ok()).await;
    put_at_last(&redis, "other").await;
    assert!(redis.get("key").await.unwrap().is_some());
}

/// Writes that change nothing don't prolong a doubt.
#[tokio::test]
async fn copy_stopped_under_outdated_writes() {
    let Some(servers) = Servers::with_copies(1).await else {
        return;
    };
    let redis = servers.replica().await;
    servers.signal(1, Signal::STOP);
    let doubt = put(&redis, "key").await;
    assert!(matches!(doubt, Err(EngineError::Unknown(_))), "{doubt:?}");
    servers.signal(1, Signal::CONT);
    let outdated = async {
        loop {
            let written = redis.put("other", "x".into(), Some(1), HOUR);
            assert!(!matches!(written.await, Ok(Some(_))));
        }
    };
    tokio::select! {
        () = outdated => {}
        stored = until(async || redis.get("key").await.ok()) => assert!(stored.is_some()),
    }
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn primary_killed() {
    let Some(mut servers) = Servers::with_copies(2).await else {
        return;
    };
    let url = servers.watch().await;
    let [redis, other] = [&url, &url].map(|url| Redis::connect([url]).name("test"));
    let (redis, other) = (redis.await.unwrap(), other.await.unwrap());
    connected(&redis).await;
    connected(&other).await;
    let mut heard = Box::pin(redis.hear());
    hears(&mut heard, &other).await;
    redis.append("journal", "1".into()).await.unwrap();
    let mut followed = pin!(other.follow("journal"));
    assert_eq!(followed.next().await.unwrap().unwrap(), "1");
    put_all(&redis, 0..200).await;
    servers.kill(0);
    put_all(&redis, 200..400).await;
    gap(&mut heard, 100).await;
    connected(&other).await;
    hears(&mut heard, &other).await;
    assert_eq!(count_lost(&other, 0..400).await, 0);
    until(async || redis.append("journal", "2".into()).await.ok()).await;
    // The journal is read again from its beginning.
    until(async || (followed.next().await.unwrap().unwrap() == "2").then_some(())).await;
    // The killed server returns as a copy.
    servers.run(0);
    put_at_last(&redis, "after").await;
}

/// The primary stops, and continues after another one has become the primary.
#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn primary_stopped() {
    let Some(mut servers) = Servers::with_copies(1).await else {
        return;
    };
    let url = servers.watch().await;
    let redis = Redis::connect([url]).name("test").await.unwrap();
    put_at_last(&redis, "before").await;
    let mut heard = Box::pin(redis.hear());
    servers.signal(0, Signal::STOP);
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    put_at_last(&redis, "after").await;
    servers.signal(0, Signal::CONT);
    put_at_last(&redis, "later").await;
    for key in ["before", "after", "later"] {
        let kept = until(async || redis.get(key).await.ok()).await;
        assert!(kept.is_some(), "{key} is lost");
    }
}

/// Is a replica of [`soak`], in a process that it starts.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by `soak`: .ci/full"]
async fn replica() {
    soak::serve(async |urls| Redis::connect(urls).name("soak").await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes two minutes: .ci/full"]
async fn soak() {
    let Some(mut servers) = Servers::prepare(1) else {
        return;
    };
    servers.storing("always");
    servers.run(0);
    let urls = vec![servers.url(0)];
    soak::soak(&mut servers, urls, "faults::replica").await;
}
