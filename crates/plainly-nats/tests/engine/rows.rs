//! Faults that are the same for all engines. Each function has the name of a row in the table of
//! faults.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::PathBuf;
use std::pin::pin;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::{Stream, StreamExt as _};
use plainly_cluster::{Bus as _, Engine, EngineError, Heard, Records as _, Unanswered};
use rustix::process::Signal;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::clients::{Listeners, Session, modern_call, task_call};
use crate::disk::Disk;
use crate::processes::{HOUR, connected, count_lost, memory, put, put_all, put_at_last, until};
use crate::proxy::{Proxy, Way};
use crate::served::{Replica, text_of};

const SECOND: Duration = Duration::from_secs(1);

/// Servers of an engine.
pub(crate) trait Servers {
    type Engine: Engine + Clone;

    /// The folder with the files of each server.
    fn folders(&self) -> Vec<PathBuf>;

    /// Starts the server, for the first time or again.
    fn run(&mut self, index: usize);

    fn kill(&mut self, index: usize);

    fn signal(&self, index: usize, signal: Signal);

    /// The port of the first server.
    fn first(&self) -> u16;

    /// A replica that reaches the first server only at this port, once it is connected.
    async fn replica_at(&self, port: u16) -> Self::Engine;
}

/// Uses an engine whose servers start afterwards.
pub(crate) async fn down_at_start(engine: impl Engine, run: impl FnOnce()) {
    assert!(!engine.is_connected());
    let mut heard = pin!(engine.hear());
    engine.tell("lost".into());
    let unsent = engine.ask(engine.id(), "?".into(), HOUR).await;
    assert_eq!(unsent, Err(Unanswered::Unsent));
    // A call waits for the engine for a limited time.
    let begin = Instant::now();
    let refused = engine.get("key").await;
    assert!(
        matches!(refused, Err(EngineError::Refused(_))),
        "{refused:?}"
    );
    assert!(begin.elapsed() < Duration::from_secs(5));
    let (waited, ()) = tokio::join!(put(&engine, "key"), async { run() });
    waited.unwrap().unwrap();
    engine.tell("heard".into());
    assert!(matches!(heard.next().await, Some(Heard::Event(event)) if event == "heard"));
}

/// Waits until this replica receives an event from the other one.
pub(crate) async fn hears(mut heard: impl Stream<Item = Heard> + Unpin, other: &impl Engine) {
    let first = until(async || {
        other.tell("first".into());
        let heard = tokio::time::timeout(Duration::from_millis(50), heard.next());
        heard.await.ok()
    });
    assert!(matches!(first.await, Some(Heard::Event(_))));
}

/// Waits for a gap, with at most `most` events before it.
pub(crate) async fn gap(mut heard: impl Stream<Item = Heard> + Unpin, most: usize) {
    let mut events = 0;
    loop {
        match heard.next().await {
            Some(Heard::Gap) => return,
            Some(Heard::Event(_)) => events += 1,
            Some(Heard::Question(..)) | None => unreachable!(),
        }
        assert!(events <= most);
    }
}

/// Sends more events than are queued for a replica that doesn't read.
pub(crate) async fn slow_bus(one: impl Engine, other: impl Engine) {
    let mut heard = Box::pin(one.hear());
    hears(&mut heard, &other).await;
    // The replica doesn't read. At most as many events are sent at once as the client library
    // queues.
    for _ in 0..20 {
        for _ in 0..1_000 {
            other.tell("news".into());
        }
        assert!(other.get("key").await.is_ok());
    }
    gap(heard, 20_000).await;
}

/// A replica whose connection can be cut, and another one.
struct Two<E> {
    proxy: Proxy,
    cut: Replica<E>,
    other: Replica<E>,
    /// A client that listens at the first replica.
    listener: Listeners,
    /// A session that both replicas know.
    session: Session,
}

impl<E: Engine + Clone> Two<E> {
    async fn of(servers: &impl Servers<Engine = E>) -> Self {
        let proxy = Proxy::to(servers.first()).await;
        let cut = Replica::new(servers.replica_at(proxy.port).await);
        let other = Replica::new(servers.replica_at(servers.first()).await);
        put_at_last(&cut.engine, "before").await;
        let listener = Listeners::begin(&[&cut.server], 1).await;
        let session = Session::open(&cut.server).await;
        session.call(&other.server, "echo").await;
        Self {
            proxy,
            cut,
            other,
            listener,
            session,
        }
    }

    async fn lose(&self) {
        self.proxy.set(Way::Closed);
        until(async || (!self.cut.engine.is_connected()).then_some(())).await;
    }
}

/// Cuts the connection for a second, during which writes wait.
pub(crate) async fn engine_gone_for_a_second(servers: &impl Servers) {
    let mut two = Two::of(servers).await;
    two.lose().await;
    let back = async {
        sleep(SECOND).await;
        two.proxy.set(Way::Open);
    };
    let server = &two.cut.server;
    let (stored, begun, ()) = tokio::join!(
        two.session.subscribe(server),
        two.cut.try_begin_task(),
        back
    );
    assert_eq!((stored, begun), (200, 200));
    two.session.call(&two.other.server, "echo").await;
    two.listener.all_told().await;
}

