//! An engine for the replicas of one process. Everything is stored in memory.

mod faults;
mod hub;
mod shelves;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{Stream, unfold};
use plainly_transport::lock::Lock;
use tokio::sync::oneshot;
use tokio::time::timeout;

use self::faults::FaultBook;
pub use self::faults::Faults;
use self::hub::{Hearing, Hub};
use self::shelves::{Follower, Shelves};
use crate::bus::{Bus, Heard, Responder, Unanswered};
use crate::engine::Engine;
use crate::error::EngineError;
use crate::journals::Journals;
use crate::records::{Records, StoredRecord};
use crate::replica_id::ReplicaId;

/// An engine for the replicas of one process, mainly for tests. Cheap to clone; all clones are the
/// same engine.
#[derive(Clone, Debug, Default)]
pub struct InProcess(Arc<Shared>);

/// The memory shared by all replicas.
#[derive(Debug, Default)]
struct Shared {
    hub: Lock<Hub>,
    shelves: Lock<Shelves>,
}

/// One replica's handle of an [`InProcess`].
#[derive(Clone, Debug)]
pub struct Replica {
    id: ReplicaId,
    shared: Arc<Shared>,
    faults: Arc<FaultBook>,
}

impl InProcess {
    /// Creates an empty engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a new replica.
    pub fn replica(&self) -> Replica {
        Replica {
            id: self.0.hub.lock().next_id(),
            shared: Arc::clone(&self.0),
            faults: Arc::default(),
        }
    }

    /// Copies the current records to another engine.
    #[must_use]
    pub fn copy(&self) -> Self {
        let shelves = Lock::new(self.0.shelves.lock().copy());
        let hub = Lock::default();
        Self(Arc::new(Shared { hub, shelves }))
    }

    /// Restores the records of an earlier [`copy`](Self::copy), like an engine whose files have
    /// lost the last writes.
    pub fn go_back(&self, earlier: &Self) {
        let earlier = earlier.0.shelves.lock().copy();
        *self.0.shelves.lock() = earlier;
    }

    /// Removes all records and journals, like an engine that was created anew.
    pub fn forget(&self) {
        self.0.shelves.lock().forget();
    }
}

impl Replica {
    /// Changes the faults of this replica's handle.
    ///
    /// ```
    /// # use plainly_cluster::{Engine, InProcess};
    /// let replica = InProcess::new().replica();
    /// replica.fail(|faults| faults.is_cut = true);
    /// assert!(!replica.is_connected());
    /// ```
    pub fn fail(&self, change: impl FnOnce(&mut Faults)) {
        if self.faults.change(change) {
            self.shared.hub.lock().miss(self.id);
        }
    }
}

impl Bus for Replica {
    fn id(&self) -> ReplicaId {
        self.id
    }

    fn tell(&self, event: Bytes) {
        if !self.faults.loses_event() {
            self.shared.hub.lock().tell(self.id, &event);
        }
    }

    async fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> Result<Bytes, Unanswered> {
        self.faults.call().await.map_err(|_| Unanswered::Unsent)?;
        let (sender, answer) = oneshot::channel();
        // If the asking replica has stopped waiting, the answer is dropped.
        let responder = Responder::new(move |answer| drop(sender.send(answer)));
        let question = Heard::Question(question, responder);
        self.shared.hub.lock().ask(whom, question)?;
        match timeout(within, answer).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(_)) | Err(_) => Err(Unanswered::Silent),
        }
    }

    fn hear(&self) -> impl Stream<Item = Heard> + Send + 'static {
        let hearing = self.shared.hub.lock().hear(self.id, &self.faults);
        unfold(hearing, async |mut hearing: Hearing| {
            let heard = hearing.next().await?;
            Some((heard, hearing))
        })
    }
}

impl Records for Replica {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        self.faults.call().await?;
        Ok(self.shared.shelves.lock().get(key))
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        self.faults.check_size(&value)?;
        self.faults.call().await?;
        if over.is_none() {
            self.faults.room()?;
        }
        let version = self.shared.shelves.lock().put(key, value, over, ttl);
        self.faults.confirm()?;
        Ok(version)
    }
}

impl Journals for Replica {
    async fn append(&self, journal: &str, event: Bytes) -> Result<(), EngineError> {
        self.faults.check_size(&event)?;
        self.faults.call().await?;
        self.shared.shelves.lock().append(journal, event);
        self.faults.confirm()
    }

    fn follow(
        &self,
        journal: &str,
    ) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static {
        let follower = Follower::new(journal);
        let shared = Arc::clone(&self.shared);
        unfold((shared, follower), async |(shared, mut follower)| {
            let event = follower.next(&shared.shelves).await;
            Some((Ok(event), (shared, follower)))
        })
    }
}

impl Engine for Replica {
    fn is_connected(&self) -> bool {
        !self.faults.is_cut()
    }

    fn max_value(&self) -> usize {
        self.faults.max_value()
    }
}

#[cfg(test)]
mod tests;
