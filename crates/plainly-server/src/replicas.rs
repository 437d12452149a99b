//! The other replicas of this server: events for all of them, and questions to one, sealed with the
//! common keys. It knows neither sessions nor connections.
//!
//! ```text
//! changes, sessions ─► tell ─► sealed ─► bus ─► sealed ─► numbers ─► hear ─► sessions, subscriptions, tasks
//! ```

mod counts;
mod here;
mod known;
mod meeting;
mod message;
mod name;
mod numbers;
mod sealed;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{BoxStream, StreamExt as _};
use plainly_cluster::erased::{ErasedEngine, ErasedJournals};
use plainly_cluster::{EngineError, EngineReport, Heard, ReplicaId, Responder, Unanswered};
use serde::Serialize;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout};

pub(crate) use self::counts::CountedEngine;
pub use self::counts::ReplicaCount;
use self::counts::{Counted, Counts};
pub(crate) use self::here::Here;
use self::meeting::{Meeting, Sign};
use self::message::{AnyKind, Numbered, decode, encode};
pub(crate) use self::message::{ReplicaAnswer, ReplicaEvent, ReplicaQuestion};
pub(crate) use self::name::{DIGITS, ServerName};
use self::numbers::{AskedOnce, EventNumbers, Order};
use self::sealed::{Envelopes, Opened, Unreadable};
use crate::alive::{self, Asks};
use crate::changes::{Topic, Upstream};
use crate::failure::incident::chain;
use crate::random::random_name;
use crate::shelves::{ShelfKey, Shelves};
use plainly_transport::lock::Lock;
use plainly_transport::seal::Keys;

/// The time without an event after which the number of the last event is sent again.
const QUIET: Duration = Duration::from_secs(2);
/// The time limit for an answer.
const ANSWER: Duration = Duration::from_secs(5);
/// The time in which a replica should return after it lost its connection to the engine.
const COMES_BACK: Duration = Duration::from_secs(2);
/// The shelf for questions that are too large to be sent.
const SHELF: &str = "questions";
/// The time for which these questions are stored.
const QUESTION: Duration = Duration::from_secs(60);
/// The bytes of a message in addition to its question, with a margin.
const ENVELOPE: usize = 512;
/// The pause between two attempts to ask a replica that is gone.
const PAUSE: Duration = Duration::from_millis(100);

/// The other replicas of this server.
#[derive(Debug)]
pub(crate) struct Replicas {
    engine: Arc<dyn ErasedEngine>,
    envelopes: Envelopes,
    /// The questions that are too large to be sent.
    shelves: Shelves,
    sent: Lock<SentNumbers>,
    has_told: Notify,
    /// The number of times that this replica may have missed events.
    gaps: watch::Sender<u64>,
    meeting: Meeting,
    counts: Arc<Counts>,
    /// The digest of this replica's listings.
    lists: String,
}

/// The numbers of the last messages.
#[derive(Debug, Default)]
struct SentNumbers {
    event: u64,
    question: u64,
}

/// A message from another replica.
#[derive(Debug)]
pub(crate) enum ReplicaMessage {
    Event(ReplicaEvent),
    Question(ReplicaQuestion, AnswerWay),
    /// Events are missing, so anything may have changed.
    Gap,
}

/// The channel for the answer to a question.
#[derive(Debug)]
pub(crate) struct AnswerWay {
    replicas: Arc<Replicas>,
    asker: ReplicaId,
    number: u64,
    responder: Responder,
}

impl Replicas {
    /// The other replicas of the server with this name.
    pub(crate) fn new(engine: Arc<CountedEngine>, server: &str, keys: Keys) -> Self {
        let counts = Arc::clone(&engine.counts);
        let engine: Arc<dyn ErasedEngine> = engine;
        let records = Arc::<dyn ErasedEngine>::clone(&engine);
        Self {
            shelves: Shelves::new(records, server)
                .sealed(Some(&keys))
                .within(Some(Arc::clone(&engine))),
            envelopes: Envelopes::new(engine.id(), server, keys),
            engine,
            sent: Lock::default(),
            has_told: Notify::new(),
            gaps: watch::Sender::default(),
            meeting: Meeting::default(),
            counts,
            lists: String::new(),
        }
    }

