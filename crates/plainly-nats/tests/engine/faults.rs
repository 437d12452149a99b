//! Faults of NATS servers.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::pin::pin;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::StreamExt as _;
use plainly_cluster::{Bus as _, EngineError, Heard, Journals as _, Records as _};
use plainly_nats::Nats;
use rustix::process::Signal;
use serde_json::json;

use crate::processes::{self, HOUR, connected, put, put_at_last, until};
use crate::servers::Servers;

/// A replica that uses the first server, and learns of the others from it: they must be a cluster by then.
async fn uses_first(servers: &Servers) -> Nats {
    let nats = Nats::connect([servers.url(0)]).name("test").await.unwrap();
    connected(&nats).await;
    nats
}

#[tokio::test]
async fn engine_down_at_start() {
    let Some(mut servers) = Servers::prepare(1, "") else {
        return;
    };
    let nats = servers.connecting().await.unwrap();
    processes::down_at_start(nats, || servers.run(0)).await;
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
    let event = followed.next().await.unwrap().unwrap();
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
        // The room is looked at once a second.
        if stored.len() == 85 {
            until(async || (admin.info("records").await["state"]["messages"] == 85).then_some(()))
                .await;
            tokio::time::sleep(Duration::from_millis(1_100)).await;
        }
    };
    assert!(matches!(full, EngineError::Full), "{full:?}");
    // There is room for some more, which those that are there may need.
    assert!(stored.len() <= 85, "{}", stored.len());
    // Those that are there can still be replaced.
    let (key, version) = &stored[0];
    let replaced = nats.put(key, value(), *version, HOUR).await;
    assert!(replaced.unwrap().is_some());
}

#[tokio::test]
async fn slow_bus() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    processes::slow_bus(servers.replica().await, servers.replica().await).await;
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
    put_at_last(&nats, "before").await;
    let leader = servers.admin(0).await.leader("records").await;
    let mut confirmed = vec!["before".to_owned()];
    for number in 0..200 {
        if number == 100 {
            servers.kill(leader);
        }
        let key = format!("key.{number}");
        until(async || match put(&nats, &key).await {
            Ok(Some(_)) => Some(()),
            Ok(None) => nats.get(&key).await.ok().flatten().map(drop),
            Err(_) => None,
        })
        .await;
        confirmed.push(key);
    }
    for key in confirmed {
        assert!(nats.get(&key).await.unwrap().is_some(), "{key} is lost");
    }
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
    // It is noticed by pings, and another server is found.
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
    // Questions need no quorum, records do.
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
