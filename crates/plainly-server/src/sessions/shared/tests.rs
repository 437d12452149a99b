//! Sessions that several servers share through records in memory.

use std::collections::HashMap;

use plainly_errors::{ErrorKind, Revision};
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{ClientCapabilities, LoggingLevel};
use tokio::time::{advance, sleep};

use super::*;
use crate::changes::{Changes, Topic};
use crate::sessions::Sessions;
use crate::sessions::session::Session;
use plainly_cluster::{Records, StoredRecord};
use plainly_transport::quota::Quota;

const MOST: usize = 1 << 20;

/// Records in memory.
#[derive(Clone, Debug, Default)]
struct Shelf(Arc<Lock<Stock>>);

#[derive(Debug, Default)]
struct Stock {
    records: HashMap<String, StoredRecord>,
    /// The lifetime of each record that a server tried to write.
    puts: Vec<Duration>,
    is_silent: bool,
    /// Whether another server always writes first.
    is_late: bool,
}

impl Records for Shelf {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        if self.0.lock().is_silent {
            pending::<()>().await;
        }
        Ok(self.0.lock().records.get(key).cloned())
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        if self.0.lock().is_silent {
            pending::<()>().await;
        }
        let mut stock = self.0.lock();
        stock.puts.push(ttl);
        let before = stock.records.get(key).map(|record| record.version);
        if before != over || stock.is_late {
            return Ok(None);
        }
        let version = before.map_or(0, |before| before + 1);
        let record = StoredRecord::new(value, version);
        stock.records.insert(key.to_owned(), record);
        Ok(Some(version))
    }
}

impl Shelf {
    fn puts(&self) -> usize {
        self.0.lock().puts.len()
    }

    /// The only record.
    fn record(&self) -> SessionRecord {
        let stock = self.0.lock();
        let record = stock.records.values().next().unwrap();
        read(&record.value).unwrap()
    }

    fn server(&self, limits: &Limits, listened: &Quota, changes: &Changes) -> Sessions {
        let shared = SharedSessions::new(
            Arc::new(Shelves::new(Arc::new(self.clone()), "tests")),
            limits,
        );
        Sessions::new(limits, changes, listened, Some(Arc::new(shared)))
    }

    fn plain_server(&self, limits: &Limits) -> Sessions {
        self.server(limits, &Quota::new(MOST), &Changes::new())
    }
}

async fn open(sessions: &Sessions) -> Result<String, ProtocolError> {
    let peer = Peer::new(Revision::V2025_11_25, ClientCapabilities::new(), None);
    sessions.open(Arc::new(peer), None, 0).await
}

async fn find(sessions: &Sessions, name: &str) -> Arc<Session> {
    sessions.get(name, None, None).await.unwrap().unwrap()
}

fn subscription(uri: &str) -> SessionChange {
    SessionChange::Subscribe {
        uri: uri.to_owned(),
        is_recursive: false,
    }
}

async fn change(session: &Arc<Session>, change: SessionChange) -> Result<(), ProtocolError> {
    session.change(change).unwrap().unwrap().await
}

fn is_unavailable(error: &ProtocolError) -> bool {
    *error.kind() == ErrorKind::Unavailable(Unavailable::Overloaded)
}

#[tokio::test(start_paused = true)]
async fn a_session_in_use_is_stored_for_longer_once_half_of_its_time_is_over() {
    let (shelf, limits) = (Shelf::default(), Limits::default());
    let server = shelf.plain_server(&limits);
    let name = open(&server).await.unwrap();
    let idle = limits.sessions.idle;
    assert_eq!(shelf.0.lock().puts, [idle * 2]);
    for puts in [2, 3] {
        advance(idle - Duration::from_secs(1)).await;
        find(&server, &name).await;
        assert_eq!(shelf.puts(), puts - 1);
        advance(Duration::from_secs(1)).await;
        find(&server, &name).await;
        find(&server, &name).await;
        assert_eq!(shelf.puts(), puts);
    }
}