    /// Sets the digest of this replica's listings.
    pub(crate) fn listing(self, lists: String) -> Self {
        Self { lists, ..self }
    }

    /// The digest of this replica's listings.
    pub(crate) fn lists(&self) -> &str {
        &self.lists
    }

    /// All counts.
    pub(crate) fn counts(&self) -> Vec<ReplicaCount> {
        self.counts.all()
    }

    /// The number of times that events of others were missing.
    pub(crate) fn holes(&self) -> u64 {
        self.counts.get(Counted::Hole)
    }

    /// The engine's report on itself.
    pub(crate) async fn report(&self) -> Result<EngineReport, EngineError> {
        self.engine.report().await
    }

    /// The id of this replica.
    pub(crate) fn id(&self) -> ReplicaId {
        self.engine.id()
    }

    /// The fingerprints of the keys. The fingerprint of the sealing key comes first.
    pub(crate) fn fingerprints(&self) -> Vec<String> {
        self.envelopes.fingerprints()
    }

    /// Whether the engine can be reached.
    pub(crate) fn is_connected(&self) -> bool {
        self.engine.is_connected()
    }

    /// The journals that all replicas share.
    pub(crate) fn journals(&self) -> Arc<dyn ErasedJournals> {
        Arc::<dyn ErasedEngine>::clone(&self.engine)
    }

    /// Records that this replica may have missed events.
    pub(crate) fn miss(&self) {
        self.gaps.send_modify(|gaps| *gaps += 1);
    }

    /// The number of times that this replica may have missed events.
    pub(crate) fn gap_count(&self) -> u64 {
        *self.gaps.borrow()
    }

    /// Notifies that this replica may have missed events, from now on.
    pub(crate) fn gaps(&self) -> watch::Receiver<u64> {
        self.gaps.subscribe()
    }

    /// Sends an event to all other replicas. Returns at once.
    pub(crate) fn tell(&self, event: &ReplicaEvent) {
        // Locked until the event is sent, so that events are sent in the order of their numbers.
        let mut sent = self.sent.lock();
        sent.event += 1;
        self.send(&Numbered::new(sent.event, Some(event)));
        drop(sent);
        self.has_told.notify_one();
    }

    fn send(&self, event: &Numbered<Option<&ReplicaEvent>>) {
        match self.envelopes.seal_event(&encode(event)) {
            Ok(event) => self.engine.tell(event),
            // Others notice the missing event by its number.
            Err(error) => tracing::warn!(%error, "an event for other replicas could not be sealed"),
        }
    }

    /// Sends the number of the last event again after a pause in the events, so that others notice
    /// if they have missed the last ones. Never ends.
    pub(crate) async fn repeat_numbers(self: Arc<Self>) {
        loop {
            self.has_told.notified().await;
            while timeout(QUIET, self.has_told.notified()).await.is_ok() {}
            let last = self.sent.lock().event;
            self.send(&Numbered::new(last, None));
        }
    }

    /// Asks a replica a question. If the replica is gone, retries for a short time, because the
    /// question was not received.
    pub(crate) async fn ask(
        &self,
        whom: ReplicaId,
        question: &ReplicaQuestion,
    ) -> Result<ReplicaAnswer, Unanswered> {
        let stored = self.stored(question).await?;
        let question = stored.as_ref().unwrap_or(question);
        let began = Instant::now();
        loop {
            match self.ask_once(whom, question, ANSWER).await {
                Err(Unanswered::Gone) if began.elapsed() < COMES_BACK => sleep(PAUSE).await,
                answered => return answered,
            }
        }
    }

