//! The change bus: passes a change from its source to all subscribers within this process and to
//! the upstream, if there is one. It knows topics, but neither messages nor clients.
//!
//! ```text
//! program, tasks ─► publish ─┬─► upstream
//!                            └─► receive ─► subscriptions here
//! upstream, stores ────────────────┘
//! ```
//!
//! The bus has no queue: a change only marks its topic in each [`TopicSubscription`] that has it.

mod below;
mod everything;
mod subscribed_resources;
mod subscription;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::task::Waker;

use plainly_protocol::part::Part;
use tokio::sync::watch;

use self::below::above;
pub use self::subscribed_resources::SubscribedResources;
use self::subscription::PendingTopics;
pub(super) use self::subscription::TopicSubscription;
use plainly_transport::lock::Lock;
use plainly_transport::quota::{QuotaExhausted, QuotaPart};

/// Announces changes to subscribed peers. Cheap to clone; all clones are equivalent.
///
/// Pass it to [`ServerBuilder::changes`](super::ServerBuilder::changes), and store a clone where
/// the changes happen. A call returns at once, however many peers there are and however slowly they
/// read: several changes of one item reach a peer as one.
///
/// ```
/// use plainly::{Resource, Server};
/// use plainly::server::Changes;
///
/// let changes = Changes::new();
/// let server = Server::builder("notes", "1.0.0")
///     .resource(Resource::new("app://motd", async || "Be kind."))
///     .changes(changes.clone())
///     .build()?;
/// // ... whenever the text is another:
/// changes.resource_updated("app://motd");
/// # Ok::<(), plainly::server::BuildErrors>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Changes {
    bus: Arc<Bus>,
    /// The spellings in the stores of the server, for the URIs that its clients subscribe to.
    spellings: Option<Arc<dyn Spellings>>,
}

/// The spellings of URIs in the stores of a server.
pub(super) trait Spellings: fmt::Debug + Send + Sync + 'static {
    /// The URI under which changes of the resource at `uri` are reported, if it is another.
    fn listed(&self, uri: &str) -> Option<String>;
}

#[derive(Debug, Default)]
struct Bus {
    index: Lock<Index>,
    upstream: Option<Box<dyn Upstream>>,
    /// The other replicas of the server, if there are any.
    replicas: OnceLock<Box<dyn Upstream>>,
}

/// The connection of [`Changes`] to other processes: to other replicas of a server, which pass
/// changes on to their clients.
pub trait Upstream: fmt::Debug + Send + Sync + 'static {
    /// Passes on a change that the program or a task published in this process. Subscribers in this
    /// process have already been notified. It must return at once. The receiving side can
    /// compensate for a lost change with [`everything_changed`](Changes::everything_changed).
    fn publish(&self, topic: &Topic);
}

/// The subject of a change.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Topic {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The resource at this URI.
    Resource(Arc<str>),
    /// All resources below the collection at this URI. Clients subscribe to it. A change names one
    /// of the resources or, if that is unknown, this topic.
    Below(Arc<str>),
    /// The task with this id.
    Task(Arc<str>),
}

impl Topic {
    /// The topics of a subscription to the resource at `uri`. With `is_recursive`, also the
    /// resources below it.
    pub(super) fn of_resource(uri: &str, is_recursive: bool) -> impl Iterator<Item = Self> + use<> {
        let uri = Arc::from(uri);
        let below = is_recursive.then(|| Self::Below(Arc::clone(&uri)));
        std::iter::once(Self::Resource(uri)).chain(below)
    }

    /// The bytes that a subscription to the topic uses, for its name and its table entries.
    fn bytes(&self) -> usize {
        match self {
            Self::Resource(name) | Self::Task(name) => name.len() + 256,
            Self::Below(name) => name.len() + 256 + below::ROOM,
            Self::Tools | Self::Prompts | Self::Resources => 0,
        }
    }

    /// The topic whose changes are also changes of this one: the whole resource for a part of it.
    fn whole(&self) -> Option<Self> {
        match Part::of(self.resource()?)? {
            (resource, Ok(_)) => Some(Self::Resource(resource.into())),
            (_, Err(_)) => None,
        }
    }

