//! Many listeners over NATS, and floods.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::{Duration, Instant};

use plainly::Server;
use plainly_cluster::{Bus as _, Engine as _, ReplicaId};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, timeout};

use crate::clients::{Listeners, modern_call};
use crate::processes::until;
use crate::served::Replica;
use crate::servers::Servers;

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute: .ci/full"]
async fn ten_thousand_listen() {
    let Some(mut servers) = Servers::start(1, "") else {
        return;
    };
    let mut all = Vec::new();
    for _ in 0..3 {
        all.push(Replica::new(servers.replica().await));
    }
    let listened: Vec<&Server> = all.iter().map(|one| &one.server).collect();
    let mut listeners = Listeners::begin(&listened, 10_000).await;
    let minute = Duration::from_secs(60);
    for one in &all {
        one.changes.tools_changed();
        timeout(minute, listeners.all_told()).await.unwrap();
    }
    servers.kill(0);
    servers.run(0);
    for one in &all {
        until(async || one.engine.is_connected().then_some(())).await;
    }
    let begin = Instant::now();
    timeout(minute, listeners.all_told()).await.unwrap();
    // It takes over one second. The test allows twice the usual time.
    let took = begin.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
}

/// Publishes 100,000 messages a second to these subjects.
async fn flood(url: String, subjects: Vec<String>) {
    let client = async_nats::connect(url).await.unwrap();
    let mut ticks = interval(Duration::from_millis(10));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        for number in 0..1_000 {
            let subject = subjects[number % subjects.len()].clone();
            let published = client.publish(subject, vec![b'x'; 200].into());
            published.await.unwrap();
        }
        client.flush().await.unwrap();
    }
}

/// The 99th percentile of the duration of calls while these subjects are flooded.
async fn flooded(server: &Server, url: String, subjects: Vec<String>) -> Duration {
    let _flood = JoinSet::from_iter([flood(url, subjects)]);
    let mut times = Vec::new();
    for _ in 0..3_000 {
        let begin = Instant::now();
        modern_call(server, "echo").await;
        times.push(begin.elapsed());
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    times.sort();
    times[times.len() * 99 / 100]
}

fn subjects(server: &str, id: ReplicaId) -> Vec<String> {
    let subjects = ["tell.0000", "journal.0000", "record.tasks.0000"];
    let subjects = subjects.map(|subject| format!("plainly.v1.{server}.{subject}"));
    [
        subjects.to_vec(),
        vec![format!("plainly.v1.{server}.at.{id}")],
    ]
    .concat()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute: .ci/full"]
async fn foreign_publisher() {
    let Some(servers) = Servers::start(1, "") else {
        return;
    };
    let one = Replica::new(servers.replica().await);
    let mut ratios = Vec::new();
    // The machine has other work too, so the best of three attempts counts.
    for _ in 0..3 {
        let [elsewhere, here] = ["others", "test"].map(|name| subjects(name, one.engine.id()));
        let calm = flooded(&one.server, servers.url(0), elsewhere).await;
        let hit = flooded(&one.server, servers.url(0), here).await;
        ratios.push(hit.as_secs_f64() / calm.as_secs_f64());
    }
    assert!(ratios.iter().any(|ratio| *ratio <= 2.0), "{ratios:?}");
}
