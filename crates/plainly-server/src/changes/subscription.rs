//! The changes that one subscriber has not read yet. They are a set of topics that never exceeds
//! the subscription, however many changes there are and however slowly the subscriber reads.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use super::below::{NamesBelow, above};
use super::{Changes, Topic};
use plainly_transport::lock::Lock;
use plainly_transport::quota::{QuotaExhausted, QuotaPart};

/// A reader of changes. Dropping it unsubscribes.
#[derive(Debug)]
pub(crate) struct TopicSubscription {
    changes: Changes,
    pending: Arc<PendingTopics>,
}

/// The topics that have changed since they were read. The bus shares them.
#[derive(Debug)]
pub(super) struct PendingTopics(Lock<PendingState>);

#[derive(Debug)]
struct PendingState {
    /// All topics of the subscription, as the reader names them.
    topics: HashMap<Topic, TopicState>,
    /// The topics that are other names or parts of a resource, by the topic whose changes are
    /// reported.
    others: HashMap<Topic, Vec<Topic>>,
    /// The topics that have changed, each once, the oldest change first.
    changed: VecDeque<Topic>,
    /// The changed topics that are not part of the subscription: resources below a collection.
    below: NamesBelow,
    /// The quota part for the bytes of all topics.
    room: QuotaPart,
    /// The numbers of the stores that the reader sees through views.
    viewed: Vec<usize>,
    waker: Option<Waker>,
    stage: SubscriptionStage,
}

#[derive(Debug, Default)]
struct TopicState {
    /// Whether the topic has changed since it was read.
    has_changed: bool,
    /// The topic whose changes count for this one, if it is another.
    heard: Option<Topic>,
}

#[derive(Debug, PartialEq, Eq)]
enum SubscriptionStage {
    Open,
    /// The subscription is over, and its reader informs the client.
    Ended,
    /// The subscription is over, and the client is gone.
    Closed,
}

impl TopicSubscription {
    pub(super) fn new(changes: Changes, room: QuotaPart) -> Self {
        let pending = PendingState {
            topics: HashMap::new(),
            others: HashMap::new(),
            changed: VecDeque::new(),
            below: NamesBelow::default(),
            room,
            viewed: Vec::new(),
            waker: None,
            stage: SubscriptionStage::Open,
        };
        Self {
            changes,
            pending: Arc::new(PendingTopics(Lock::new(pending))),
        }
    }

    /// Adds these topics, or none of them if there is no room for all.
    pub(crate) fn add(
        &self,
        topics: impl IntoIterator<Item = Topic>,
    ) -> Result<(), QuotaExhausted> {
        let topics = topics.into_iter().collect();
        self.changes.enter(&self.pending, topics)
    }

    /// Marks the stores with these numbers as seen through views. Changes that other subscribers
    /// watch there are not delivered to this one.
    pub(crate) fn view(&self, stores: Vec<usize>) {
        self.pending.0.lock().viewed = stores;
    }

    /// The bus of the subscription.
    pub(super) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// The topics of the subscription, and those that have changed.
    pub(super) fn pending(&self) -> Arc<PendingTopics> {
        Arc::clone(&self.pending)
    }

    /// Marks the topics inside the resource at `tree`, as [`mark`](Self::mark) does.
    pub(crate) fn mark_tree(&self, tree: &str) {
        let heard = self.pending.heard();
        let inside = heard.iter().filter(|topic| topic.is_inside(tree));
        inside.for_each(|topic| self.pending.mark(topic).into_iter().for_each(Waker::wake));
        self.mark(&Topic::Resource(tree.into()));
    }

    /// Marks a topic of the subscription as changed. A resource is also marked if the subscription
    /// has everything below a collection that contains it.
    pub(crate) fn mark(&self, topic: &Topic) {
        self.pending.mark(topic).into_iter().for_each(Waker::wake);
        if let Some(uri) = topic.resource().filter(|uri| self.pending.hears_below(uri)) {
            let waker = self.pending.mark_below(uri);
            waker.into_iter().for_each(Waker::wake);
        }
    }

    /// Marks all resources of the subscription, as [`mark`](Self::mark) does.
    pub(crate) fn mark_resources(&self) {
        let heard = self.pending.heard();
        let resources = heard.iter().filter(|topic| topic.resource().is_some());
        resources.for_each(|topic| self.pending.mark(topic).into_iter().for_each(Waker::wake));
    }