    /// The topic whose changes are reported to a subscriber of this one, if it is another.
    fn heard(&self, spellings: Option<&dyn Spellings>) -> Option<Self> {
        let listed = |uri: &str| spellings.and_then(|spellings| spellings.listed(uri));
        if let Self::Below(uri) = self {
            return listed(uri).map(|listed| Self::Below(listed.into()));
        }
        let whole = self.whole();
        let uri = whole.as_ref().unwrap_or(self).resource()?;
        let listed = listed(uri).map(|listed| Self::Resource(listed.into()));
        listed.or(whole)
    }

    /// The URI, if the topic is a resource.
    fn resource(&self) -> Option<&Arc<str>> {
        match self {
            Self::Resource(uri) => Some(uri),
            Self::Tools | Self::Prompts | Self::Resources | Self::Below(_) | Self::Task(_) => None,
        }
    }

    /// The URI of the collection, if the topic is everything below one.
    fn below(&self) -> Option<&Arc<str>> {
        match self {
            Self::Below(uri) => Some(uri),
            Self::Tools | Self::Prompts | Self::Resources | Self::Resource(_) | Self::Task(_) => {
                None
            }
        }
    }

    /// Whether the topic is the resource at `tree` or one inside it.
    fn is_inside(&self, tree: &str) -> bool {
        self.resource().is_some_and(|uri| is_inside(uri, tree))
    }
}

/// The subscriptions by topic.
#[derive(Debug, Default)]
struct Index {
    subscribers: HashMap<Topic, HashMap<usize, Arc<PendingTopics>>>,
    /// The number of topics with a subscriber that are everything below a collection.
    below: usize,
    /// Notifies of resources that got their first subscriber or lost their last one.
    news: watch::Sender<()>,
}

impl Changes {
    /// Creates an instance without subscribers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an instance that also passes published changes on to `upstream`. Pass each change
    /// from there to [`receive`](Self::receive).
    ///
    /// Changes that a [`Store`](crate::store::Store) reports are not passed on, because each
    /// process watches its own store.
    ///
    /// ```
    /// use plainly::server::{Changes, Topic, Upstream};
    ///
    /// /// Two replicas in one process.
    /// #[derive(Debug)]
    /// struct Other(Changes);
    ///
    /// impl Upstream for Other {
    ///     fn publish(&self, topic: &Topic) {
    ///         self.0.receive(topic);
    ///     }
    /// }
    ///
    /// let other = Changes::new();
    /// let changes = Changes::with_upstream(Other(other.clone()));
    /// // Subscribers of `other` are notified too.
    /// changes.resource_updated("app://motd");
    /// ```
    #[must_use]
    pub fn with_upstream(upstream: impl Upstream) -> Self {
        let bus = Arc::new(Bus {
            index: Lock::default(),
            upstream: Some(Box::new(upstream)),
            replicas: OnceLock::new(),
        });
        Self {
            bus,
            spellings: None,
        }
    }

    /// Adds these spellings for its subscribers. The bus stays the same.
    pub(super) fn spelled(self, spellings: Arc<dyn Spellings>) -> Self {
        Self {
            spellings: Some(spellings),
            ..self
        }
    }

    /// Also passes published changes on to these replicas. Only the first call has an effect.
    pub(super) fn told_to(&self, replicas: impl Upstream) {
        // Another server with the same changes has already set its replicas.
        drop(self.bus.replicas.set(Box::new(replicas)));
    }

    /// Notifies the subscribers in this process of a change that came from the upstream.
    pub fn receive(&self, topic: &Topic) {
        self.deliver(topic, None);
    }

    /// Notifies the subscribers in this process of a change. If the change is in the store with
    /// this number, subscribers that [view](TopicSubscription::view) that store are skipped.
    pub(super) fn deliver(&self, topic: &Topic, store: Option<usize>) {
        if let Topic::Below(uri) = topic {
            return self.deliver_tree(uri, store);
        }
        self.deliver_to_its_own(topic, store);
        if let Some(uri) = topic.whole().as_ref().unwrap_or(topic).resource() {
            self.deliver_above(uri, store);
        }
    }

