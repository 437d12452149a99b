//! Tasks (extension `io.modelcontextprotocol/tasks`): tool calls that continue after their request
//! was answered with a handle. The holder of the handle polls the task, answers its questions, and
//! cancels it.
//!
//! ```text
//! handling ─► creation ─► a handle         tasks/get, tasks/update, tasks/cancel
//!                │                                     │
//!                └─► background ─► record ◄────────────┘
//!                                    │
//!                                    ├─► store
//!                                    └─► changes ─► listeners
//! ```
//!
//! All data about a task is in its record in a store; its handler runs in the process that created
//! the task. With several replicas, each marks the tasks of a replica that is gone as failed, if
//! one of its clients waits for them.

mod record;

mod counts;
mod memory;
mod shared;
mod store;

mod local;
mod watched;

mod background;
mod creation;

mod methods;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::stream::{self, StreamExt};
use plainly_cluster::ReplicaId;
use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::peer::Peer;
use tokio::time::{Instant, sleep};

pub(super) use self::background::TaskCall;
pub use self::counts::TaskCounts;
use self::local::LocalTasks;
pub use self::memory::MemoryTasks;
use self::record::TaskEvent;
pub use self::record::TaskRecord;
pub(super) use self::shared::SharedTasks;
pub(super) use self::store::ErasedTasks;
pub use self::store::{TaskStore, TaskStoreError};
use self::watched::WatchedTasks;
use super::alive::Asks;
use super::audience::ErrorPolicy;
use super::changes::{Changes, Topic};
use super::outgoing::encode::Encoder;
use crate::failure::incident::chain;
use crate::limits::Limits;

/// The pause before a record that could not be written is written again.
const PAUSE: Duration = Duration::from_secs(1);

/// The number of records that are written at the same time when a server ends.
const AT_ONCE: usize = 32;

/// The maximum length of a task id in bytes.
const LONGEST_NAME: usize = 256;

/// All tasks of a server.
#[derive(Debug)]
pub(super) struct Tasks {
    store: Arc<dyn ErasedTasks>,
    local: LocalTasks,
    /// The tasks of other replicas, if this server is one of several.
    watched: Option<WatchedTasks>,
    changes: Changes,
    encoder: Arc<Encoder>,
    errors: ErrorPolicy,
    limits: Limits,
}

impl Tasks {
    /// Tasks whose records are in `store`. Their changes are published through `changes`.
    pub(super) fn new(
        store: Arc<dyn ErasedTasks>,
        changes: &Changes,
        encoder: &Arc<Encoder>,
        errors: ErrorPolicy,
        limits: &Limits,
    ) -> Self {
        Self {
            store,
            local: LocalTasks::default(),
            watched: None,
            changes: changes.clone(),
            encoder: Arc::clone(encoder),
            errors,
            limits: limits.clone(),
        }
    }

    /// Makes them tasks of one of several replicas, which `asks` the others.
    pub(super) fn of_replica(self, own: ReplicaId, asks: Arc<dyn Asks>) -> Self {
        Self {
            watched: Some(WatchedTasks::new(own, asks)),
            ..self
        }
    }

    /// The number of tasks in each state, if the store knows it.
    pub(super) fn counts(&self) -> Option<TaskCounts> {
        self.store.counts()
    }

    /// The record of the task with this id, whatever its principal.
    pub(super) async fn get(
        self: &Arc<Self>,
        id: &str,
    ) -> Result<Option<TaskRecord>, TaskStoreError> {
        let record = self.store.get(id).await?;
        record.iter().for_each(|record| self.watch(record));
        Ok(record)
    }

    /// The record of the task with this id, if it belongs to `peer`.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: &str,
        peer: &Peer,
    ) -> Result<TaskRecord, ProtocolError> {
        // This server issues no longer ids, so the store need not look for it.
        if id.len() > LONGEST_NAME {
            return Err(InvalidParams::UnknownTask.into());
        }
        let now = SystemTime::now();
        let record = self.get(id).await?.filter(|record| {
            record.principal == principal(peer)
                && record.expires.is_none_or(|expires| expires > now)
        });
        // Another principal's task looks like one that never existed, because otherwise ids could
        // be guessed.
        record.ok_or_else(|| InvalidParams::UnknownTask.into())
    }

    /// Records an event of the task with this id, and notifies its listeners. Returns its record;
    /// `None` if the task does not exist.
    async fn record(
        &self,
        id: &str,
        event: TaskEvent,
    ) -> Result<Option<TaskRecord>, TaskStoreError> {
        while let Some(record) = self.store.get(id).await? {
            let Some(next) = record.after(event.clone(), SystemTime::now()) else {
                return Ok(Some(record));
            };
            // If another change was made meanwhile, the event is applied to its result.
            if self.store.replace(next.clone()).await? {
                self.changes.publish(&Topic::Task(id.into()));
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Records an event that must not be lost, and retries until the store can be reached again. It
    /// gives up after the storage time of a task, because no client can read the task then.
    async fn record_surely(
        &self,
        id: &str,
        event: TaskEvent,
    ) -> Result<Option<TaskRecord>, TaskStoreError> {
        let began = Instant::now();
        loop {
            match self.record(id, event.clone()).await {
                Err(TaskStoreError::Unavailable(error))
                    if began.elapsed() < self.limits.tasks.ttl =>
                {
                    let error = TaskStoreError::Unavailable(error);
                    tracing::warn!(
                        error = chain(&error),
                        "a task's record is written again in a moment"
                    );
                    sleep(PAUSE).await;
                }
                settled => return settled,
            }
        }
    }

    /// The event for a task whose process ends before it.
    fn abandoned(&self) -> TaskEvent {
        let why = "The process that ran this task has ended; it may have been carried out in part";
        let error = ProtocolError::internal(why);
        TaskEvent::Failed(self.encoder.wire(&error, Revision::LATEST))
    }

    /// The number of tasks whose handlers run in this process.
    pub(super) fn running(&self) -> usize {
        self.local.ids().len()
    }

    /// Marks all tasks that still run in this process as failed, which stops their handlers.
    pub(super) async fn end_all(&self) {
        let ended = stream::iter(self.local.ids()).for_each_concurrent(AT_ONCE, async |id| {
            if let Err(error) = self.record(&id, self.abandoned()).await {
                tracing::error!(
                    error = chain(&error),
                    "a task's outcome could not be stored"
                );
            }
            self.local.signal(&id);
        });
        ended.await;
    }
}

/// The name of the task's principal.
fn principal(peer: &Peer) -> Option<String> {
    let principal = peer.principal.as_ref();
    principal.map(|principal| principal.as_str().to_owned())
}
