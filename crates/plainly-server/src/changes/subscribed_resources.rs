//! The resources that clients are subscribed to, for a store or source that must poll for changes.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio::sync::watch;

use super::subscription::{PendingTopics, TopicSubscription};
use super::{Changes, Topic};

/// The resources that clients of a server are subscribed to. They change as clients subscribe and
/// unsubscribe.
#[derive(Clone, Debug)]
pub struct SubscribedResources {
    changes: Changes,
    /// The only subscription that counts; `None` for all.
    of: Option<Arc<PendingTopics>>,
    /// Converts each URI to another, if set.
    spell: Option<fn(&str) -> Option<String>>,
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
            spell: None,
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

    /// An instance that never has resources.
    pub fn none() -> Self {
        Self::new(&Changes::new())
    }

    /// Converts the URIs, for a store that shows resources of another store under its own URIs.
    /// `spell` returns `None` for a URI that the other store does not have.
    #[must_use]
    pub fn spelled(mut self, spell: fn(&str) -> Option<String>) -> Self {
        self.spell = Some(spell);
        self
    }

    /// The current URIs.
    pub fn uris(&self) -> BTreeSet<Arc<str>> {
        self.of_topics(Topic::resource)
    }

    /// The subscribed collections whose clients also get the changes of all resources below.
    pub fn below(&self) -> BTreeSet<Arc<str>> {
        self.of_topics(Topic::below)
    }

    fn of_topics(&self, uri: fn(&Topic) -> Option<&Arc<str>>) -> BTreeSet<Arc<str>> {
        let uris: BTreeSet<_> = match &self.of {
            Some(one) => one.heard().iter().filter_map(uri).cloned().collect(),
            None => {
                let index = self.changes.bus.index.lock();
                index.subscribers.keys().filter_map(uri).cloned().collect()
            }
        };
        match self.spell {
            Some(spell) => uris
                .iter()
                .filter_map(|uri| spell(uri))
                .map(Arc::from)
                .collect(),
            None => uris,
        }
    }

    /// Waits until the URIs may have changed since the last call or since the instance was created.
    pub async fn changed(&mut self) {
        // The sender is in `changes`, so it still exists.
        self.news.changed().await.ok();
    }
}
