//! Messages between replicas: events to all, and questions to one.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::Stream;

use crate::replica_id::ReplicaId;

/// Sends events to all replicas, and questions to one.
pub trait Bus: Send + Sync + fmt::Debug + 'static {
    /// The id of this replica, new at each start.
    fn id(&self) -> ReplicaId;

    /// Sends an event to all other replicas. Returns at once: an event that can't be sent now is not
    /// sent later.
    fn tell(&self, event: Bytes);

    /// Asks one replica, which has this time for its answer.
    fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> impl Future<Output = Result<Bytes, Unanswered>> + Send;

    /// The events and questions of other replicas, from now on. A replica can be asked as long as it
    /// hears; it hears once at a time. Its own events may be among those that it hears, and any
    /// event may be heard twice, late, or not at all.
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
    /// Events may be missing here, of any replica.
    Gap,
}

/// The reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a server must do something about each"
)]
pub enum Unanswered {
    /// There is no such replica, so the question was not heard.
    #[error("the replica is gone")]
    Gone,
    /// The question could not be sent, so it was not heard.
    #[error("the question to another replica could not be sent")]
    Unsent,
    /// There was no answer in time: the question may have been heard.
    #[error("another replica did not answer in time")]
    Silent,
}

/// The way back for the answer to one question. Without an answer, the other replica waits in vain.
pub struct Responder(Box<dyn FnOnce(Bytes) + Send>);

impl Responder {
    /// A way back, which an engine provides: `send` returns at once.
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
