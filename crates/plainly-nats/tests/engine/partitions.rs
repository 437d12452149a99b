//! Servers that stop, all at once or only the leader, and networks that are cut.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use plainly_cluster::{Bus as _, Heard, Journals as _, Records as _};
use plainly_nats::Nats;
use rustix::process::Signal;

use crate::processes::{connected, count_lost, put, put_all, put_at_last, until};
use crate::proxy::{Proxy, Way};
use crate::rows;
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
    put_all(&nats, 0..100).await;
    until(async || nats.append("journal", "1".into()).await.ok()).await;
    let mut followed = Box::pin(nats.follow("journal"));
    assert_eq!(followed.next().await.unwrap().unwrap(), "1");
    for index in 0..3 {
        servers.kill(index);
    }
    assert!(put(&nats, "without").await.is_err());
    for index in 0..3 {
        servers.run(index);
    }
    assert!(matches!(heard.next().await, Some(Heard::Gap)));
    assert_eq!(count_lost(&nats, 0..100).await, 0);
    // Journals are in memory, and start anew.
    until(async || nats.append("journal", "2".into()).await.ok()).await;
    until(async || (followed.next().await?.ok()? == "2").then_some(())).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn partition_replica() {
    // With several servers, the replica would learn of a path that avoids the proxy.
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    rows::cut_off(&servers, Way::Silent).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn one_way() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    rows::cut_off(&servers, Way::Deaf).await;
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    rows::cut_off(&servers, Way::Mute).await;
}

#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn partition_of_engine() {
    split([Way::Closed, Way::Closed]).await;
}

/// Nothing from the first server arrives at the others.
#[tokio::test]
#[ignore = "takes half a minute: .ci/full"]
async fn one_way_to_a_server() {
    split([Way::Mute, Way::Deaf]).await;
}

/// Nothing from the others arrives at the first server.
#[tokio::test]
#[ignore = "takes a minute: .ci/full"]
async fn one_way_from_a_server() {
    split([Way::Deaf, Way::Mute]).await;
}

/// Cuts the first of three servers off from the others, by these faults of the connections that it
/// has opened and of those that the others have opened.
async fn split([out, back]: [Way; 2]) {
    let Some(mut servers) = Servers::prepare(3, "") else {
        return;
    };
    // The first server and the others reach each other only through proxies.
    let mut proxies = Vec::new();
    for (from, to, way) in [(0, 1, out), (1, 0, back), (0, 2, out), (2, 0, back)] {
        let proxy = Proxy::to(servers.route(to)).await;
        servers.lead(from, to, proxy.port);
        proxies.push((proxy, way));
    }
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
    proxies.iter().for_each(|(proxy, way)| proxy.set(*way));
    // The two servers elect a leader, if they have lost theirs.
    put_at_last(&other, "during").await;
    let begin = Instant::now();
    let alone = put(&nats, "alone").await;
    assert!(alone.is_err(), "{alone:?}");
    assert!(begin.elapsed() < Duration::from_secs(6));
    // A server that hears nothing demands elections, which interrupt the others.
    put_at_last(&other, "later").await;
    proxies.iter().for_each(|(proxy, _)| proxy.set(Way::Open));
    put_at_last(&nats, "after").await;
    for key in ["before", "during", "later", "after"] {
        for side in [&nats, &other] {
            let found = until(async || side.get(key).await.ok()).await;
            assert!(found.is_some(), "{key} is lost");
        }
    }
}
