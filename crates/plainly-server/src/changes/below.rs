//! Resources below collections: the collections that contain a URI, and the changed resources in
//! them, which are reported to a subscriber of the collection.

use std::collections::HashSet;

use super::Topic;

/// The maximum number of bytes for the names of changed resources below the collections of one
/// subscriber, however many collections it has.
pub(super) const ROOM: usize = 32 << 10;

/// The bytes that a name uses in its tables in addition to its text.
const OVERHEAD: usize = 64;

/// The changed resources below collections that a subscriber has not read yet, up to a limit.
#[derive(Debug, Default)]
pub(super) struct NamesBelow {
    names: HashSet<Topic>,
    bytes: usize,
}

impl NamesBelow {
    /// Adds a resource. Returns whether it is new.
    pub(super) fn insert(&mut self, topic: &Topic) -> bool {
        let is_new = self.names.insert(topic.clone());
        if is_new {
            self.bytes += bytes(topic);
        }
        is_new
    }

    pub(super) fn remove(&mut self, topic: &Topic) {
        if self.names.remove(topic) {
            self.bytes -= bytes(topic);
        }
    }

    pub(super) fn contains(&self, topic: &Topic) -> bool {
        self.names.contains(topic)
    }

    /// Whether the names exceed their room.
    pub(super) fn is_full(&self) -> bool {
        self.bytes > ROOM
    }
}

/// The topics of everything below a collection, for each collection that contains the resource at
/// `uri`.
pub(super) fn above(uri: &str) -> impl Iterator<Item = Topic> {
    let ends = uri.match_indices('/').map(|(at, _)| at);
    let ends = ends
        .flat_map(|at| [at, at + 1])
        .filter(|end| *end < uri.len());
    ends.filter_map(|end| uri.get(..end))
        .map(|uri| Topic::Below(uri.into()))
}

fn bytes(topic: &Topic) -> usize {
    topic.resource().map_or(0, |uri| uri.len()) + OVERHEAD
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll, Waker};

    use plainly_transport::quota::Quota;

    use super::super::{Changes, TopicSubscription};
    use super::*;

    fn subscription(changes: &Changes, uris: &[&str]) -> TopicSubscription {
        let subscription = changes.subscribe(Quota::new(usize::MAX).part(None));
        let topics = uris.iter().flat_map(|uri| Topic::of_resource(uri, true));
        subscription.add(topics).unwrap();
        subscription
    }

    /// The reported URIs, in order.
    fn told(subscription: &TopicSubscription) -> Vec<String> {
        let mut context = Context::from_waker(Waker::noop());
        let mut told = Vec::new();
        while let Poll::Ready(Some(topic)) = subscription.poll_next(&mut context) {
            told.push(topic.resource().unwrap().to_string());
        }
        told
    }

    #[test]
    fn each_change_below_is_told_once() {
        let changes = Changes::new();
        let subscription = subscription(&changes, &["a:///", "a:///1", "a:///1/2"]);
        for uri in [
            "a:///1/2/3",
            "a:///1/2",
            "a:///4#tail=9",
            "a:///1/2/3",
            "b:///1",
        ] {
            changes.resource_updated(uri);
        }
        assert_eq!(told(&subscription), ["a:///1/2/3", "a:///1/2", "a:///4"]);
        changes.everything_changed();
        assert_eq!(told(&subscription).len(), 3);
    }

    #[test]
    fn what_others_subscribed_to_is_not_told() {
        let changes = Changes::new();
        let [one, other] = ["a:1", "a:1/2/secret"].map(|uri| subscription(&changes, &[uri]));
        changes.deliver_tree("a:1/2", None);
        assert_eq!(told(&one), ["a:1/2"]);
        assert_eq!(told(&other), ["a:1/2/secret"]);
    }

    #[test]
    fn a_view_is_told_alike() {
        let changes = Changes::new();
        let subscription = subscription(&changes, &["a:1"]);
        subscription.view(vec![0]);
        changes.deliver(&Topic::Resource("a:1/2".into()), Some(0));
        assert_eq!(told(&subscription), [""; 0]);
        for uri in ["a:1/2", "a:12"] {
            subscription.mark(&Topic::Resource(uri.into()));
        }
        subscription.mark_tree("a:1/3");
        subscription.mark_tree("a:");
        assert_eq!(told(&subscription), ["a:1/2", "a:1/3"]);
    }

    #[test]
    fn for_more_than_there_is_room_for_the_collection_is_told() {
        let changes = Changes::new();
        let subscription = subscription(&changes, &["a:1"]);
        for number in 0..ROOM / OVERHEAD {
            changes.resource_updated(&format!("a:1/{number}"));
        }
        changes.resource_updated("a:1/last");
        let told = told(&subscription);
        assert_eq!(told[0], "a:1");
        assert!(
            told.len() < 100 && told.last().unwrap() == "a:1/last",
            "{told:?}"
        );
    }

    #[test]
    fn nothing_is_left_of_what_is_unsubscribed() {
        let changes = Changes::new();
        let subscription = subscription(&changes, &["a:1", "a:1/2"]);
        changes.resource_updated("a:1/3");
        changes.resource_updated("a:1/2/4");
        Topic::of_resource("a:1", true).for_each(|topic| subscription.remove(&topic));
        assert_eq!(told(&subscription), ["a:1/2/4"]);
        changes.resource_updated("a:1/3");
        assert_eq!(told(&subscription), [""; 0]);
        assert_eq!(changes.bus.index.lock().below, 1);
        drop(subscription);
        assert_eq!(changes.bus.index.lock().below, 0);
    }
}
