//! Faults of NATS servers.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::PathBuf;
use std::pin::pin;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _};
use plainly_cluster::{Bus as _, Engine as _, EngineError, Heard, Journals as _, Records as _};
use plainly_nats::Nats;
use rustix::process::Signal;
use serde_json::json;

use crate::disk::Disk;
use crate::processes::{HOUR, connected, count_lost, put, put_all, put_at_last, until};
use crate::rows;
use crate::servers::Servers;
use crate::soak;

/// A replica that connects to the first server, and learns about the others from it. They must be a
/// cluster by then.
async fn uses_first(servers: &Servers) -> Nats {
    let nats = Nats::connect([servers.url(0)]).name("test").await.unwrap();
    connected(&nats).await;
    nats
}

impl rows::Servers for Servers {
    type Engine = Nats;

    fn folders(&self) -> Vec<PathBuf> {
        (0..self.urls().len())
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
        self.port(0)
    }

    async fn replica_at(&self, port: u16) -> Nats {
        let nats = Nats::connect([format!("nats://127.0.0.1:{port}")]);
        let nats = nats.name("test").await.unwrap();
        connected(&nats).await;
        nats
    }
}

#[tokio::test]
async fn engine_down_at_start() {
    let Some(mut servers) = Servers::prepare(1, "") else {
        return;
    };
    let nats = servers.connecting().await.unwrap();
    rows::down_at_start(nats, || servers.run(0)).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn thundering_start() {
    let Some(mut servers) = Servers::prepare(3, "") else {
        return;
    };
    let mut all = Vec::new();
    for _ in 0..100 {
        all.push(servers.connecting().await.unwrap());
    }
    rows::thundering_start(all, || (0..3).for_each(|index| servers.run(index))).await;
}

#[tokio::test]
async fn engine_gone_for_a_second() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    rows::engine_gone_for_a_second(&servers).await;
}

#[tokio::test]
#[ignore = "takes a minute: .ci/full"]
async fn engine_gone_for_a_minute() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    rows::engine_gone_for_a_minute(&servers).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn creds_revoked() {
    let users = |names: &[&str]| {
        let users = names
            .iter()
            .map(|name| format!("{{ user: {name}, password: x }}"));
        format!(
            "authorization {{ users: [{}] }}",
            users.collect::<Vec<_>>().join(", ")
        )
    };
    let Some(servers) = Servers::start(1, &users(&["a", "b"])) else {
        return;
    };
    let mut replicas = Vec::new();
    for user in ["a", "b"] {
        let url = servers.url(0).replace("//", &format!("//{user}:x@"));
        let nats = Nats::connect([url]).name("test").await.unwrap();
        connected(&nats).await;
        replicas.push(nats);
    }
    let servers = Mutex::new(servers);
    let reload = |names: &'static [&'static str]| {
        let mut servers = servers.lock().unwrap();
        servers.configure(&users(names));
        servers.signal(0, Signal::HUP);
    };
    let [a, b] = replicas.try_into().unwrap();
    rows::creds_revoked([a, b], || reload(&["b"]), || reload(&["a", "b"])).await;
}

#[tokio::test]
async fn server_killed() {
    let Some(mut servers) = Servers::start(3, "") else {
        return;
    };
    let (admin, other) = (servers.admin(1).await, servers.replica().await);
    put_at_last(&other, "before").await;
    let nats = uses_first(&servers).await;
    let mut heard = Box::pin(nats.hear());
    other.append("journal", "1".into()).await.unwrap();
    let mut followed = pin!(nats.follow("journal"));
    assert_eq!(followed.next().await.unwrap().unwrap(), "1");
    servers.kill(0);
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    assert!(admin.leader("records").await > 0);
    put_at_last(&nats, "after").await;
    // The leader of all streams, which consumers need, may be elected later.
    until(async || pin!(other.follow("journal")).next().await?.ok()).await;
    let before = until(async || nats.get("before").await.ok()).await;
    assert!(before.is_some());
    until(async || other.append("journal", "2".into()).await.ok()).await;
    // After a fault, events may be repeated.
    let mut event = followed.next().await.unwrap().unwrap();
    while event == "1" {
        event = followed.next().await.unwrap().unwrap();
    }
    assert_eq!(event, "2");
}