    /// Stores a question that is too large to be sent. Returns the one to send in its place.
    async fn stored(
        &self,
        question: &ReplicaQuestion,
    ) -> Result<Option<ReplicaQuestion>, Unanswered> {
        let written = encode(question);
        if written.len().saturating_add(ENVELOPE) <= self.engine.max_value() {
            return Ok(None);
        }
        let name = random_name().map_err(|_| Unanswered::Unsent)?;
        let key = ShelfKey::new(SHELF, &name);
        let put = self.shelves.put(&key, written.into(), None, QUESTION);
        match put.await {
            Ok(_) => Ok(Some(ReplicaQuestion::Stored { name })),
            Err(error) => {
                tracing::warn!(
                    error = chain(&error),
                    "a question to a replica was not stored"
                );
                Err(Unanswered::Unsent)
            }
        }
    }

    /// The question itself, if it is stored in a record; or the answer to send if it can't be read.
    pub(crate) async fn whole(
        &self,
        question: ReplicaQuestion,
    ) -> Result<ReplicaQuestion, ReplicaAnswer> {
        let ReplicaQuestion::Stored { name } = &question else {
            return Ok(question);
        };
        let key = ShelfKey::new(SHELF, name);
        match self.shelves.get(&key).await {
            Ok(stored) => {
                let question = stored.and_then(|stored| decode(&stored.value));
                question.ok_or(ReplicaAnswer::No)
            }
            Err(error) => {
                tracing::warn!(
                    error = chain(&error),
                    "a question of a replica was not read"
                );
                Err(ReplicaAnswer::Busy)
            }
        }
    }

    /// Asks a replica once.
    pub(crate) async fn ask_once(
        &self,
        whom: ReplicaId,
        question: &ReplicaQuestion,
        within: Duration,
    ) -> Result<ReplicaAnswer, Unanswered> {
        let (answer, _) = self.answer_of(whom, question, within).await?;
        // An answer of a newer version can't be interpreted here.
        decode(&answer).ok_or(Unanswered::Silent)
    }

    /// The answer of a replica that is asked once, and the time when it was sent.
    async fn answer_of(
        &self,
        whom: ReplicaId,
        question: &ReplicaQuestion,
        within: Duration,
    ) -> Result<(Vec<u8>, SystemTime), Unanswered> {
        let number = {
            let mut sent = self.sent.lock();
            sent.question += 1;
            sent.question
        };
        let question = encode(&Numbered::new(number, question));
        let sealed = self.envelopes.seal_question(whom, &question);
        let sealed = sealed.map_err(|_| Unanswered::Unsent)?;
        let answer = self.engine.ask(whom, sealed, within).await?;
        // A forged answer is ignored.
        let answer = self.envelopes.open_answer(whom, number, &answer);
        let answer = answer.map_err(|_| Unanswered::Silent)?;
        Ok((answer.content, answer.sent))
    }

