//! The resources that clients are subscribed to, for a store or source that has to ask for changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::subscription::{PendingTopics, TopicSubscription};
use super::{Changes, Topic};

/// The resources that clients of a server are subscribed to, as subscriptions come and go.
#[derive(Clone, Debug)]
pub struct SubscribedResources {
    changes: Changes,
    /// The one subscription that counts; `None` for all.
    of: Option<Arc<PendingTopics>>,
    news: watch::Receiver<()>,
}

impl SubscribedResources {
    /// The resources that any client is subscribed to.
    pub(crate) fn new(changes: &Changes) -> Self {
        let news = changes.bus.index.lock().news.subscribe();
        let changes = changes.clone();
        Self {
            changes,
            of: None,
            news,
        }
    }

    /// The resources of one subscription.
    pub(crate) fn of(subscription: &TopicSubscription) -> Self {
        let of = Some(subscription.pending());
        Self {
            of,
            ..Self::new(subscription.changes())
        }
    }

    /// No resources, now and later.
    pub fn none() -> Self {
        Self::new(&Changes::new())
    }

    /// The URIs at the moment.
    pub fn uris(&self) -> BTreeSet<Arc<str>> {
        if let Some(one) = &self.of {
            return uris(one.heard().iter());
        }
        let index = self.changes.bus.index.lock();
        uris(index.subscribers.keys())
    }

    /// The subscribed collections whose clients hear of all resources below too.
    pub fn below(&self) -> BTreeSet<Arc<str>> {
        if let Some(one) = &self.of {
            return below(one.heard().iter());
        }
        let index = self.changes.bus.index.lock();
        below(index.subscribers.keys())
    }

    /// Waits until the URIs may be others than at the last call, or than when this was created.
    pub async fn changed(&mut self) {
        // The sender is in `changes`, so it lives.
        self.news.changed().await.ok();
    }
}

fn uris<'a>(topics: impl Iterator<Item = &'a Topic>) -> BTreeSet<Arc<str>> {
    topics.filter_map(Topic::resource).cloned().collect()
}

fn below<'a>(topics: impl Iterator<Item = &'a Topic>) -> BTreeSet<Arc<str>> {
    topics.filter_map(Topic::below).cloned().collect()
}
