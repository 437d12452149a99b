//! The tasks whose handlers run in this process: how many there may be, and how each is told that something has happened to
//! it.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::sync::Notify;

use crate::lock::Lock;
use crate::server::Server;

/// The tasks whose handlers run in this process.
#[derive(Debug, Default)]
pub(in crate::server) struct Live(Lock<HashMap<Arc<str>, Arc<Notify>>>);

/// One of them: no more when dropped.
pub(super) struct Alive {
    server: Server,
    pub(super) id: Arc<str>,
    /// That something has happened to it.
    pub(super) news: Arc<Notify>,
}

impl Live {
    /// Takes in one more, if there is room.
    pub(super) fn enter(server: &Server, id: &str) -> Option<Alive> {
        let mut live = server.0.tasks.live.0.lock();
        if live.len() >= server.limits().tasks {
            return None;
        }
        let (id, news) = (Arc::from(id), Arc::default());
        live.insert(Arc::clone(&id), Arc::clone(&news));
        Some(Alive {
            server: server.clone(),
            id,
            news,
        })
    }

    /// Tells the task of this name, if its handler runs here.
    pub(super) fn tell(&self, id: &str) {
        if let Some(news) = self.0.lock().get(id) {
            news.notify_one();
        }
    }
}

impl Drop for Alive {
    fn drop(&mut self) {
        self.server.0.tasks.live.0.lock().remove(&self.id);
    }
}
