//! Watches stores and sources only while clients subscribe to their contents, because watching is
//! expensive. Clients share the watch of a store, except for those with their own view.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Weak};

use futures_util::{Stream, StreamExt};
use plainly_errors::ProtocolError;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;

use super::Subscriptions;
use crate::changes::{Changes, SubscribedResources, Topic, TopicSubscription};
use crate::failure::incident::chain;
use crate::panics::{caught, panicked};
use crate::store::{Change, DynStore, Viewer};
use plainly_transport::lock::Lock;

/// The watches that clients share while any of them listens.
#[derive(Debug, Default)]
pub(super) struct SharedWatches(Lock<HashMap<Watched, Weak<WatchTasks>>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Watched {
    /// The store with this number.
    Store(usize),
    Sources,
}

/// Tasks that pass on changes. They end when this is dropped.
type WatchTasks = JoinSet<()>;

/// The watches for one listener, until this is dropped.
#[derive(Debug)]
pub(super) struct Watching {
    _shared: Vec<Arc<WatchTasks>>,
    _views: WatchTasks,
}

impl Subscriptions {
    /// The numbers of the stores that this caller sees through views.
    pub(super) fn viewed(&self, viewer: &Viewer) -> Result<Vec<usize>, ProtocolError> {
        let stores = self.sources.features().resources.stores().iter();
        caught(|| {
            let viewed = stores
                .enumerate()
                .filter(|(_, store)| store.view(viewer).is_some());
            viewed.map(|(number, _)| number).collect()
        })
    }

    /// Watches the stores and sources for a listener to `topics`. Fails if one of them panics. It
    /// must be called within a runtime.
    pub(super) fn watch(
        &self,
        topics: &Arc<TopicSubscription>,
        viewer: &Viewer,
    ) -> Result<Watching, ProtocolError> {
        let (mut shared, mut views) = (Vec::new(), WatchTasks::new());
        let stores = self.sources.features().resources.stores().iter();
        for (number, store) in stores
            .enumerate()
            .filter(|(_, store)| store.facts().can_watch)
        {
            match caught(|| store.view(viewer))? {
                Some(view) => {
                    let topics = Arc::clone(topics);
                    if let Some(watch) = caught(|| view.watch(SubscribedResources::of(&topics)))? {
                        views.spawn(follow(watch, move |change| mark(&topics, change)));
                    }
                }
                None => shared.push(self.share(Watched::Store(number), |tasks| {
                    self.watch_store(number, &**store, tasks);
                })?),
            }
        }
        if self.sources.can_watch() {
            shared.push(self.share(Watched::Sources, |tasks| {
                for source in self.sources.watch(&self.changes) {
                    let changes = self.changes.clone();
                    tasks.spawn(follow(source, move |topic| changes.receive(&topic)));
                }
            })?);
        }
        Ok(Watching {
            _shared: shared,
            _views: views,
        })
    }

    /// The shared watch, which is started if there is none.
    fn share(
        &self,
        watched: Watched,
        begin: impl FnOnce(&mut WatchTasks),
    ) -> Result<Arc<WatchTasks>, ProtocolError> {
        let mut table = self.watches.0.lock();
        if let Some(tasks) = table.get(&watched).and_then(Weak::upgrade) {
            return Ok(tasks);
        }
        let tasks = caught(|| {
            let mut tasks = WatchTasks::new();
            begin(&mut tasks);
            Arc::new(tasks)
        })?;
        // Held weakly, so that watching ends with the last listener.
        table.insert(watched, Arc::downgrade(&tasks));
        Ok(tasks)
    }

    fn watch_store(&self, number: usize, store: &dyn DynStore, tasks: &mut WatchTasks) {
        if let Some(watch) = store.watch(SubscribedResources::new(&self.changes)) {
            let changes = self.changes.clone();
            tasks.spawn(follow(watch, move |change| {
                deliver(&changes, number, change)
            }));
        }
    }
}

/// Passes on the changes in one store or source. If it panics, only its own changes are missed.
async fn follow<C>(changes: impl Stream<Item = C> + Unpin, pass_on: impl Fn(C)) {
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
        // A store that reports changes without pause must not keep other tasks from running.
        consume_budget().await;
    }
}

/// Delivers a change in the store with this number to all subscribers that see the whole store.
fn deliver(changes: &Changes, number: usize, change: Change) {
    match change {
        Change::Resource(uri) => changes.deliver(&Topic::Resource(uri.into()), Some(number)),
        Change::Tree(uri) => changes.deliver_tree(&uri, Some(number)),
        Change::Listing => changes.deliver(&Topic::Resources, Some(number)),
    }
}

/// Marks a change in a view for its only listener.
fn mark(topics: &TopicSubscription, change: Change) {
    match change {
        Change::Resource(uri) => topics.mark(&Topic::Resource(uri.into())),
        Change::Tree(uri) => topics.mark_tree(&uri),
        Change::Listing => topics.mark(&Topic::Resources),
    }
}