    /// Delivers a change to the subscribers of exactly this topic.
    fn deliver_to_its_own(&self, topic: &Topic, store: Option<usize>) {
        // A program that reports a part of a resource has not said that its other parts changed.
        let whole = topic.whole();
        let whole = whole.as_ref().unwrap_or(topic);
        let wakers: Vec<Waker> = match self.bus.index.lock().subscribers.get(whole) {
            Some(interested) => interested
                .values()
                .filter(|pending| store.is_none_or(|store| !pending.views(store)))
                .filter_map(|pending| pending.mark(topic))
                .collect(),
            None => return,
        };
        // A subscriber that is woken may unsubscribe at once, which takes the lock.
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Delivers a change of the resource at `uri` to the subscribers of everything below a
    /// collection that contains it.
    fn deliver_above(&self, uri: &Arc<str>, store: Option<usize>) {
        let index = self.bus.index.lock();
        if index.below == 0 {
            return;
        }
        let interested = above(uri).filter_map(|above| index.subscribers.get(&above));
        let interested = interested.flat_map(HashMap::values);
        let interested =
            interested.filter(|pending| store.is_none_or(|store| !pending.views(store)));
        let wakers: Vec<Waker> = interested
            .filter_map(|pending| pending.mark_below(uri))
            .collect();
        drop(index);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Reports that the content or the metadata of the resource at `uri` has changed, or that it no
    /// longer exists. For a resource in a store, `uri` is spelled as the store lists it.
    pub fn resource_updated(&self, uri: &str) {
        self.publish(&Topic::Resource(uri.into()));
    }

    /// Notifies the subscribers in this process of a change of the resource at `uri` and everything
    /// inside it, as [`deliver`](Self::deliver) does.
    pub(super) fn deliver_tree(&self, uri: &str, store: Option<usize>) {
        self.deliver_all(|topic| topic.is_inside(uri), store);
        self.deliver_above(&uri.into(), store);
    }

    /// Delivers the topics with a subscriber that have changed. It searches all topics.
    fn deliver_all(&self, has_changed: impl Fn(&Topic) -> bool, store: Option<usize>) {
        let index = self.bus.index.lock();
        let topics = index.subscribers.keys().filter(|topic| has_changed(topic));
        let topics: Vec<Topic> = topics.cloned().collect();
        // Delivering takes the lock again.
        drop(index);
        let topics = topics.iter();
        topics.for_each(|topic| self.deliver_to_its_own(topic, store));
    }

    /// Reports that the list of resources has changed.
    pub fn resources_changed(&self) {
        self.publish(&Topic::Resources);
    }

    /// Reports that the list of tools has changed.
    pub fn tools_changed(&self) {
        self.publish(&Topic::Tools);
    }

    /// Reports that the list of prompts has changed.
    pub fn prompts_changed(&self) {
        self.publish(&Topic::Prompts);
    }

    /// Notifies the subscribers in this process, and the upstream.
    pub(super) fn publish(&self, topic: &Topic) {
        self.receive(topic);
        let outside = self.bus.upstream.iter().chain(self.bus.replicas.get());
        outside.for_each(|upstream| upstream.publish(topic));
    }

    /// An empty subscription, with room for the names of its topics.
    pub(super) fn subscribe(&self, room: QuotaPart) -> TopicSubscription {
        TopicSubscription::new(self.clone(), room)
    }

    /// Whether the topic has a subscriber.
    pub(super) fn is_heard(&self, topic: &Topic) -> bool {
        self.bus.index.lock().subscribers.contains_key(topic)
    }

    /// Adds `topics` to a subscription, all or none. The subscription's own list changes under the
    /// lock of the index, so that the two always agree.
    fn enter(
        &self,
        pending: &Arc<PendingTopics>,
        topics: Vec<Topic>,
    ) -> Result<(), QuotaExhausted> {
        let spellings = self.spellings.as_deref();
        let heard = topics.iter().map(|topic| topic.heard(spellings));
        let heard: Vec<Option<Topic>> = heard.collect();
        let mut index = self.bus.index.lock();
        pending.reserve(&topics)?;
        let (mut has_news, mut below) = (false, 0);
        for (topic, heard) in topics.into_iter().zip(heard) {
            let told = heard.is_some().then(|| topic.clone());
            let entry = index.subscribers.entry(heard.unwrap_or(topic));
            has_news |= matches!(entry.key(), Topic::Resource(_) | Topic::Below(_));
            let is_new = matches!(entry, Entry::Vacant(_));
            below += usize::from(is_new && matches!(entry.key(), Topic::Below(_)));
            // The stored name, so that all subscribers of a topic share it.
            let left = pending.add(entry.key().clone(), told);
            let interested = entry.or_default();
            interested.insert(key(pending), Arc::clone(pending));
            if let Some(left) = left {
                index.leave(&left, key(pending));
            }
        }
        index.below += below;
        if has_news {
            index.news.send_replace(());
        }
        Ok(())
    }

    fn leave(&self, pending: &Arc<PendingTopics>, topic: &Topic) {
        let mut index = self.bus.index.lock();
        if let Some(left) = pending.remove(topic) {
            index.leave(&left, key(pending));
        }
    }

    fn leave_all(&self, pending: &Arc<PendingTopics>) {
        let mut index = self.bus.index.lock();
        for topic in pending.clear() {
            index.leave(&topic, key(pending));
        }
    }
}

impl Index {
    fn leave(&mut self, topic: &Topic, key: usize) {
        if let Some(interested) = self.subscribers.get_mut(topic) {
            interested.remove(&key);
            if interested.is_empty() {
                self.subscribers.remove(topic);
                self.below -= usize::from(matches!(topic, Topic::Below(_)));
                if matches!(topic, Topic::Resource(_) | Topic::Below(_)) {
                    self.news.send_replace(());
                }
            }
        }
    }
}

/// Whether the resource at `uri` is `tree` or below it.
fn is_inside(uri: &str, tree: &str) -> bool {
    let rest = uri.strip_prefix(tree);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || tree.ends_with('/'))
}

/// The key of a subscription: its address, which is unique because the index keeps each alive.
fn key(pending: &Arc<PendingTopics>) -> usize {
    Arc::as_ptr(pending).addr()
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll};

