//! Reports that everything changed, because some changes may have been missed.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use tokio::time::sleep;

use super::subscription::PendingTopics;
use super::{Changes, Topic, key};

/// The maximum number of slices into which all subscribers are divided, and the minimum number of
/// subscribers in one.
const SLICES: u32 = 20;
const LEAST: usize = 100;

impl Changes {
    /// Notifies the subscribers in this process of all their topics, because changes from the
    /// upstream may have been missed.
    pub fn everything_changed(&self) {
        self.all().iter().for_each(|pending| mark_all(pending));
    }

    /// Notifies subscribers as [`everything_changed`](Self::everything_changed) does, but one slice
    /// after another over `time`, because otherwise all would read everything at once.
    pub(crate) async fn everything_changes_over(&self, time: Duration) {
        let all = self.all();
        let slice = all.len().div_ceil(SLICES as usize).max(LEAST);
        for (index, slice) in all.chunks(slice).enumerate() {
            if index > 0 {
                sleep(time / SLICES).await;
            }
            slice.iter().for_each(|pending| mark_all(pending));
        }
    }

    /// All subscriptions, each once.
    fn all(&self) -> Vec<Arc<PendingTopics>> {
        let index = self.bus.index.lock();
        let all = index.subscribers.values().flat_map(HashMap::values);
        let all = all.map(|pending| (key(pending), pending));
        let all: HashMap<usize, &Arc<PendingTopics>> = all.collect();
        all.into_values().cloned().collect()
    }
}

/// Marks all topics whose changes a subscriber receives.
fn mark_all(pending: &PendingTopics) {
    for topic in pending.heard() {
        // A subscriber of everything below a collection is also subscribed to the collection.
        if !matches!(topic, Topic::Below(_)) {
            pending.mark(&topic).into_iter().for_each(Waker::wake);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::task::{Context, Poll};

    use futures_util::FutureExt as _;
    use futures_util::future::FusedFuture as _;
    use plainly_transport::quota::Quota;

    use super::super::TopicSubscription;
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn many_are_told_of_everything_in_slices_over_the_time() {
        let changes = Changes::new();
        let all: Vec<_> = (0..10_000)
            .map(|_| {
                let subscription = changes.subscribe(Quota::new(usize::MAX).part(None));
                let topics = [Topic::Tools, Topic::Resource("a:1".into())];
                subscription.add(topics).unwrap();
                subscription
            })
            .collect();
        let next = |it: &&TopicSubscription| {
            let mut context = Context::from_waker(Waker::noop());
            matches!(it.poll_next(&mut context), Poll::Ready(Some(_)))
        };
        let told = || all.iter().filter(next).filter(next).count();
        let second = Duration::from_secs(1);
        let mut telling = std::pin::pin!(changes.everything_changes_over(second).fuse());
        let (mut most, mut sum) = (0, 0);
        // The first wait ends between two slices.
        for pause in std::iter::once(second / 40).chain([second / 20; 19]) {
            let mut pause = std::pin::pin!(sleep(pause));
            while tokio::select! {
                biased;
                () = &mut telling, if !telling.is_terminated() => true,
                () = &mut pause => false,
            } {}
            let now = told();
            (most, sum) = (most.max(now), sum + now);
        }
        assert_eq!((most, sum), (500, 10_000));
    }
}
