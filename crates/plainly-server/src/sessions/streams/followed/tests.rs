//! Streams that one replica writes and other replicas continue to read.

use std::collections::HashSet as Set;
use std::future::poll_fn;
use std::sync::Arc;

use futures_util::future::{BoxFuture, FutureExt};
use plainly_cluster::erased::ErasedJournals;
use plainly_cluster::{Bus, InProcess, ReplicaId, Unanswered};
use plainly_errors::Revision;
use plainly_transport::lock::Lock;
use plainly_transport::quota::Quota;
use plainly_transport::seal::Keys;
use tokio::task::yield_now;

use super::*;
use crate::alive::Asks;
use crate::limits::Limits;
use crate::outgoing::{Departure, ReplySource};
use crate::replicas::{CountedEngine, Replicas, ServerName};
use crate::sessions::streams::Streams;
use crate::sessions::streams::journal::{SessionJournals, SharedJournals};
use crate::shelves::{ShelfKey, Shelves};

/// The replicas that have ended.
#[derive(Clone, Debug, Default)]
struct Gone(Arc<Lock<Set<ReplicaId>>>);

impl Asks for Gone {
    fn is_there(&self, replica: ReplicaId) -> BoxFuture<'_, Result<(), Unanswered>> {
        let is_gone = self.0.lock().contains(&replica);
        let answer = if is_gone {
            Err(Unanswered::Gone)
        } else {
            Ok(())
        };
        std::future::ready(answer).boxed()
    }
}

/// The messages of a request, sent by a test. The request runs until the receiver is closed.
#[derive(Debug)]
struct Said(mpsc::UnboundedReceiver<Departure>);

impl ReplySource for Said {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>> {
        self.0.poll_recv(context)
    }

    fn poll_end(&mut self, _: &mut Context<'_>) -> Poll<()> {
        Poll::Pending
    }

    fn stop(&mut self) {
        self.0.close();
    }
}

/// The streams of one session, at each replica.
struct Session {
    engine: InProcess,
    gone: Gone,
    most: usize,
}

impl Session {
    fn new() -> Self {
        Self {
            engine: InProcess::new(),
            gone: Gone::default(),
            most: 1 << 10,
        }
    }

    fn replica(&self) -> (Arc<Replicas>, Arc<Streams>) {
        let replica = self.engine.replica();
        let id = replica.id();
        let engine = Arc::new(CountedEngine::new(Arc::new(replica.clone())));
        let name = Replicas::new(engine, "tests", Keys::new([1; 32]));
        let name = Arc::new(name);
        let shelves = Shelves::new(Arc::new(replica.clone()), "tests");
        let shelves = shelves.sealed(Some(&Keys::new([1; 32])));
        let shelves = Arc::new(shelves.limited(self.most));
        let engine: Arc<dyn ErasedJournals> = Arc::new(replica);
        let asks = Arc::new(self.gone.clone());
        let journals = Arc::new(SharedJournals::new(engine, shelves, id, asks));
        let journals = SessionJournals::new(&journals, &ShelfKey::new("sessions", "a name"));
        let limits = Limits::default();
        let bytes = Quota::new(usize::MAX).part(None);
        let server = Some(ServerName::Replica(Arc::clone(&name)));
        let revision = Revision::V2025_06_18;
        let streams = Streams::new(revision, &limits, bytes, server, Some(journals));
        (name, streams.unwrap())
    }
}

/// A stream, as the replica that writes it sees it.
struct Written {
    replica: Arc<Replicas>,
    says: mpsc::UnboundedSender<Departure>,
    feed: Box<dyn Feed>,
    streams: Arc<Streams>,
}

impl Written {
    fn begin(session: &Session) -> Self {
        let (replica, streams) = session.replica();
        let (says, said) = mpsc::unbounded_channel();
        let feed = streams.carry(Said(said), || Bytes::from_static(b"gone"));
        Self {
            replica,
            says,
            feed: Box::new(feed.ok().unwrap()),
            streams,
        }
    }

    /// Writes a message, and waits until it is sent.
    async fn say(&mut self, text: &str) {
        let message = Bytes::from(text.to_owned());
        self.says.send(Departure::Message(message)).unwrap();
        poll_fn(|context| self.feed.poll_event(context))
            .await
            .unwrap();
    }

    /// Returns the id of an event of the first stream.
    fn event(&self, number: u64) -> String {
        self.event_of(1, number)
    }

    fn event_of(&self, stream: u64, number: u64) -> String {
        format!("{}-{stream}-{number}", name(&self.replica))
    }
}

fn name(replica: &Arc<Replicas>) -> ServerName {
    ServerName::Replica(Arc::clone(replica))
}

async fn resume(streams: &Streams, event: &str) -> FollowedFeed {
    let place = streams.elsewhere(event).unwrap();
    place.resume().await.unwrap()
}

/// Reads up to `most` events, or to the end of the feed.
async fn read(feed: &mut FollowedFeed, most: usize) -> Vec<String> {
    let mut texts = Vec::new();
    while texts.len() < most
        && let Some(event) = poll_fn(|context| feed.poll_event(context)).await
    {
        texts.push(String::from_utf8(event.data.to_vec()).unwrap());
    }
    texts
}