    use proptest::prelude::*;

    use super::*;
    use plainly_transport::quota::Quota;

    fn resource(uri: &str) -> Topic {
        Topic::Resource(uri.into())
    }

    fn subscribe(changes: &Changes) -> TopicSubscription {
        changes.subscribe(Quota::new(usize::MAX).part(None))
    }

    /// The pending topics, in order.
    fn drain(subscription: &TopicSubscription) -> Vec<Topic> {
        let mut context = Context::from_waker(Waker::noop());
        let mut topics = Vec::new();
        while let Poll::Ready(Some(topic)) = subscription.poll_next(&mut context) {
            topics.push(topic);
        }
        topics
    }

    #[test]
    fn each_hears_once_of_what_it_is_subscribed_to() {
        let changes = Changes::new();
        let (first, second) = (subscribe(&changes), subscribe(&changes));
        first
            .add([resource("a:1"), resource("a:2"), Topic::Tools])
            .unwrap();
        second.add([resource("a:1"), Topic::Resources]).unwrap();
        for _ in 0..1_000 {
            changes.resource_updated("a:2");
            changes.resource_updated("a:1");
            changes.resource_updated("a:3");
            changes.resources_changed();
            changes.prompts_changed();
        }
        assert_eq!(drain(&first), [resource("a:2"), resource("a:1")]);
        assert_eq!(drain(&second), [resource("a:1"), Topic::Resources]);
        changes.tools_changed();
        assert_eq!(drain(&first), [Topic::Tools]);
        assert_eq!(drain(&second), []);
    }

