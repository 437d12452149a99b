//! Records of tasks among the records that replicas share.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use plainly_cluster::EngineError;

use super::record::TaskRecord;
use super::store::{TaskStore, TaskStoreError};
use crate::shelves::{ShelfKey, Shelves};

/// The storage time of a record that never expires.
const FOREVER: Duration = Duration::from_hours(10 * 365 * 24);

/// Stores tasks in the records that replicas share.
#[derive(Clone, Debug)]
pub(crate) struct SharedTasks(Arc<Shelves>);

impl SharedTasks {
    pub(crate) fn new(shelves: Arc<Shelves>) -> Self {
        Self(shelves)
    }

    async fn put(&self, record: &TaskRecord, over: Option<u64>) -> Result<bool, TaskStoreError> {
        let value = serde_json::to_vec(record).map_err(|error| {
            // A value that can't be serialized never becomes part of a record.
            TaskStoreError::Failed(error.into())
        })?;
        let ttl = record.expires.map_or(FOREVER, |expires| {
            let left = expires.duration_since(SystemTime::now());
            // A record that has expired meanwhile is stored for a moment, because the engine does
            // not accept a time of zero.
            left.unwrap_or_default().max(Duration::from_secs(1))
        });
        let key = key(record.id());
        let put = self.0.put(&key, Bytes::from(value), over, ttl).await?;
        Ok(put.is_some())
    }
}

impl TaskStore for SharedTasks {
    async fn insert(&self, record: TaskRecord) -> Result<(), TaskStoreError> {
        match self.put(&record, None).await? {
            true => Ok(()),
            false => Err(TaskStoreError::Failed("there is a task of this id".into())),
        }
    }

    async fn get(&self, id: &str) -> Result<Option<TaskRecord>, TaskStoreError> {
        let Some(stored) = self.0.get(&key(id)).await? else {
            return Ok(None);
        };
        let record = serde_json::from_slice(&stored.value);
        let mut record: TaskRecord =
            record.map_err(|error| TaskStoreError::Failed(error.into()))?;
        record.stored = Some(stored.version);
        Ok(Some(record))
    }

    async fn replace(&self, record: TaskRecord) -> Result<bool, TaskStoreError> {
        // A record that was read before the change has the version that it replaces.
        match record.stored {
            Some(over) => self.put(&record, Some(over)).await,
            None => Ok(false),
        }
    }

    fn is_shared(&self) -> bool {
        true
    }
}

impl From<EngineError> for TaskStoreError {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Full | EngineError::TooLarge => Self::Full,
            EngineError::Refused(_) | EngineError::Unknown(_) | _ => {
                Self::Unavailable(error.into())
            }
        }
    }
}

fn key(id: &str) -> ShelfKey {
    ShelfKey::new("tasks", id)
}

#[cfg(test)]
mod tests;
