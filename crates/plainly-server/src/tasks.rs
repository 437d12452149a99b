//! Tasks (extension `io.modelcontextprotocol/tasks`): tool calls that continue after their request was answered with a
//! handle. The holder of the handle polls the task, answers its questions, and cancels it.
//!
//! ```text
//! handling ─► creation ─► a handle         tasks/get, tasks/update, tasks/cancel
//!                │                                     │
//!                └─► background ─► record ◄────────────┘
//!                                    │
//!                                    ├─► store
//!                                    └─► changes ─► whoever listens
//! ```
//!
//! Everything known of a task is in its record in a store; its handler runs in the process that made the task. Of several
//! replicas, each puts the tasks of one that is gone as failed, once a client waits for them.

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

/// The pause before a record is written again that could not be written.
const PAUSE: Duration = Duration::from_secs(1);

/// The records that are written at once as a server ends.
const AT_ONCE: usize = 32;

/// Bytes of the longest name that a task can have.
const LONGEST_NAME: usize = 256;

/// All tasks of a server.
#[derive(Debug)]
pub(super) struct Tasks {
    store: Arc<dyn ErasedTasks>,
    local: LocalTasks,
    /// The tasks of other replicas, if this is one of several.
    watched: Option<WatchedTasks>,
    changes: Changes,
    encoder: Arc<Encoder>,
    errors: ErrorPolicy,
    limits: Limits,
}

impl Tasks {
    /// Tasks whose records are in `store`; what becomes of them is published through `changes`.
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

    /// Makes them the tasks of one of several replicas, which `asks` the others.
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

    /// The record of the task of this name, no matter whose it is.
    pub(super) async fn get(
        self: &Arc<Self>,
        id: &str,
    ) -> Result<Option<TaskRecord>, TaskStoreError> {
        let record = self.store.get(id).await?;
        record.iter().for_each(|record| self.watch(record));
        Ok(record)
    }

    /// The record of the task of this name, if it is one of `peer`.
    pub(super) async fn find(
        self: &Arc<Self>,
        id: &str,
        peer: &Peer,
    ) -> Result<TaskRecord, ProtocolError> {
        // No name of ours is longer: a store need not look for it.
        if id.len() > LONGEST_NAME {
            return Err(InvalidParams::UnknownTask.into());
        }
        let now = SystemTime::now();
        let record = self.get(id).await?.filter(|record| {
            record.principal == principal(peer)
                && record.expires.is_none_or(|expires| expires > now)
        });
        // Another principal's task looks the same as one that never existed: otherwise names could be guessed.
        record.ok_or_else(|| InvalidParams::UnknownTask.into())
    }

    /// Records an event of the task of this name, and notifies its listeners. Returns its record; `None` if there is no
    /// such task.
    async fn record(
        &self,
        id: &str,
        event: TaskEvent,
    ) -> Result<Option<TaskRecord>, TaskStoreError> {
        while let Some(record) = self.store.get(id).await? {
            let Some(next) = record.after(event.clone(), SystemTime::now()) else {
                return Ok(Some(record));
            };
            // If something else happened meanwhile, try again on top of that.
            if self.store.replace(next.clone()).await? {
                self.changes.publish(&Topic::Task(id.into()));
                return Ok(Some(next));
            }
        }
        Ok(None)
    }

    /// Records an event that must not be lost, however long it takes until the store can be reached again. Nobody reads it
    /// after the time that a task is stored.
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

    /// The end of a task whose process ends before it.
    fn abandoned(&self) -> TaskEvent {
        let why = "The process that ran this task has ended; it may have been carried out in part";
        let error = ProtocolError::internal(why);
        TaskEvent::Failed(self.encoder.wire(&error, Revision::LATEST))
    }

    /// The number of tasks whose handlers run here.
    pub(super) fn running(&self) -> usize {
        self.local.ids().len()
    }

    /// Puts all tasks that still run here as failed, which stops their handlers.
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

/// The name of the principal whose task it is.
fn principal(peer: &Peer) -> Option<String> {
    let principal = peer.principal.as_ref();
    principal.map(|principal| principal.as_str().to_owned())
}
