//! The tasks of other replicas that clients of this one wait for. If the replica that runs a task
//! is gone, the task has failed.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Weak};
use std::time::Duration;

use plainly_cluster::ReplicaId;
use plainly_transport::lock::Lock;
use tokio::time::{Instant, sleep};

use super::Tasks;
use super::record::TaskRecord;
use crate::alive::{Alive, Asks, PAUSE};
use crate::changes::Topic;
use crate::failure::incident::chain;

/// The time for which a client counts as waiting for a task that it has read but does not listen
/// to.
const WAITS: Duration = Duration::from_mins(1);

/// The interval at which a handler reads the record of its task again, because a message may be
/// lost.
const NET: Duration = Duration::from_secs(10);

/// The tasks of other replicas that clients of this one wait for.
#[derive(Debug)]
pub(super) struct WatchedTasks {
    pub(super) own: ReplicaId,
    asks: Arc<dyn Asks>,
    alive: Alive,
    table: Lock<WatchTable>,
}

#[derive(Debug, Default)]
struct WatchTable {
    tasks: HashMap<Arc<str>, WatchedTask>,
    /// Whether a background task checks them.
    is_swept: bool,
}

#[derive(Clone, Copy, Debug)]
struct WatchedTask {
    runner: ReplicaId,
    read: Instant,
}

impl WatchedTasks {
    pub(super) fn new(own: ReplicaId, asks: Arc<dyn Asks>) -> Self {
        Self {
            own,
            asks,
            alive: Alive::default(),
            table: Lock::default(),
        }
    }

    /// Records that a client reads this record. Returns whether the caller must start the sweep.
    fn note(&self, record: &TaskRecord) -> bool {
        let runner = record.runner.as_ref();
        let runner = runner.and_then(|runner| runner.parse::<ReplicaId>().ok());
        let Some(runner) = runner.filter(|runner| *runner != self.own) else {
            return false;
        };
        let mut table = self.table.lock();
        if record.is_over() {
            table.tasks.remove(record.id());
            return false;
        }
        let read = Instant::now();
        let task = WatchedTask { runner, read };
        table.tasks.insert(record.id().into(), task);
        !std::mem::replace(&mut table.is_swept, true)
    }

    /// The replicas that run tasks that clients wait for, after all other tasks have been
    /// forgotten; `None` if there are none, which ends the sweep.
    fn runners(&self, is_heard: impl Fn(&Arc<str>) -> bool) -> Option<HashSet<ReplicaId>> {
        let mut table = self.table.lock();
        let is_wanted = |task: &WatchedTask| task.read.elapsed() < WAITS;
        let tasks = &mut table.tasks;
        tasks.retain(|id, task| is_wanted(task) || is_heard(id));
        let runners: HashSet<_> = tasks.values().map(|task| task.runner).collect();
        table.is_swept = !runners.is_empty();
        table.is_swept.then_some(runners)
    }

    fn tasks_of(&self, runners: &HashSet<ReplicaId>) -> Vec<Arc<str>> {
        let table = self.table.lock();
        let tasks = table.tasks.iter();
        let tasks = tasks.filter(|(_, task)| runners.contains(&task.runner));
        tasks.map(|(id, _)| Arc::clone(id)).collect()
    }
}

impl Tasks {
    /// Records that a client reads the record of a task here, and may wait for its end.
    pub(super) fn watch(self: &Arc<Self>, record: &TaskRecord) {
        let watched = self.watched.as_ref();
        if watched.is_some_and(|watched| watched.note(record)) {
            tokio::spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// The interval at which a handler checks whether its task has changed.
    pub(super) fn look_again(&self) -> Duration {
        let pause = self.limits.tasks.poll_interval;
        match &self.watched {
            // Replicas notify each other of changes.
            Some(_) => pause.max(NET),
            None => pause,
        }
    }

    /// Marks the tasks as failed whose replica is gone. Returns whether there are others.
    async fn fail_abandoned(&self) -> bool {
        let Some(watched) = &self.watched else {
            return false;
        };
        let is_heard = |id: &Arc<str>| self.changes.is_heard(&Topic::Task(Arc::clone(id)));
        let Some(runners) = watched.runners(is_heard) else {
            return false;
        };
        let gone = watched.alive.gone_among(runners, &*watched.asks).await;
        for id in watched.tasks_of(&gone) {
            match self.record(&id, self.abandoned()).await {
                Ok(_) => drop(watched.table.lock().tasks.remove(&id)),
                Err(error) => tracing::warn!(
                    error = chain(&error),
                    "a task whose process has ended could not be put as failed"
                ),
            }
        }
        true
    }
}

/// Checks the tasks of other replicas as long as clients wait for some here.
async fn sweep(tasks: Weak<Tasks>) {
    while let Some(tasks) = tasks.upgrade() {
        if !tasks.fail_abandoned().await {
            return;
        }
        drop(tasks);
        sleep(PAUSE).await;
    }
}

#[cfg(test)]
mod tests;