#[tokio::test(start_paused = true)]
async fn a_stream_goes_on_at_another_replica() {
    let session = Session::new();
    let mut written = Written::begin(&session);
    // This message is too large for an entry of the journal.
    let large = "x".repeat(10_000);
    for text in ["1", &large, "3"] {
        written.say(text).await;
    }
    let (_, other) = session.replica();
    let mut feed = resume(&other, &written.event(1)).await;
    assert_eq!(read(&mut feed, 2).await, [&large, "3"]);
    written.say("4").await;
    let third = written.event(3);
    drop(written.says);
    assert_eq!(read(&mut feed, 9).await, ["4"]);
    let mut again = resume(&other, &third).await;
    assert_eq!(read(&mut again, 9).await, ["4"]);
}

#[tokio::test(start_paused = true)]
async fn resumed_after_death() {
    for said in 0..4 {
        let session = Session::new();
        let mut written = Written::begin(&session);
        let texts: Vec<_> = (1..=said).map(|number| number.to_string()).collect();
        for text in &texts {
            written.say(text).await;
        }
        // The journal contains all messages.
        let (_, witness) = session.replica();
        let mut feed = resume(&witness, &written.event(0)).await;
        assert_eq!(read(&mut feed, said).await, texts);
        session.gone.0.lock().insert(written.replica.id());
        let expected = [texts.clone(), vec!["gone".to_owned()]].concat();
        for after in 0..=said {
            let (_, other) = session.replica();
            let mut feed = resume(&other, &written.event(after as u64)).await;
            assert_eq!(
                read(&mut feed, 9).await,
                expected[after..],
                "{after} of {said}"
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn resumed_by_two() {
    let session = Session::new();
    let mut written = Written::begin(&session);
    written.say("1").await;
    let [(_, one), (_, other)] = [(); 2].map(|()| session.replica());
    let mut first = resume(&one, &written.event(0)).await;
    assert_eq!(read(&mut first, 1).await, ["1"]);
    let mut second = resume(&other, &written.event(0)).await;
    assert_eq!(read(&mut first, 9).await, [""; 0]);
    // Both readers see that the writer has ended, but only one sends the error.
    session.gone.0.lock().insert(written.replica.id());
    let (both, third) = tokio::join!(read(&mut second, 9), async {
        let mut third = resume(&one, &written.event(1)).await;
        read(&mut third, 9).await
    });
    assert_eq!(third, ["gone"]);
    assert!(both.is_empty() || both == ["1"], "{both:?}");
}

#[tokio::test(start_paused = true)]
async fn a_client_reads_at_one_replica_at_a_time() {
    let session = Session::new();
    let mut written = Written::begin(&session);
    written.say("1").await;
    let (_, other) = session.replica();
    let mut there = resume(&other, &written.event(0)).await;
    assert_eq!(read(&mut there, 1).await, ["1"]);
    assert!(written.streams.take(1) && !written.streams.take(2));
    let ended = poll_fn(|context| written.feed.poll_event(context)).await;
    assert!(ended.is_none());
    // The client resumes at the replica that writes.
    let here = written.streams.resume(&written.event(1)).unwrap();
    written.feed = Box::new(here);
    written.say("2").await;
    let rest = read(&mut there, 9).await;
    assert!(rest.is_empty() || rest == ["2"], "{rest:?}");
}

#[tokio::test(start_paused = true)]
async fn slow_resumer() {
    let session = Session::new();
    let mut written = Written::begin(&session);
    let (_, other) = session.replica();
    written.say("1").await;
    let mut feed = resume(&other, &written.event(0)).await;
    // The call continues even though its reader is slow.
    for number in 2..=2_000 {
        written.say(&number.to_string()).await;
        yield_now().await;
    }
    let texts = read(&mut feed, 9_999).await;
    assert!(texts.len() < 2_000);
    let numbers = (1..=texts.len()).map(|number| number.to_string());
    assert!(numbers.eq(texts.iter().cloned()), "{texts:?}");
    let rest = other.elsewhere(&written.event(texts.len() as u64));
    let gone = rest.unwrap().resume().await.unwrap_err();
    assert!(gone.message().contains("no longer available"), "{gone:?}");
}

#[tokio::test(start_paused = true)]
async fn what_is_not_stored_is_no_longer_available() {
    let session = Session::new();
    let mut written = Written::begin(&session);
    let (own, other) = session.replica();
    let resumed = other.elsewhere(&written.event_of(2, 0)).unwrap().resume();
    let why = resumed.await.unwrap_err();
    assert!(why.message().contains("no longer available"), "{why:?}");
    let own = format!("{}-1-0", name(&own));
    for event in [&own, "0123456789abcdef-1-0", "1-0", ""] {
        assert!(other.elsewhere(event).is_none(), "{event}");
    }
    // The journal drops its oldest entries.
    for number in 1..=1_100 {
        written.say(&number.to_string()).await;
        yield_now().await;
    }
    let late = other.elsewhere(&written.event(1)).unwrap().resume().await;
    assert!(late.is_err());
    let mut feed = resume(&other, &written.event(1_000)).await;
    assert_eq!(read(&mut feed, 100).await.last().unwrap(), "1100");
}
