//! Servers that stop, all at once or one that leads, and networks that are cut.

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use plainly_cluster::{Bus as _, Engine as _, Heard, Journals as _, Records as _, Unanswered};
use plainly_nats::Nats;
use rustix::process::Signal;

use crate::processes::{connected, put, put_at_last, until};
use crate::proxy::{Proxy, Way};
use crate::servers::Servers;

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn leader_stopped() {
    let Some(servers) = Servers::start(3, "") else {
        return;
    };
    let nats = servers.replica().await;
    put_at_last(&nats, "before").await;
    let leader = servers.admin(0).await.leader("records").await;
    servers.signal(leader, Signal::STOP);
    let begin = Instant::now();
    put_at_last(&nats, "during").await;
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(25), "{took:?}");
    servers.signal(leader, Signal::CONT);
    put_at_last(&nats, "after").await;
    for key in ["before", "during", "after"] {
        let found = until(async || nats.get(key).await.ok()).await;
        assert!(found.is_some(), "{key} is lost");
    }
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn all_killed() {
    let Some(mut servers) = Servers::start(3, "") else {
        return;
    };
    let nats = servers.replica().await;
    let mut heard = Box::pin(nats.hear());
    let mut confirmed = Vec::new();
    for number in 0..100 {
        let key = format!("key.{number}");
        put_at_last(&nats, &key).await;
        confirmed.push(key);
    }
    until(async || nats.append("journal", "1".into()).await.ok()).await;
    for index in 0..3 {
        servers.kill(index);
    }
    assert!(put(&nats, "without").await.is_err());
    for index in 0..3 {
        servers.run(index);
    }
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    for key in confirmed {
        let found = until(async || nats.get(&key).await.ok()).await;
        assert!(found.is_some(), "{key} is lost");
    }
    // Journals are in memory: what follows is there.
    until(async || nats.append("journal", "2".into()).await.ok()).await;
    let mut followed = Box::pin(nats.follow("journal"));
    assert_eq!(followed.next().await.unwrap().unwrap(), "2");
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn partition_replica() {
    // Else the replica would learn of a way beside the proxy.
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    let proxy = Proxy::to(servers.port(0)).await;
    let cut = Nats::connect([format!("nats://127.0.0.1:{}", proxy.port)]);
    let cut = cut.name("test").await.unwrap();
    connected(&cut).await;
    let other = servers.replica().await;
    let mut heard = Box::pin(cut.hear());
    put_at_last(&cut, "before").await;
    // It hears, so it can be asked.
    let second = Duration::from_secs(1);
    until(
        async || match other.ask(cut.id(), "?".into(), second).await {
            Err(Unanswered::Silent) => Some(()),
            Ok(_) | Err(Unanswered::Gone | Unanswered::Unsent) => None,
        },
    )
    .await;
    proxy.set(Way::Silent);
    other.tell("missed".into());
    let begin = Instant::now();
    assert!(put(&cut, "during").await.is_err());
    assert!(begin.elapsed() < 6 * second);
    until(async || (!cut.is_connected()).then_some(())).await;
    let unsent = cut.ask(other.id(), "?".into(), second).await;
    assert_eq!(unsent, Err(Unanswered::Unsent));
    proxy.set(Way::Open);
    loop {
        match heard.next().await.unwrap() {
            Heard::Gap => break,
            Heard::Event(event) => assert_ne!(event, "missed"),
            Heard::Question(..) => {}
        }
    }
    put_at_last(&cut, "after").await;
    assert!(other.get("after").await.unwrap().is_some());
    assert_eq!(
        other.get("during").await.unwrap(),
        None,
        "nothing is sent late"
    );
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn partition_of_engine() {
    let Some(mut servers) = Servers::prepare(3, "") else {
        return;
    };
    // The first server and the others reach each other through proxies alone.
    let mut proxies = Vec::new();
    for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 0)] {
        let proxy = Proxy::to(servers.route(to)).await;
        servers.lead(from, to, proxy.port);
        proxies.push(proxy);
    }
    let set = |way| proxies.iter().for_each(|proxy| proxy.set(way));
    for index in 0..3 {
        servers.run(index);
    }
    let other = Nats::connect([servers.url(1), servers.url(2)]).name("test");
    let other = other.await.unwrap();
    connected(&other).await;
    put_at_last(&other, "before").await;
    let nats = Nats::connect([servers.url(0)]).name("test").await.unwrap();
    connected(&nats).await;
    assert!(nats.get("before").await.unwrap().is_some());
    set(Way::Closed);
    // The two elect a leader, if they have lost theirs.
    put_at_last(&other, "during").await;
    let begin = Instant::now();
    let alone = put(&nats, "alone").await;
    assert!(alone.is_err(), "{alone:?}");
    assert!(begin.elapsed() < Duration::from_secs(6));
    set(Way::Open);
    put_at_last(&nats, "after").await;
    for key in ["before", "during", "after"] {
        for side in [&nats, &other] {
            let found = until(async || side.get(key).await.ok()).await;
            assert!(found.is_some(), "{key} is lost");
        }
    }
}
