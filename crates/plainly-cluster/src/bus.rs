//! Messages between replicas: events to all replicas, and questions to one.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::Stream;

use crate::replica_id::ReplicaId;

/// Sends events to all replicas, and questions to one.
pub trait Bus: Send + Sync + fmt::Debug + 'static {
    /// The id of this replica, new at each start.
    fn id(&self) -> ReplicaId;

    /// Sends an event to all other replicas. Returns at once. An event that can't be sent now is
    /// not sent later.
    fn tell(&self, event: Bytes);

    /// Asks one replica, and waits for its answer for at most this time.
    fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> impl Future<Output = Result<Bytes, Unanswered>> + Send;

    /// The events and questions of other replicas, from now on. Other replicas can ask this one
    /// while the stream exists. Only one such stream may exist at a time. The stream may contain
    /// this replica's own events, and any event may arrive twice, late, or not at all.
    fn hear(&self) -> impl Stream<Item = Heard> + Send + 'static;
}

/// A message from another replica.
#[derive(Debug)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a server must do something about each"
)]
pub enum Heard {
    /// An event for all replicas.
    Event(Bytes),
    /// A question to this replica alone.
    Question(Bytes, Responder),
    /// Events of any replica may be missing at this point.
    Gap,
}

/// The reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a server must do something about each"
)]
pub enum Unanswered {
    /// The replica doesn't exist, so it has not received the question.
    #[error("the replica is gone")]
    Gone,
    /// The question could not be sent, so no replica has received it.
    #[error("the question to another replica could not be sent")]
    Unsent,
    /// There was no answer in time. The replica may have received the question.
    #[error("another replica did not answer in time")]
    Silent,
}

/// Sends the answer to one question. Without an answer, the other replica waits until its time is
/// up.
pub struct Responder(Box<dyn FnOnce(Bytes) + Send>);

impl Responder {
    /// Creates a responder for an engine. `send` must return at once.
    pub fn new(send: impl FnOnce(Bytes) + Send + 'static) -> Self {
        Self(Box::new(send))
    }

    /// Sends the answer.
    pub fn answer(self, answer: Bytes) {
        (self.0)(answer);
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").finish_non_exhaustive()
    }
}