    /// The messages of all other replicas, from now on.
    pub(crate) fn hear(self: &Arc<Self>) -> BoxStream<'static, ReplicaMessage> {
        let (replicas, heard) = (Arc::clone(self), self.engine.hear());
        let mut numbers = EventNumbers::default();
        let mut asked = AskedOnce::default();
        heard
            .flat_map(move |heard| {
                let messages = match heard {
                    Heard::Gap => {
                        replicas.counts.add(Counted::Gap);
                        replicas.meet_again();
                        vec![ReplicaMessage::Gap]
                    }
                    Heard::Event(event) => replicas.read_event(&event, &mut numbers),
                    Heard::Question(question, responder) => {
                        let read = replicas.read_question(&question, responder, &mut asked);
                        read.into_iter().collect()
                    }
                };
                futures_util::stream::iter(messages)
            })
            .boxed()
    }

    fn read_event(&self, event: &Bytes, numbers: &mut EventNumbers) -> Vec<ReplicaMessage> {
        let opened = match self.envelopes.open_event(event) {
            None => return Vec::new(),
            Some(Ok(opened)) if opened.is_fresh() => opened,
            Some(Ok(Opened { sender, .. })) => {
                self.counts.add(Counted::Stale);
                self.shows(Sign::Read(sender));
                return Vec::new();
            }
            Some(Err(unreadable)) => {
                self.shows_unreadable(&unreadable);
                return Vec::new();
            }
        };
        let sender = opened.sender;
        let Some(Numbered { number, content }) =
            decode::<Numbered<Option<AnyKind>>>(&opened.content)
        else {
            return Vec::new();
        };
        self.counts.add(Counted::Heard);
        let gap = match (numbers.order(sender, number), &content) {
            (Order::Past, _) => return Vec::new(),
            (Order::Next, Some(_)) => None,
            // A message without content only repeats the number of an event, which in this case was
            // not received.
            (Order::Next, None) | (Order::AfterHole, _) => {
                self.counts.add(Counted::Hole);
                Some(ReplicaMessage::Gap)
            }
        };
        let event = content.and_then(|event| event.read());
        if matches!(event, Some(ReplicaEvent::Who)) {
            self.shows(Sign::Asks(sender));
        }
        let event = event.map(ReplicaMessage::Event);
        gap.into_iter().chain(event).collect()
    }

    /// Records the sender of a message that can't be read.
    fn shows_unreadable(&self, Unreadable(sender): &Unreadable) {
        self.counts.add(Counted::Unreadable);
        if let Some(sender) = sender {
            self.shows(Sign::Unreadable(*sender));
        }
    }

    fn read_question(
        self: &Arc<Self>,
        question: &Bytes,
        responder: Responder,
        asked: &mut AskedOnce,
    ) -> Option<ReplicaMessage> {
        let opened = self.envelopes.open_question(question);
        let opened = opened.map_err(|unreadable| self.shows_unreadable(&unreadable));
        let opened = opened.ok()?;
        let Numbered { number, content } = decode::<Numbered<AnyKind>>(&opened.content)?;
        let question = content.read();
        // Also handled if it is not fresh, because the answer shows a sender with a wrong clock
        // that its clock is wrong.
        let meets = matches!(question, Some(ReplicaQuestion::Meet));
        let is_fresh = opened.is_fresh();
        if meets || !is_fresh {
            self.shows(Sign::Read(opened.sender));
        }
        let asker = opened.sender;
        if !(meets || is_fresh) || !asked.is_first(asker, number) {
            return None;
        }
        let way = AnswerWay {
            replicas: Arc::clone(self),
            asker,
            number,
            responder,
        };
        match question {
            Some(question) => Some(ReplicaMessage::Question(question, way)),
            // The question of a newer version. The answer says that this replica can't handle it.
            None => {
                way.answer(ReplicaAnswer::No);
                None
            }
        }
    }
}

impl AnswerWay {
    /// Sends the answer.
    pub(crate) fn answer(self, answer: impl Serialize) {
        let envelopes = &self.replicas.envelopes;
        match envelopes.seal_answer(self.asker, self.number, &encode(&answer)) {
            Ok(answer) => self.responder.answer(answer),
            Err(error) => tracing::warn!(%error, "an answer to a replica could not be sealed"),
        }
    }
}

impl Asks for Replicas {
    fn is_there(&self, replica: ReplicaId) -> BoxFuture<'_, Result<(), Unanswered>> {
        let asked = async move {
            let answer = self.ask_once(replica, &ReplicaQuestion::Runs, alive::ANSWER);
            answer.await.map(drop)
        };
        Box::pin(asked)
    }
}

impl Upstream for Arc<Replicas> {
    fn publish(&self, topic: &Topic) {
        self.tell(&ReplicaEvent::Changed(topic.clone().into()));
    }
}

#[cfg(test)]
mod tests;