/// Cuts the connection for a minute, and checks that no write is made late.
pub(crate) async fn engine_gone_for_a_minute(servers: &impl Servers) {
    let mut two = Two::of(servers).await;
    let begin = Instant::now();
    two.lose().await;
    // Changes of this replica are reported to its own clients, and not to other replicas later.
    two.cut.changes.tools_changed();
    two.listener.all_told().await;
    let witness = servers.replica_at(servers.first()).await;
    let mut heard = Box::pin(witness.hear());
    two.cut.engine.tell("lost".into());
    let mut rounds = 0;
    while begin.elapsed() < 60 * SECOND {
        let begin = Instant::now();
        modern_call(&two.cut.server, "echo").await;
        let took = begin.elapsed();
        assert!(took < SECOND, "{took:?}");
        two.session.call(&two.cut.server, "echo").await;
        let (stored, begun) = tokio::join!(
            two.session.subscribe(&two.cut.server),
            two.cut.try_begin_task(),
        );
        assert_eq!((stored, begun), (503, 503));
        let refused = put(&two.cut.engine, "during").await;
        assert!(
            matches!(refused, Err(EngineError::Refused(_))),
            "{refused:?}"
        );
        rounds += 1;
    }
    assert!(rounds > 2);
    two.proxy.set(Way::Open);
    connected(&two.cut.engine).await;
    two.listener.all_told().await;
    put_at_last(&two.cut.engine, "after").await;
    two.session.call(&two.cut.server, "echo").await;
    assert_eq!(two.session.subscribe(&two.other.server).await, 200);
    let during = two.other.engine.get("during").await.unwrap();
    assert_eq!(during, None, "nothing is sent late");
    two.cut.engine.tell("last".into());
    loop {
        match heard.next().await.unwrap() {
            Heard::Event(event) if event == "last" => break,
            Heard::Event(event) => assert_ne!(event, "lost"),
            Heard::Question(..) | Heard::Gap => {}
        }
    }
}

/// Cuts a replica off from the engine by this fault of the proxy.
pub(crate) async fn cut_off(servers: &impl Servers, way: Way) {
    let proxy = Proxy::to(servers.first()).await;
    let cut = servers.replica_at(proxy.port).await;
    let other = servers.replica_at(servers.first()).await;
    let mut heard = Box::pin(cut.hear());
    put_at_last(&cut, "before").await;
    // The replica listens, so it can be asked.
    until(
        async || match other.ask(cut.id(), "?".into(), SECOND).await {
            Err(Unanswered::Silent) => Some(()),
            Ok(_) | Err(Unanswered::Gone | Unanswered::Unsent) => None,
        },
    )
    .await;
    proxy.set(way);
    other.tell("missed".into());
    let begin = Instant::now();
    assert!(put(&cut, "during").await.is_err());
    assert!(begin.elapsed() < 6 * SECOND);
    until(async || (!cut.is_connected()).then_some(())).await;
    let unsent = cut.ask(other.id(), "?".into(), SECOND).await;
    assert_eq!(unsent, Err(Unanswered::Unsent));
    proxy.set(Way::Open);
    loop {
        match heard.next().await.unwrap() {
            Heard::Gap => break,
            Heard::Event(event) => assert!(event != "missed" || way == Way::Mute),
            Heard::Question(..) => {}
        }
    }
    put_at_last(&cut, "after").await;
    assert!(other.get("after").await.unwrap().is_some());
    // The engine has done what it received, and nothing is sent late.
    let during = other.get("during").await.unwrap();
    assert_eq!(during.is_some(), way == Way::Deaf);
}

/// Starts the servers while many replicas wait for them, some of which serve clients.
pub(crate) async fn thundering_start(all: Vec<impl Engine + Clone>, run: impl FnOnce()) {
    let serving: Vec<_> = all.iter().take(4).cloned().map(Replica::new).collect();
    let refused = serving.iter().map(async |one| {
        modern_call(&one.server, "echo").await;
        one.try_begin_task().await
    });
    assert_eq!(join_all(refused).await, [503; 4]);
    let stored = all.iter().enumerate().map(async |(number, one)| {
        put_at_last(one, &number.to_string()).await;
    });
    tokio::join!(join_all(stored), async { run() });
    // All records are in one stream, which was created once.
    let read = all.iter().enumerate().map(async |(number, one)| {
        let next = (number + 1) % all.len();
        let found = until(async || one.get(&next.to_string()).await.ok()).await;
        assert!(found.is_some(), "{next} is lost");
    });
    join_all(read).await;
    let session = until(async || Session::try_open(&serving[0].server).await).await;
    session.call(&serving[1].server, "echo").await;
    let servers: Vec<_> = serving.iter().map(|one| &one.server).collect();
    let mut listeners = Listeners::begin(&servers, servers.len()).await;
    serving[0].changes.tools_changed();
    listeners.all_told().await;
}