#[tokio::test]
async fn streams_deleted() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    let nats = servers.replica().await;
    let admin = servers.admin(0).await;
    let version = put(&nats, "key").await.unwrap();
    nats.append("journal", "1".into()).await.unwrap();
    let mut followed = pin!(nats.follow("journal"));
    assert_eq!(followed.next().await.unwrap().unwrap(), "1");
    for stream in ["records", "journals"] {
        admin.delete(stream).await;
    }
    assert_eq!(nats.get("key").await.unwrap(), None);
    assert!(put(&nats, "key").await.unwrap() > version);
    nats.append("journal", "2".into()).await.unwrap();
    assert_eq!(followed.next().await.unwrap().unwrap(), "2");
}

#[tokio::test]
async fn records_full() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    let nats = servers.replica().await;
    let admin = servers.admin(0).await;
    let config = json!({
        "name": "plainly_test_records", "subjects": ["plainly.v1.test.record.>"], "storage": "file",
        "max_bytes": 100_000, "max_msgs_per_subject": 1, "discard": "new", "allow_msg_ttl": true,
    });
    let made = admin
        .ask("STREAM.CREATE.plainly_test_records", config)
        .await;
    assert_eq!(made["error"], json!(null));
    let value = || Bytes::from(vec![b'x'; 1_000]);
    let mut stored = Vec::new();
    let full = loop {
        let key = format!("key.{}", stored.len());
        match nats.put(&key, value(), None, HOUR).await {
            Ok(version) => stored.push((key, version)),
            Err(error) => break error,
        }
        // The free space is checked once a second.
        if stored.len() == 85 {
            until(async || (admin.info("records").await["state"]["messages"] == 85).then_some(()))
                .await;
            tokio::time::sleep(Duration::from_millis(1_100)).await;
        }
    };
    assert!(matches!(full, EngineError::Full), "{full:?}");
    // Some space remains, for new versions of existing records.
    assert!(stored.len() <= 85, "{}", stored.len());
    // Existing records can still be replaced.
    let (key, version) = &stored[0];
    let replaced = nats.put(key, value(), *version, HOUR).await;
    assert!(replaced.unwrap().is_some());
}

#[tokio::test]
async fn slow_bus() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    rows::slow_bus(servers.replica().await, servers.replica().await).await;
}

#[tokio::test]
async fn permission_missing() {
    let users = r#"authorization { users: [
        { user: a, password: a, permissions: {
            publish: ["plainly.v1.test.>", "_INBOX_test.>", "$JS.API.STREAM.CREATE.plainly_test_records", "$JS.API.STREAM.INFO.plainly_test_records"],
            subscribe: ["plainly.v1.test.>", "_INBOX_test.>"],
        } } ] }"#;
    let Some(servers) = Servers::start(1, users) else {
        return;
    };
    let url = servers.url(0).replace("//", "//a:a@");
    let nats = Nats::connect([url]).name("test").await.unwrap();
    connected(&nats).await;
    put(&nats, "key").await.unwrap().unwrap();
    let begin = Instant::now();
    let refused = nats.get("key").await.unwrap_err();
    assert!(matches!(refused, EngineError::Refused(_)));
    assert!(
        format!("{refused:?}").contains("STREAM.MSG.GET"),
        "{refused:?}"
    );
    assert!(begin.elapsed() < Duration::from_secs(1));
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn leader_killed() {
    let Some(mut servers) = Servers::start(3, "") else {
        return;
    };
    let nats = servers.replica().await;
    put_all(&nats, 0..100).await;
    let leader = servers.admin(0).await.leader("records").await;
    servers.kill(leader);
    put_all(&nats, 100..200).await;
    assert_eq!(count_lost(&nats, 0..200).await, 0);
}

/// The server enters lame duck mode, in which clients leave it over half a minute.
#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn server_drained() {
    let slowly = "lame_duck_duration: '30s', lame_duck_grace_period: '1s'";
    let Some(servers) = Servers::start(3, slowly) else {
        return;
    };
    put_at_last(&servers.replica().await, "before").await;
    let nats = uses_first(&servers).await;
    let mut heard = Box::pin(nats.hear());
    servers.signal(0, Signal::USR2);
    let (mut written, mut longest) = (0, Duration::ZERO);
    while heard.next().now_or_never().is_none() {
        let begin = Instant::now();
        put_all(&nats, written..written + 1).await;
        longest = longest.max(begin.elapsed());
        written += 1;
    }
    put_all(&nats, written..written + 10).await;
    assert_eq!(count_lost(&nats, 0..written + 10).await, 0);
    assert!(longest < Duration::from_secs(20), "{longest:?}");
}