    #[test]
    fn parts_change_with_their_resource() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        let [tail, head] = ["a:1#tail=9", "a:1#line=0,9"].map(resource);
        subscription.add([tail.clone(), head.clone()]).unwrap();
        let subscribed = SubscribedResources::new(&changes);
        assert_eq!(subscribed.uris(), [Arc::from("a:1")].into());
        let other = |uri: &str| Some(uri.replace("a:", "b:"));
        let spelled = subscribed.clone().spelled(other).uris();
        assert_eq!(spelled, [Arc::from("b:1")].into());
        changes.resource_updated("a:1");
        changes.resource_updated("a:2");
        assert_eq!(drain(&subscription), [tail.clone(), head.clone()]);
        changes.deliver_tree("a:1", None);
        subscription.remove(&tail);
        assert_eq!(drain(&subscription), std::slice::from_ref(&head));
        subscription.add([resource("a:1")]).unwrap();
        subscription.remove(&head);
        changes.resource_updated("a:1");
        assert_eq!(drain(&subscription), [resource("a:1")]);
        subscription.remove(&resource("a:1"));
        assert_eq!(subscribed.uris(), [].into());
    }

    /// A store that reports changes in lower case.
    #[derive(Debug)]
    struct AnyCase;

    impl Spellings for AnyCase {
        fn listed(&self, uri: &str) -> Option<String> {
            let listed = uri.to_lowercase();
            (listed != uri).then_some(listed)
        }
    }

    #[test]
    fn other_spellings_change_with_the_listed_one() {
        let changes = Changes::new();
        let server = changes.clone().spelled(Arc::new(AnyCase));
        let (first, second) = (subscribe(&server), subscribe(&server));
        let [upper, mixed, lower] = ["A:1", "A:1#tail=9", "a:1"].map(resource);
        first.add([upper.clone(), mixed.clone()]).unwrap();
        second.add([lower.clone(), upper.clone()]).unwrap();
        let subscribed = SubscribedResources::new(&changes);
        assert_eq!(subscribed.uris(), [Arc::from("a:1")].into());
        changes.resource_updated("a:1");
        assert_eq!(drain(&first), [upper.clone(), mixed]);
        assert_eq!(drain(&second), [lower.clone(), upper.clone()]);
        second.remove(&lower);
        second.mark_tree("a:");
        changes.deliver_tree("a:1", None);
        assert_eq!(drain(&second), std::slice::from_ref(&upper));
        second.remove(&upper);
        assert_eq!(SubscribedResources::of(&second).uris(), [].into());
        drop(first);
        assert_eq!(subscribed.uris(), [].into());
    }

    /// A store that reports changes in lower case as long as the flag is set.
    #[derive(Debug, Default)]
    struct SometimesAnyCase(std::sync::atomic::AtomicBool);

    impl Spellings for SometimesAnyCase {
        fn listed(&self, uri: &str) -> Option<String> {
            let is_any_case = self.0.load(std::sync::atomic::Ordering::Relaxed);
            is_any_case.then(|| AnyCase.listed(uri)).flatten()
        }
    }

    #[test]
    fn a_subscription_that_is_repeated_hears_of_the_present_spelling_alone() {
        let changes = Changes::new();
        let spellings = Arc::new(SometimesAnyCase::default());
        let server = changes.clone().spelled(Arc::clone(&spellings) as _);
        let subscription = subscribe(&server);
        let subscribed = SubscribedResources::new(&changes);
        let [upper, lower] = ["A:1", "a:1"].map(resource);
        for is_any_case in [true, false, true, true] {
            let flag = std::sync::atomic::Ordering::Relaxed;
            spellings.0.store(is_any_case, flag);
            subscription.add([upper.clone()]).unwrap();
            let (heard, other) = match is_any_case {
                true => (&lower, &upper),
                false => (&upper, &lower),
            };
            let uri = heard.resource().unwrap();
            assert_eq!(subscribed.uris(), [Arc::clone(uri)].into());
            changes.receive(other);
            assert_eq!(drain(&subscription), []);
            changes.receive(heard);
            assert_eq!(drain(&subscription), std::slice::from_ref(&upper));
        }
        subscription.remove(&upper);
        assert_eq!(subscribed.uris(), [].into());
    }

    #[test]
    fn a_part_that_is_reported_changes_alone() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        let [tail, head] = ["a:1#tail=9", "a:1#line=0,9"].map(resource);
        subscription.add([tail, head.clone()]).unwrap();
        changes.receive(&head);
        assert_eq!(drain(&subscription), [head]);
    }

    #[test]
    fn a_reader_with_a_view_hears_of_a_store_only_by_its_own_watch() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        subscription.view(vec![1]);
        subscription
            .add([resource("a:1"), resource("a:1/2"), Topic::Resources])
            .unwrap();
        changes.deliver(&resource("a:1"), Some(1));
        changes.deliver_tree("a:1", Some(1));
        changes.deliver(&Topic::Resources, Some(1));
        assert_eq!(drain(&subscription), []);
        changes.deliver(&resource("a:1"), Some(0));
        assert_eq!(drain(&subscription), [resource("a:1")]);
        changes.resource_updated("a:1/2");
        assert_eq!(drain(&subscription), [resource("a:1/2")]);
        subscription.mark_tree("a:1/2");
        subscription.mark(&Topic::Resources);
        assert_eq!(drain(&subscription), [resource("a:1/2"), Topic::Resources]);
    }

    #[test]
    fn all_that_is_inside_of_a_tree_is_told() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        let inside = [resource("a:/b"), resource("a:/b/c"), resource("a:/b/c/d")];
        subscription.add(inside.clone()).unwrap();
        subscription
            .add([resource("a:/"), resource("a:/bc"), Topic::Resources])
            .unwrap();
        changes.deliver_tree("a:/b", None);
        let told: std::collections::HashSet<_> = drain(&subscription).into_iter().collect();
        assert_eq!(told, inside.into());
        changes.deliver_tree("a:/b/c/d/e", None);
        assert_eq!(drain(&subscription), []);
    }

    #[test]
    fn what_follows_the_slash_of_a_tree_is_inside() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        let inside = [
            resource("s3://b/a/"),
            resource("s3://b/a/x"),
            resource("s3://b/a/x/y"),
        ];
        subscription.add(inside.clone()).unwrap();
        let outside = ["s3://b/a", "s3://b/ab", "s3://b/"].map(resource);
        subscription.add(outside).unwrap();
        changes.deliver_tree("s3://b/a/", None);
        let told: std::collections::HashSet<_> = drain(&subscription).into_iter().collect();
        assert_eq!(told, inside.into());
    }

    #[test]
    fn what_changes_again_waits_behind_what_changed_before() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        subscription.add([Topic::Tools, Topic::Prompts]).unwrap();
        let mut context = Context::from_waker(Waker::noop());
        changes.tools_changed();
        changes.prompts_changed();
        assert_eq!(
            subscription.poll_next(&mut context),
            Poll::Ready(Some(Topic::Tools))
        );
        changes.tools_changed();
        assert_eq!(drain(&subscription), [Topic::Prompts, Topic::Tools]);
    }

    #[test]
    fn what_is_given_up_is_not_heard_of_even_if_it_was_pending() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        subscription
            .add([resource("a:1"), resource("a:2")])
            .unwrap();
        changes.resource_updated("a:1");
        changes.resource_updated("a:2");
        subscription.remove(&resource("a:1"));
        assert_eq!(drain(&subscription), [resource("a:2")]);
        subscription.add([resource("a:1")]).unwrap();
        assert_eq!(drain(&subscription), []);
    }

    #[test]
    fn a_closed_one_has_ended_whatever_was_pending() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        subscription.add([Topic::Tools]).unwrap();
        changes.tools_changed();
        subscription.close();
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(subscription.poll_next(&mut context), Poll::Ready(None));
    }

    #[test]
    fn only_resources_wake_who_watches_them() {
        let changes = Changes::new();
        let resources = SubscribedResources::new(&changes);
        let woken = move || {
            let mut resources = resources.clone();
            futures_util::FutureExt::now_or_never(resources.changed()).is_some()
        };
        let subscription = subscribe(&changes);
        subscription
            .add([Topic::Tools, Topic::Task("1".into())])
            .unwrap();
        subscription.remove(&Topic::Tools);
        assert!(!woken());
        subscription
            .add([Topic::Resources, resource("a:1")])
            .unwrap();
        assert!(woken());
    }

    #[derive(Clone, Debug)]
    enum Step {
        Publish(u8),
        Add(u8),
        Remove(u8),
        Read,
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            4 => (0u8..4).prop_map(Step::Publish),
            2 => (0u8..4).prop_map(Step::Add),
            1 => (0u8..4).prop_map(Step::Remove),
            2 => Just(Step::Read),
        ];
        proptest::collection::vec(step, 0..100)
    }

    proptest! {
        /// Compares the bus with a list of subscriptions and a list of those that have changed
        /// since they were read.
        #[test]
        fn whatever_happens_all_is_heard_once_and_in_order(steps in steps()) {
            let changes = Changes::new();
            let subscription = subscribe(&changes);
            let uri = |number: u8| format!("a:{number}");
            let (mut subscribed, mut changed) = (Vec::new(), Vec::new());
            for step in steps {
                match step {
                    Step::Publish(number) => {
                        changes.resource_updated(&uri(number));
                        if subscribed.contains(&number) && !changed.contains(&number) {
                            changed.push(number);
                        }
                    }
                    Step::Add(number) => {
                        subscription.add([resource(&uri(number))]).unwrap();
                        if !subscribed.contains(&number) {
                            subscribed.push(number);
                        }
                    }
                    Step::Remove(number) => {
                        subscription.remove(&resource(&uri(number)));
                        subscribed.retain(|other| *other != number);
                        changed.retain(|other| *other != number);
                    }
                    Step::Read => {
                        let mut context = Context::from_waker(Waker::noop());
                        let expected = match changed.is_empty() {
                            true => Poll::Pending,
                            false => Poll::Ready(Some(resource(&uri(changed.remove(0))))),
                        };
                        prop_assert_eq!(subscription.poll_next(&mut context), expected);
                    }
                }
            }
            let expected: Vec<_> = changed.into_iter().map(|number| resource(&uri(number))).collect();
            prop_assert_eq!(drain(&subscription), expected);
        }
    }

    #[test]
    fn many_at_once_get_in_nobodys_way() {
        let changes = Changes::new();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let changes = &changes;
                scope.spawn(move || {
                    let kept = subscribe(changes);
                    for round in 0..1_000 {
                        let (own, common) = (resource(&format!("a:{thread}")), Topic::Tools);
                        kept.add([own.clone(), common.clone()]).unwrap();
                        let passing = subscribe(changes);
                        passing.add([own.clone(), common]).unwrap();
                        changes.resource_updated(&format!("a:{thread}"));
                        changes.tools_changed();
                        assert!(drain(&kept).contains(&own), "{round}");
                        kept.remove(&own);
                    }
                });
            }
        });
        assert_eq!(changes.bus.index.lock().subscribers.len(), 0);
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_a_change_and_by_the_end() {
        let changes = Changes::new();
        let subscription = Arc::new(subscribe(&changes));
        subscription.add([Topic::Tools]).unwrap();
        let reader = Arc::clone(&subscription);
        let heard = tokio::spawn(async move {
            let mut heard = Vec::new();
            while let Some(topic) = std::future::poll_fn(|context| reader.poll_next(context)).await
            {
                heard.push(topic);
                reader.add([Topic::Prompts]).unwrap();
            }
            heard
        });
        tokio::task::yield_now().await;
        changes.tools_changed();
        tokio::task::yield_now().await;
        subscription.close();
        assert_eq!(heard.await.unwrap(), [Topic::Tools]);
    }

    #[test]
    fn names_take_room_once_for_each_subscription_and_are_in_memory_once() {
        let (changes, quota) = (Changes::new(), Quota::new(600));
        let [first, second] = [(); 2].map(|()| changes.subscribe(quota.part(None)));
        let [one, two] = ["a:1", "a:2"].map(resource);
        assert_eq!((one.bytes(), Topic::Tools.bytes()), (259, 0));
        first.add([one.clone(), Topic::Tools]).unwrap();
        first.add([one.clone()]).unwrap();
        second.add([resource("a:1")]).unwrap();
        assert_eq!(quota.taken(), 2 * 259);
        assert!(Arc::ptr_eq(&first.resources()[0], &second.resources()[0]));
        assert!(second.add([Topic::Prompts, two.clone()]).is_err());
        assert_eq!(second.resources().len(), 1);
        first.remove(&two);
        first.remove(&one);
        second.add([two]).unwrap();
        drop((first, second));
        assert_eq!(quota.taken(), 0);
    }

    #[test]
    fn nothing_is_left_of_a_subscription_that_is_gone() {
        let changes = Changes::new();
        let subscription = subscribe(&changes);
        subscription.add([Topic::Tools, resource("a:1")]).unwrap();
        assert_eq!(changes.bus.index.lock().subscribers.len(), 2);
        drop(subscription);
        assert_eq!(changes.bus.index.lock().subscribers.len(), 0);
    }
}
