//! The watching of stores and sources, only while clients subscribe to what they have, because it
//! costs.

use std::sync::{Arc, Weak};

use futures_util::StreamExt;
use futures_util::stream::{BoxStream, SelectAll};
use plainly_errors::ProtocolError;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;

use super::Subscriptions;
use crate::changes::{Changes, Topic};
use crate::panics::caught;
use crate::store::Change;
use plainly_transport::lock::Lock;

/// The watch over all stores and sources of a server, if there is one.
#[derive(Debug, Default)]
pub(super) struct StoreWatch(Lock<Weak<WatchTask>>);

/// The tasks that pass on what changes there; they end when all who hold them have dropped them.
pub(super) type WatchTask = JoinSet<()>;

impl Subscriptions {
    /// Watches the stores and sources, if they are not watched yet; fails where one of them panics.
    /// Must be called within a runtime.
    pub(super) fn watch(&self) -> Result<Arc<WatchTask>, ProtocolError> {
        let mut watch = self.watch.0.lock();
        if let Some(task) = watch.upgrade() {
            return Ok(task);
        }
        let stores = caught(|| self.sources.features().resources.watch())?;
        let sources = caught(|| self.sources.watch(&self.changes))?;
        let mut task = WatchTask::new();
        task.spawn(follow_stores(stores, self.changes.clone()));
        task.spawn(follow_sources(sources, self.changes.clone()));
        let task = Arc::new(task);
        // Held weakly, so that watching ends with the last listener.
        *watch = Arc::downgrade(&task);
        Ok(task)
    }
}

async fn follow_stores(mut stores: SelectAll<BoxStream<'static, Change>>, changes: Changes) {
    while let Some(change) = stores.next().await {
        match change {
            Change::Resource(uri) => changes.receive(&Topic::Resource(uri.into())),
            Change::Tree(uri) => changes.receive_tree(&uri),
            Change::Listing => changes.receive(&Topic::Resources),
        }
        // A store that reports changes without pause must not keep other tasks from running.
        consume_budget().await;
    }
}

async fn follow_sources(mut sources: SelectAll<BoxStream<'static, Topic>>, changes: Changes) {
    while let Some(topic) = sources.next().await {
        changes.receive(&topic);
        consume_budget().await;
    }
}
