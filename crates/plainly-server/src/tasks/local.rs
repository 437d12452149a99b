//! The tasks whose handlers run in this process: their maximum number, and the signals that wake
//! them.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Notify;

use plainly_transport::lock::Lock;

/// The tasks whose handlers run in this process.
#[derive(Clone, Debug, Default)]
pub(super) struct LocalTasks(Arc<Lock<HashMap<Arc<str>, Arc<Notify>>>>);

/// A task whose handler runs in this process, until this is dropped.
pub(super) struct LocalTask {
    all: LocalTasks,
    pub(super) id: Arc<str>,
    /// Wakes the handler when the task has changed.
    pub(super) signal: Arc<Notify>,
}

impl LocalTasks {
    /// Adds a task, unless there are already `most`.
    pub(super) fn admit(&self, id: &str, most: usize) -> Option<LocalTask> {
        let mut tasks = self.0.lock();
        if tasks.len() >= most {
            return None;
        }
        let (id, signal) = (Arc::from(id), Arc::default());
        tasks.insert(Arc::clone(&id), Arc::clone(&signal));
        Some(LocalTask {
            all: self.clone(),
            id,
            signal,
        })
    }

    /// The ids of all tasks.
    pub(super) fn ids(&self) -> Vec<Arc<str>> {
        self.0.lock().keys().cloned().collect()
    }

    /// Signals the handler of the task with this id, if it runs in this process.
    pub(super) fn signal(&self, id: &str) {
        if let Some(signal) = self.0.lock().get(id) {
            signal.notify_one();
        }
    }
}

impl Drop for LocalTask {
    fn drop(&mut self) {
        self.all.0.lock().remove(&self.id);
    }
}
