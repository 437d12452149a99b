//! Records of tasks in memory, limited in number, in bytes and for each caller. Expired records,
//! and if necessary those of tasks that are over, make room for new ones.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::sync::Arc;
use std::time::SystemTime;

use plainly_protocol::types::{RawJson, TaskState};
use serde::Serialize;

use super::counts::TaskCounts;
use super::record::TaskRecord;
use super::store::{TaskStore, TaskStoreError};
use crate::limits::Limits;
use plainly_transport::lock::Lock;
use plainly_transport::quota::{Holder, share_of};

/// The minimum number of bytes that every record counts for, so that there is always room for the
/// error message at its end.
const LEAST: usize = 4 << 10;

/// Stores tasks in the memory of this process: they are lost when it ends. Cheap to clone; all
/// clones share the tasks.
///
/// It stores at most [`stored`](crate::limits::TaskLimits::stored) tasks, an eighth of them per
/// caller, and [`bytes`](crate::limits::TaskLimits::bytes) in total. If there is no room for
/// another, the task that has been over for longest is dropped before it has expired, one of the
/// same caller first.
#[derive(Clone, Debug)]
pub struct MemoryTasks(Arc<TaskMemory>);

#[derive(Debug)]
struct TaskMemory {
    most: usize,
    most_of_one: usize,
    most_bytes: usize,
    table: Lock<TaskTable>,
}

#[derive(Debug, Default)]
struct TaskTable {
    records: HashMap<String, (TaskRecord, usize)>,
    /// The ids of the records that expire, in the order of expiry.
    expiring: BTreeSet<(SystemTime, String)>,
    /// The records of tasks that are over: by caller, then by the time of the end, then their ids.
    over: BTreeSet<(Option<Holder>, String, String)>,
    /// The number of records of each caller.
    held: HashMap<Holder, usize>,
    counts: TaskCounts,
    bytes: usize,
}

impl MemoryTasks {
    /// An empty store with these limits.
    pub fn new(limits: &Limits) -> Self {
        Self(Arc::new(TaskMemory {
            most: limits.tasks.stored,
            most_of_one: share_of(limits.tasks.stored),
            most_bytes: limits.tasks.bytes,
            table: Lock::default(),
        }))
    }

    /// The number of tasks that have not expired.
    pub fn len(&self) -> usize {
        let mut table = self.0.table.lock();
        table.expire(SystemTime::now());
        table.records.len()
    }

    /// Whether there are no tasks.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn insert_at(&self, now: SystemTime, record: TaskRecord) -> Result<(), TaskStoreError> {
        let mut table = self.0.table.lock();
        table.expire(now);
        let weight = weight(&record);
        self.0
            .make_room(&mut table, record.holder.as_ref(), 1, weight)?;
        table.add(record, weight);
        Ok(())
    }

    fn get_at(&self, now: SystemTime, id: &str) -> Option<TaskRecord> {
        let mut table = self.0.table.lock();
        table.expire(now);
        table.records.get(id).map(|(record, _)| record.clone())
    }

    fn replace_at(&self, now: SystemTime, record: TaskRecord) -> Result<bool, TaskStoreError> {
        let mut table = self.0.table.lock();
        table.expire(now);
        let Some((before, old)) = table.records.get(record.id()) else {
            return Ok(false);
        };
        if before.version.checked_add(1) != Some(record.version) {
            return Ok(false);
        }
        let (old, new) = (*old, weight(&record));
        // A record that doesn't grow always fits, even if the store is full.
        if new > old {
            let holder = record.holder.as_ref();
            self.0.make_room(&mut table, holder, 0, new - old)?;
        }
        table.remove(record.id());
        table.add(record, new);
        Ok(true)
    }
}

impl TaskMemory {
    /// Makes room for more records of a caller, or for more bytes in one, by dropping tasks that
    /// are over.
    fn make_room(
        &self,
        table: &mut TaskTable,
        holder: Option<&Holder>,
        records: usize,
        bytes: usize,
    ) -> Result<(), TaskStoreError> {
        if bytes > self.most_bytes {
            return Err(TaskStoreError::Full);
        }
        loop {
            let held = holder.and_then(|holder| table.held.get(holder));
            let has_share = held.is_none_or(|held| held + records <= self.most_of_one);
            let has_room = table.records.len() + records <= self.most
                && table.bytes.saturating_add(bytes) <= self.most_bytes;
            if has_share && has_room {
                return Ok(());
            }
            let own = table.over_longest_of(holder);
            // Tasks of others don't count for the share.
            let any = || has_share.then(|| table.over_longest()).flatten();
            let id = own.or_else(any).ok_or(TaskStoreError::Full)?.to_owned();
            table.remove(&id);
        }
    }
}