    /// Removes a topic.
    pub(crate) fn remove(&self, topic: &Topic) {
        self.changes.leave(&self.pending, topic);
    }

    /// The resources of the subscription.
    pub(crate) fn resources(&self) -> Vec<Arc<str>> {
        let state = self.pending.0.lock();
        let resources = state.topics.keys().filter_map(Topic::resource);
        resources.cloned().collect()
    }

    /// Removes all resources and everything below them, except for those in `kept`.
    pub(crate) fn retain_resources(&self, kept: &HashSet<Topic>) {
        let of_resources = |topic: &&Topic| matches!(topic, Topic::Resource(_) | Topic::Below(_));
        let topics: Vec<Topic> = {
            let state = self.pending.0.lock();
            let topics = state.topics.keys().filter(of_resources);
            topics
                .filter(|topic| !kept.contains(topic))
                .cloned()
                .collect()
        };
        topics.iter().for_each(|topic| self.remove(topic));
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.pending.0.lock().stage == SubscriptionStage::Closed
    }

    /// The next topic that has changed; `None` once the subscription has ended, even if topics are
    /// pending.
    pub(crate) fn poll_next(&self, context: &mut Context<'_>) -> Poll<Option<Topic>> {
        let mut state = self.pending.0.lock();
        if state.stage != SubscriptionStage::Open {
            return Poll::Ready(None);
        }
        if let Some(topic) = state.changed.pop_front() {
            match state.topics.get_mut(&topic) {
                Some(read) => read.has_changed = false,
                None => state.below.remove(&topic),
            }
            return Poll::Ready(Some(topic));
        }
        match &mut state.waker {
            Some(waker) => waker.clone_from(context.waker()),
            waker @ None => *waker = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Ends the subscription; its reader still informs the client.
    pub(crate) fn end(&self) {
        self.pass_to(SubscriptionStage::Ended);
    }

    /// Ends the subscription at once; its reader sends nothing more.
    pub(crate) fn close(&self) {
        self.pass_to(SubscriptionStage::Closed);
    }

    fn pass_to(&self, stage: SubscriptionStage) {
        let waker = {
            let mut state = self.pending.0.lock();
            // Closed is final, because a client that is gone can't be informed of the end.
            if state.stage != SubscriptionStage::Closed {
                state.stage = stage;
            }
            state.waker.take()
        };
        waker.into_iter().for_each(Waker::wake);
    }
}

impl Drop for TopicSubscription {
    fn drop(&mut self) {
        self.changes.leave_all(&self.pending);
    }
}

impl PendingTopics {
    /// Whether the subscriber sees the store with this number through a view.
    pub(super) fn views(&self, store: usize) -> bool {
        self.0.lock().viewed.contains(&store)
    }

    /// Takes room for the new ones among `topics`.
    pub(super) fn reserve(&self, topics: &[Topic]) -> Result<(), QuotaExhausted> {
        let mut state = self.0.lock();
        let new = topics
            .iter()
            .filter(|topic| !state.topics.contains_key(*topic));
        let bytes = new.map(Topic::bytes).sum();
        state.room.grow(bytes)
    }

    /// Adds the topic `heard`, or the topic `told` if the reader uses another name or needs only a
    /// part. Returns the topic that `told` depended on before, if nothing else needs it: the
    /// spelling of a resource may have changed since.
    pub(super) fn add(&self, heard: Topic, told: Option<Topic>) -> Option<Topic> {
        let state = &mut *self.0.lock();
        let (topic, heard) = match told {
            Some(told) => (told, Some(heard)),
            None => (heard, None),
        };
        if let Some(heard) = &heard {
            let others = state.others.entry(heard.clone()).or_default();
            if !others.contains(&topic) {
                others.push(topic.clone());
            }
        }
        let before = match state.topics.get_mut(&topic) {
            Some(known) => std::mem::replace(&mut known.heard, heard.clone()),
            None => {
                let added = TopicState {
                    has_changed: false,
                    heard,
                };
                state.topics.insert(topic, added);
                return None;
            }
        };
        match before == heard {
            true => None,
            false => state.unhear(&topic, before),
        }
    }

    /// Removes a topic. Returns the topic whose changes are no longer needed, if there is one.
    pub(super) fn remove(&self, topic: &Topic) -> Option<Topic> {
        let state = &mut *self.0.lock();
        let removed = state.topics.remove(topic)?;
        state.room.shrink(topic.bytes());
        if removed.has_changed {
            state.changed.retain(|changed| changed != topic);
        }
        state.unhear(topic, removed.heard)
    }

    /// Removes all topics. Returns the topics whose changes were received.
    pub(super) fn clear(&self) -> Vec<Topic> {
        let heard = self.heard();
        let mut state = self.0.lock();
        state.changed.clear();
        state.below = NamesBelow::default();
        state.topics.clear();
        state.others.clear();
        heard
    }

    /// The topics whose changes the subscription receives.
    pub(super) fn heard(&self) -> Vec<Topic> {
        let state = self.0.lock();
        let own = state.topics.iter().filter(|(_, own)| own.heard.is_none());
        let own = own.map(|(topic, _)| topic);
        let heard: HashSet<&Topic> = own.chain(state.others.keys()).collect();
        heard.into_iter().cloned().collect()
    }

    /// Marks `topic` as changed, together with its other names and parts. Returns the waker of the
    /// reader, if it waits.
    pub(super) fn mark(&self, topic: &Topic) -> Option<Waker> {
        let state = &mut *self.0.lock();
        let others = state.others.get(topic).into_iter().flatten();
        let mut is_news = false;
        for changed in std::iter::once(topic).chain(others) {
            let Some(marked) = state.topics.get_mut(changed) else {
                continue;
            };
            if !std::mem::replace(&mut marked.has_changed, true) {
                state.changed.push_back(changed.clone());
                is_news = true;
            }
        }
        is_news.then(|| state.waker.take())?
    }

    /// Whether the subscription has everything below a collection that contains the resource at
    /// `uri`.
    fn hears_below(&self, uri: &str) -> bool {
        self.0.lock().hears_below(uri)
    }

    /// Marks the resource at `uri`, which is below a collection, as changed. Returns the waker of
    /// the reader, if it waits.
    pub(super) fn mark_below(&self, uri: &Arc<str>) -> Option<Waker> {
        let state = &mut *self.0.lock();
        let topic = Topic::Resource(Arc::clone(uri));
        // A resource that the subscription also contains by name is reported by that name.
        if state.topics.contains_key(&topic) || state.others.contains_key(&topic) {
            return None;
        }
        if !state.below.insert(&topic) {
            return None;
        }
        state.changed.push_back(topic);
        if state.below.is_full() {
            state.sum_up_below();
        }
        state.waker.take()
    }
}

impl PendingState {
    /// Removes the link from `topic` to the topic that its changes depend on. Returns the latter if
    /// nothing else needs it.
    fn unhear(&mut self, topic: &Topic, heard: Option<Topic>) -> Option<Topic> {
        let heard = heard.unwrap_or_else(|| topic.clone());
        if let Some(others) = self.others.get_mut(&heard) {
            others.retain(|other| other != topic);
            if others.is_empty() {
                self.others.remove(&heard);
            }
        }
        if matches!(topic, Topic::Below(_)) {
            self.forget_below();
        }
        let own = self.topics.get(&heard);
        let is_own = own.is_some_and(|own| own.heard.is_none());
        (!is_own && !self.others.contains_key(&heard)).then_some(heard)
    }

    fn hears_below(&self, uri: &str) -> bool {
        above(uri).any(|above| {
            let own = self.topics.get(&above);
            own.is_some_and(|own| own.heard.is_none()) || self.others.contains_key(&above)
        })
    }

    /// Marks each collection as changed, in place of all changed resources below the collections.
    fn sum_up_below(&mut self) {
        let below = std::mem::take(&mut self.below);
        self.changed.retain(|topic| !below.contains(topic));
        for topic in self.topics.keys().cloned().collect::<Vec<_>>() {
            let Topic::Below(uri) = topic else { continue };
            let collection = Topic::Resource(uri);
            if let Some(marked) = self.topics.get_mut(&collection)
                && !std::mem::replace(&mut marked.has_changed, true)
            {
                self.changed.push_back(collection);
            }
        }
    }

    /// Forgets changes below collections that the subscription no longer has.
    fn forget_below(&mut self) {
        let below = std::mem::take(&mut self.below);
        let mut changed = std::mem::take(&mut self.changed);
        changed.retain(|topic| match topic.resource() {
            Some(uri) if below.contains(topic) => self.hears_below(uri) && self.below.insert(topic),
            Some(_) | None => true,
        });
        self.changed = changed;
    }
}