/// Checks that events and changes which can't be sent are not kept in memory.
async fn keeps_nothing(one: &Replica<impl Engine>) {
    const EVENT: usize = 512 << 10;
    const EVENTS: usize = 8 << 10;
    let own = || memory(std::process::id());
    let Some(before) = own() else {
        return;
    };
    for number in 0..EVENTS {
        one.engine.tell(vec![b'x'; EVENT].into());
        if number % 8 == 0 {
            let long = format!("test://{number}/{}", "x".repeat(7 << 10));
            one.changes.resource_updated(&long);
            sleep(Duration::from_millis(1)).await;
        }
        if number % 256 == 0 {
            // Other tests of this process use memory too, but less than a tenth of all events.
            let grown = own().unwrap().saturating_sub(before) >> 20;
            assert!(
                grown < ((EVENT * EVENTS / 10) >> 20),
                "{grown} MiB after {number}"
            );
        }
    }
    assert!(!one.engine.is_connected());
}

/// Revokes the credentials of the first replica, and restores them.
pub(crate) async fn creds_revoked<E: Engine + Clone>(
    [revoked, other]: [E; 2],
    revoke: impl FnOnce(),
    restore: impl FnOnce(),
) {
    let (one, other) = (Replica::new(revoked), Replica::new(other));
    let mut listener = Listeners::begin(&[&one.server], 1).await;
    let session = Session::open(&other.server).await;
    session.call(&one.server, "echo").await;
    revoke();
    until(async || (!one.engine.is_connected()).then_some(())).await;
    one.changes.tools_changed();
    listener.all_told().await;
    modern_call(&one.server, "echo").await;
    let (refused, begun, ()) = tokio::join!(
        put(&one.engine, "key"),
        one.try_begin_task(),
        session.call(&one.server, "echo")
    );
    assert!(
        matches!(refused, Err(EngineError::Refused(_))),
        "{refused:?}"
    );
    assert_eq!(begun, 503);
    keeps_nothing(&one).await;
    restore();
    connected(&one.engine).await;
    listener.all_told().await;
    assert!(put(&other.engine, "key").await.unwrap().is_some());
    assert_eq!(session.subscribe(&one.server).await, 200);
}

/// Cuts the power of all servers, which are not running yet. If they sync to disk at once, no
/// confirmed write is lost.
pub(crate) async fn power_cut(servers: &mut impl Servers, is_safe: bool) {
    let folders = servers.folders();
    let disks = folders.iter().map(|folder| Disk::mount(folder, 64));
    let Some(disks) = disks.collect::<Option<Vec<_>>>() else {
        return;
    };
    let all = 0..disks.len();
    all.clone().for_each(|index| servers.run(index));
    let one = Replica::new(servers.replica_at(servers.first()).await);
    let other = Replica::new(servers.replica_at(servers.first()).await);
    put_all(&one.engine, 0..100).await;
    let session = Session::open(&one.server).await;
    assert_eq!(session.subscribe(&other.server).await, 200);
    disks.iter().for_each(Disk::cut_power);
    all.clone().for_each(|index| servers.kill(index));
    disks.iter().for_each(Disk::restart);
    all.for_each(|index| servers.run(index));
    let lost = count_lost(&other.engine, 0..100).await;
    assert!(lost == 0 || !is_safe, "{lost} of 100 are lost");
    // Everything continues, except for a session that may be lost.
    put_all(&other.engine, 100..200).await;
    assert_eq!(count_lost(&one.engine, 100..200).await, 0);
    let changed = session.subscribe(&one.server).await;
    assert!(changed == 200 || (!is_safe && changed == 404), "{changed}");
}

/// Passes results of these sizes in KiB through an engine that only accepts small values.
pub(crate) async fn huge<E: Engine + Clone>([one, other]: [E; 2], sizes: &[usize]) {
    let (one, other) = (Replica::new(one), Replica::new(other));
    let session = Session::open(&one.server).await;
    for kib in sizes {
        let text = text_of(*kib);
        let is_whole = |reply: &Value| reply["content"][0]["text"] == text;
        let id = one.begin_task(*kib).await;
        until(async || {
            let task = &task_call(&other.server, &id).await["result"];
            assert_ne!(task["status"], "failed", "{kib} KiB");
            let is_done = task["status"] == "completed";
            is_done.then(|| assert!(is_whole(&task["result"]), "{kib} KiB"))
        })
        .await;
        let asked = session.ask(&one.server, json!({ "kib": kib })).await;
        let asked = asked.resume(&other.server).await;
        let reply = asked.answer(&other.server).await;
        assert!(is_whole(&reply["result"]), "{kib} KiB");
    }
}