#[tokio::test(start_paused = true)]
async fn a_session_that_only_listens_is_stored_until_it_ends() {
    let (shelf, limits) = (Shelf::default(), Limits::default());
    let server = shelf.plain_server(&limits);
    let session = find(&server, &open(&server).await.unwrap()).await;
    let keeping = session.keeping();
    sleep(limits.sessions.idle * 20).await;
    let puts = shelf.puts();
    assert!((15..=21).contains(&puts), "{puts}");
    assert!(!session.subscription.topics.is_closed());
    shelf.0.lock().records.clear();
    sleep(limits.sessions.idle).await;
    assert!(session.subscription.topics.is_closed());
    drop(keeping);
}

#[tokio::test]
async fn a_record_that_has_expired_is_no_session_even_if_it_is_still_there() {
    let (shelf, mut limits) = (Shelf::default(), Limits::default());
    limits.sessions.idle = Duration::ZERO;
    let [one, other] = [(); 2].map(|()| shelf.plain_server(&limits));
    let name = open(&one).await.unwrap();
    assert!(other.get(&name, None, None).await.unwrap().is_none());
}

#[tokio::test(start_paused = true)]
async fn a_store_that_never_answers_is_unavailable_after_a_while() {
    let (shelf, limits) = (Shelf::default(), Limits::default());
    let [one, other] = [(); 2].map(|()| shelf.plain_server(&limits));
    let name = open(&one).await.unwrap();
    shelf.0.lock().is_silent = true;
    let session = find(&one, &name).await;
    let level = SessionChange::Level(LoggingLevel::Debug);
    for error in [
        open(&one).await.unwrap_err(),
        other.get(&name, None, None).await.unwrap_err(),
        change(&session, level).await.unwrap_err(),
    ] {
        assert!(is_unavailable(&error), "{error:?}");
        assert!(error.message().contains("The store of this server"));
    }
}

#[tokio::test]
async fn a_change_that_others_are_always_before_is_given_up() {
    let (shelf, limits) = (Shelf::default(), Limits::default());
    let server = shelf.plain_server(&limits);
    let session = find(&server, &open(&server).await.unwrap()).await;
    shelf.0.lock().is_late = true;
    let level = SessionChange::Level(LoggingLevel::Debug);
    let error = change(&session, level).await.unwrap_err();
    assert!(is_unavailable(&error), "{error:?}");
    assert_eq!(shelf.puts(), 1 + ATTEMPTS);
}

#[tokio::test]
async fn a_record_has_no_more_resources_than_a_client_may_subscribe_to() {
    let (shelf, mut limits) = (Shelf::default(), Limits::default());
    limits.subscriptions.uris = 2;
    let changes = Changes::new();
    // This server has no room to subscribe to any resource.
    let server = shelf.server(&limits, &Quota::new(0), &changes);
    let session = find(&server, &open(&server).await.unwrap()).await;
    for uri in ["a:1", "a:2", "a:3", "a:4"] {
        let subscribe = subscription(uri);
        change(&session, subscribe).await.unwrap_err();
    }
    assert!(shelf.record().uris.iter().eq(["a:1", "a:2"]));
}

#[tokio::test]
async fn a_subscription_without_room_here_begins_as_soon_as_there_is_some() {
    let (shelf, limits) = (Shelf::default(), Limits::default());
    let (changes, listened) = (Changes::new(), Quota::new(300));
    let [one, other] = [(); 2].map(|()| shelf.server(&limits, &listened, &changes));
    let name = open(&one).await.unwrap();
    let taken = changes.subscribe(listened.part(None));
    taken.add([Topic::Task("1".into())]).unwrap();
    let subscribe = subscription("a:1");
    change(&find(&one, &name).await, subscribe)
        .await
        .unwrap_err();
    drop(taken);
    let session = find(&other, &name).await;
    assert_eq!(&*session.subscription.topics.resources()[0], "a:1");
    drop((session, other));
    let session = find(&one, &name).await;
    assert_eq!(&*session.subscription.topics.resources()[0], "a:1");
}
