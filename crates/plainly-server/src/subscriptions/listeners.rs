//! The listeners of a server: their maximum number, and ending them all.

use std::collections::HashMap;
use std::sync::Arc;

use plainly_errors::{ProtocolError, Unavailable};

use super::Subscriptions;
use crate::changes::TopicSubscription;
use crate::limits::Limits;
use plainly_transport::lock::Lock;
use plainly_transport::quota::{Holder, Quota, QuotaPart};

/// The streams of change notifications to clients.
#[derive(Debug)]
pub(crate) struct Listeners {
    table: Lock<ListenerTable>,
    pub(crate) places: Quota,
    /// The quota of bytes of the subscribed URIs.
    pub(crate) bytes: Quota,
}

#[derive(Debug, Default)]
struct ListenerTable {
    /// The number of listeners so far, from which the next one gets its number.
    count: u64,
    open: HashMap<u64, Arc<TopicSubscription>>,
    has_ended: bool,
}

/// The slot of a listener among all, released when dropped.
pub(super) struct ListenerPlace {
    pub(super) subscriptions: Arc<Subscriptions>,
    /// The topics of the listener.
    pub(super) topics: Arc<TopicSubscription>,
    number: u64,
    _place: QuotaPart,
}

impl Listeners {
    /// An empty collection. The topics of all listeners use the quota `bytes`.
    pub(crate) fn new(limits: &Limits, bytes: Quota) -> Self {
        Self {
            table: Lock::default(),
            places: Quota::new(limits.subscriptions.open),
            bytes,
        }
    }
}

impl Subscriptions {
    /// Adds a listener of `caller` to `topics`, if there is room.
    pub(super) fn admit(
        self: &Arc<Self>,
        caller: Option<Holder>,
        topics: Arc<TopicSubscription>,
    ) -> Result<ListenerPlace, ProtocolError> {
        let place = self.listeners.places.take(caller, 1)?;
        let mut table = self.listeners.table.lock();
        if table.has_ended {
            return Err(Unavailable::ShuttingDown.into());
        }
        table.count += 1;
        let number = table.count;
        table.open.insert(number, Arc::clone(&topics));
        Ok(ListenerPlace {
            subscriptions: Arc::clone(self),
            topics,
            number,
            _place: place,
        })
    }

    /// Ends all listeners, each with its result, and accepts no new ones.
    pub(crate) fn end(&self) {
        let open: Vec<_> = {
            let mut table = self.listeners.table.lock();
            table.has_ended = true;
            table.open.values().cloned().collect()
        };
        // A listener that is woken may leave at once, which takes the lock.
        open.iter().for_each(|topics| topics.end());
    }
}

impl Drop for ListenerPlace {
    fn drop(&mut self) {
        let table = &self.subscriptions.listeners.table;
        table.lock().open.remove(&self.number);
    }
}