impl TaskStore for MemoryTasks {
    async fn insert(&self, record: TaskRecord) -> Result<(), TaskStoreError> {
        self.insert_at(SystemTime::now(), record)
    }

    async fn get(&self, id: &str) -> Result<Option<TaskRecord>, TaskStoreError> {
        Ok(self.get_at(SystemTime::now(), id))
    }

    async fn replace(&self, record: TaskRecord) -> Result<bool, TaskStoreError> {
        self.replace_at(SystemTime::now(), record)
    }

    fn counts(&self) -> Option<TaskCounts> {
        let mut table = self.0.table.lock();
        table.expire(SystemTime::now());
        Some(table.counts)
    }
}

impl TaskTable {
    fn add(&mut self, record: TaskRecord, weight: usize) {
        let id = record.id().to_owned();
        if let Some(expires) = record.expires {
            self.expiring.insert((expires, id.clone()));
        }
        if let Some(holder) = &record.holder {
            *self.held.entry(holder.clone()).or_default() += 1;
        }
        if record.is_over() {
            self.over.insert(over_key(&record));
        }
        *self.counts.of_mut(record.task.state.status()) += 1;
        self.bytes += weight;
        self.records.insert(id, (record, weight));
    }

    fn remove(&mut self, id: &str) {
        let Some((record, weight)) = self.records.remove(id) else {
            return;
        };
        *self.counts.of_mut(record.task.state.status()) -= 1;
        self.bytes -= weight;
        if let Some(expires) = record.expires {
            self.expiring.remove(&(expires, id.to_owned()));
        }
        if record.is_over() {
            self.over.remove(&over_key(&record));
        }
        let held = record.holder.and_then(|holder| {
            let held = self.held.get_mut(&holder)?;
            *held -= 1;
            (*held == 0).then_some(holder)
        });
        held.and_then(|holder| self.held.remove(&holder));
    }

    /// The caller's task that has been over for longest.
    fn over_longest_of(&self, holder: Option<&Holder>) -> Option<&str> {
        let first = (holder.cloned(), String::new(), String::new());
        let (found, _, id) = self.over.range(first..).next()?;
        (found.as_ref() == holder).then_some(id)
    }

    /// The task that has been over for longest.
    fn over_longest(&self) -> Option<&str> {
        let over = self.over.iter();
        let first = over.min_by(|(_, one, _), (_, other, _)| one.cmp(other));
        first.map(|(_, _, id)| &**id)
    }

    /// Removes expired records.
    fn expire(&mut self, now: SystemTime) {
        while let Some((expires, id)) = self.expiring.first()
            && *expires <= now
        {
            let id = id.clone();
            self.remove(&id);
        }
    }
}

/// The place of a record among those of tasks that are over.
fn over_key(record: &TaskRecord) -> (Option<Holder>, String, String) {
    let ended = record.task.last_updated_at.clone();
    (record.holder.clone(), ended, record.id().to_owned())
}

/// The number of bytes that a record counts for.
fn weight(record: &TaskRecord) -> usize {
    let answers = record.answers.iter();
    let answers: usize = answers
        .map(|(key, answer)| key.len() + answer.get().len())
        .sum();
    let state = match &record.task.state {
        TaskState::Working | TaskState::Cancelled => 0,
        TaskState::InputRequired { input_requests } => written(input_requests),
        TaskState::Completed { result } => RawJson::get(result).len(),
        TaskState::Failed { error } => written(error),
    };
    let message = record.task.status_message.as_ref().map_or(0, String::len);
    LEAST.max(answers + state + message)
}

/// The length of a value as JSON, in bytes.
fn written(value: &impl Serialize) -> usize {
    struct Count(usize);

    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    let mut count = Count(0);
    // A value that can't be serialized never becomes part of a record.
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        Err(_) => usize::MAX,
    }
}

#[cfg(test)]
mod tests;
