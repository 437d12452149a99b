//! The watching of stores and sources, only while clients subscribe to what they have, because it
//! costs.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use plainly_errors::ProtocolError;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;

use super::Subscriptions;
use crate::changes::{Changes, Topic};
use crate::failure::incident::chain;
use crate::panics::{caught, panicked};
use crate::store::Change;
use plainly_transport::lock::Lock;

/// The watch over all stores and sources of a server, if there is one.
#[derive(Debug, Default)]
pub(super) struct StoreWatch(Lock<Weak<WatchTasks>>);

/// The tasks that pass on what changes there, one for each store and source; they end with the last
/// listener that holds them.
pub(super) type WatchTasks = JoinSet<()>;

impl Subscriptions {
    /// Watches the stores and sources, if they are not watched yet; fails where one of them panics.
    /// Must be called within a runtime.
    pub(super) fn watch(&self) -> Result<Arc<WatchTasks>, ProtocolError> {
        let mut watch = self.watch.0.lock();
        if let Some(tasks) = watch.upgrade() {
            return Ok(tasks);
        }
        let stores = caught(|| self.sources.features().resources.watch())?;
        let sources = caught(|| self.sources.watch(&self.changes))?;
        let mut tasks = WatchTasks::new();
        for store in stores {
            let changes = self.changes.clone();
            tasks.spawn(follow(store, move |change| receive(&changes, change)));
        }
        for source in sources {
            let changes = self.changes.clone();
            tasks.spawn(follow(source, move |topic| changes.receive(&topic)));
        }
        let tasks = Arc::new(tasks);
        // Held weakly, so that watching ends with the last listener.
        *watch = Arc::downgrade(&tasks);
        Ok(tasks)
    }
}

/// Passes on the changes in one store or source. If it panics, only its own changes are missed.
async fn follow<C>(changes: BoxStream<'static, C>, pass_on: impl Fn(C)) {
    let mut changes = AssertUnwindSafe(changes).catch_unwind();
    while let Some(change) = changes.next().await {
        match change {
            Ok(change) => pass_on(change),
            Err(panic) => {
                let error = panicked(&*panic);
                let error = chain(&error);
                tracing::error!(error, "a store or source reports no more changes");
            }
        }
        // One that reports changes without pause must not keep other tasks from running.
        consume_budget().await;
    }
}

/// Receives a change in a store.
fn receive(changes: &Changes, change: Change) {
    match change {
        Change::Resource(uri) => changes.receive(&Topic::Resource(uri.into())),
        Change::Tree(uri) => changes.receive_tree(&uri),
        Change::Listing => changes.receive(&Topic::Resources),
    }
}
