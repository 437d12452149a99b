//! Stores are watched while somebody is told of resources, and only then: watching costs.

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll};
use plainly_errors::ProtocolError;
use tokio::task::AbortHandle;
use tokio::task::coop::consume_budget;

use super::Server;
use super::changes::Changes;
use super::panics::caught;
use crate::lock::Lock;
use crate::store::Change;

/// The watch over all stores of a server.
#[derive(Debug, Default)]
pub(super) struct Watching(Lock<State>);

#[derive(Debug, Default)]
struct State {
    /// How many want it.
    listeners: usize,
    /// What publishes the changes, while somebody does.
    task: Option<AbortHandle>,
}

/// As long as one of these exists, the stores are watched.
pub(super) struct Watched(Server);

impl Server {
    /// Watches the stores, if nobody did; fails where one of them panics. Must be called within a runtime.
    pub(super) fn watch(&self) -> Result<Watched, ProtocolError> {
        let mut state = self.0.watching.0.lock();
        if state.task.is_none() {
            let stores = caught(|| self.0.features.resources.watch())?;
            let task = tokio::spawn(publish(stores, self.0.changes.clone()));
            state.task = Some(task.abort_handle());
        }
        state.listeners += 1;
        Ok(Watched(self.clone()))
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let mut state = self.0.0.watching.0.lock();
        state.listeners -= 1;
        if state.listeners == 0
            && let Some(task) = state.task.take()
        {
            task.abort();
        }
    }
}

impl Watching {}

async fn publish(mut stores: SelectAll<BoxStream<'static, Change>>, changes: Changes) {
    while let Some(change) = stores.next().await {
        match change {
            Change::Resource(uri) => changes.resource_updated(&uri),
            Change::Tree(uri) => changes.tree_updated(&uri),
            Change::Listing => changes.resources_changed(),
        }
        // A store that always has something to tell must not keep others from running.
        consume_budget().await;
    }
}