/// No confirmed write is lost if NATS syncs to disk at once.
#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn power_cut() {
    for (storage, is_safe) in [("sync_interval: always", true), ("", false)] {
        let Some(servers) = Servers::prepare(3, "") else {
            return;
        };
        let mut servers = servers.storing(&format!("max_file_store: 2GB, {storage}"));
        rows::power_cut(&mut servers, is_safe).await;
    }
}

/// Disks are full: on one server, then on two.
#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn disk_full() {
    let Some(servers) = Servers::prepare(3, "") else {
        return;
    };
    let mut servers = servers.storing("max_file_store: 2GB");
    let disks = [0, 1].map(|index| Disk::mount(&servers.folder(index), 32));
    let [Some(first), Some(second)] = disks else {
        return;
    };
    (0..3).for_each(|index| servers.run(index));
    let (nats, other) = (servers.replica().await, servers.replica().await);
    put_all(&nats, 0..100).await;
    let _full = first.fill();
    let mut numbers = 0..;
    until(async || {
        put_at_last(&nats, &numbers.next()?.to_string()).await;
        let report = nats.report().await.ok()?;
        report.rows[0][1].starts_with('!').then_some(())
    })
    .await;
    put_all(&nats, 100..200).await;
    assert_eq!(count_lost(&nats, 0..200).await, 0);
    let _full = second.fill();
    let mut number = 200;
    let took = loop {
        let begin = Instant::now();
        match put(&nats, &format!("key.{number}")).await {
            Ok(_) => number += 1,
            Err(_) => break begin.elapsed(),
        }
    };
    assert!(took < Duration::from_secs(6));
    // Events need no disk space.
    let mut heard = Box::pin(nats.hear());
    rows::hears(&mut heard, &other).await;
}

#[tokio::test]
async fn huge() {
    let Some(servers) = Servers::start(1, "max_payload: 64KB") else {
        return;
    };
    let two = [servers.replica().await, servers.replica().await];
    rows::huge(two, &[768, 2 << 10, 8 << 10]).await;
}

#[tokio::test]
#[ignore = "takes a minute: .ci/full"]
async fn huge_as_can_be() {
    let Some(servers) = Servers::start(1, "max_payload: 64KB") else {
        return;
    };
    rows::huge(
        [servers.replica().await, servers.replica().await],
        &[30 << 10],
    )
    .await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn own_server_stopped() {
    let Some(servers) = Servers::start(3, "") else {
        return;
    };
    put_at_last(&servers.replica().await, "before").await;
    let nats = uses_first(&servers).await;
    let mut heard = Box::pin(nats.hear());
    servers.signal(0, Signal::STOP);
    // Pings detect the stopped server, and the replica connects to another one.
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    put_at_last(&nats, "after").await;
    assert!(
        until(async || nats.get("before").await.ok())
            .await
            .is_some()
    );
    servers.signal(0, Signal::CONT);
    put_at_last(&nats, "later").await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn no_quorum() {
    let Some(mut servers) = Servers::start(3, "") else {
        return;
    };
    let (nats, other) = (servers.replica().await, servers.replica().await);
    put_at_last(&nats, "before").await;
    let mut heard = Box::pin(nats.hear());
    tokio::spawn(async move {
        while let Some(heard) = heard.next().await {
            if let Heard::Question(question, responder) = heard {
                responder.answer(question);
            }
        }
    });
    servers.kill(1);
    servers.kill(2);
    // Records need a quorum, but questions don't.
    let second = Duration::from_secs(1);
    let answer = until(async || other.ask(nats.id(), "?".into(), second).await.ok()).await;
    assert_eq!(answer, "?");
    let begin = Instant::now();
    let failed = put(&nats, "without").await;
    assert!(
        failed.is_err() && begin.elapsed() < 5 * second,
        "{failed:?}"
    );
    servers.run(1);
    put_at_last(&nats, "after").await;
    assert!(nats.get("before").await.unwrap().is_some());
}

/// Is a replica of [`soak`], in a process that it starts.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "started by `soak`: .ci/full"]
async fn replica() {
    soak::serve(async |urls| Nats::connect(urls).name("soak").await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes two minutes: .ci/full"]
async fn soak() {
    let Some(mut servers) = Servers::start(3, "") else {
        return;
    };
    let urls = servers.urls();
    soak::soak(&mut servers, urls, "faults::replica").await;
}
