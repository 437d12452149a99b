//! The tasks whose handlers run in this process: how many there may be, and how each is woken when something happens to
//! it.

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
    /// Wakes its handler when something has happened to it.
    pub(super) signal: Arc<Notify>,
}

impl LocalTasks {
    /// Takes in one more, unless there are `most` already.
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

    /// The names of all.
    pub(super) fn ids(&self) -> Vec<Arc<str>> {
        self.0.lock().keys().cloned().collect()
    }

    /// Signals the handler of the task of this name, if it runs here.
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
