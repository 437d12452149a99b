//! The channels that this replica listens to. The keeper of the connection subscribes to them.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use plainly_transport::lock::Lock;
use redis::aio::MultiplexedConnection;
use redis::{PushInfo, PushKind, RedisError, Value};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, timeout_at};

/// A listener's callback, which must return at once.
type Ear = Arc<dyn Fn(Bytes) + Send + Sync>;

/// All channels.
#[derive(Default)]
pub(crate) struct Channels {
    wanted: Lock<Wanted>,
    changed: Notify,
    /// The subscriptions that Redis has confirmed.
    heard: watch::Sender<HashSet<String>>,
}

#[derive(Default)]
struct Wanted {
    /// The number of the next listener.
    next: u64,
    ears: HashMap<String, Vec<(u64, Ear)>>,
}

/// A registered listener, which is removed on drop.
pub(crate) struct Listening {
    channels: Arc<Channels>,
    channel: String,
    number: u64,
}

impl Channels {
    /// Listens to a channel.
    pub(crate) fn listen(
        self: &Arc<Self>,
        channel: String,
        ear: impl Fn(Bytes) + Send + Sync + 'static,
    ) -> Listening {
        let mut wanted = self.wanted.lock();
        let number = wanted.next;
        wanted.next += 1;
        let ears = wanted.ears.entry(channel.clone()).or_default();
        ears.push((number, Arc::new(ear)));
        drop(wanted);
        self.changed.notify_one();
        Listening {
            channels: self.clone(),
            channel,
            number,
        }
    }

    /// Passes a message from Redis to its listeners.
    pub(crate) fn deliver(&self, push: PushInfo) {
        if push.kind != PushKind::Message {
            return;
        }
        let mut data = push.data.into_iter();
        let (Some(Value::BulkString(channel)), Some(Value::BulkString(message))) =
            (data.next(), data.next())
        else {
            return;
        };
        let channel = String::from_utf8_lossy(&channel);
        let ears = self.wanted.lock().ears.get(&*channel).cloned();
        let message = Bytes::from(message);
        for (_, ear) in ears.into_iter().flatten() {
            ear(message.clone());
        }
    }

    /// Waits until the set of wanted channels changes.
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }

    /// Subscribes to the wanted channels, and unsubscribes from all others.
    pub(crate) async fn subscribe(
        &self,
        connection: &mut MultiplexedConnection,
    ) -> Result<(), RedisError> {
        let (new, old) = self.changes();
        if !new.is_empty() {
            connection.subscribe(&new).await?;
            self.heard.send_modify(|heard| heard.extend(new));
        }
        if !old.is_empty() {
            connection.unsubscribe(&old).await?;
        }
        Ok(())
    }

    /// The channels to subscribe to, and to unsubscribe from. The latter count as unconfirmed at
    /// once, because a listener that returns must wait for its channel.
    fn changes(&self) -> (Vec<String>, Vec<String>) {
        let (wanted, mut old) = (self.wanted.lock(), Vec::new());
        self.heard.send_if_modified(|heard| {
            let left = heard.extract_if(|one| !wanted.ears.contains_key(one));
            old.extend(left);
            !old.is_empty()
        });
        let heard = self.heard.borrow();
        let new = wanted.ears.keys().filter(|one| !heard.contains(*one));
        (new.cloned().collect(), old)
    }

    /// Records that the connection is lost.
    pub(crate) fn forget(&self) {
        self.heard.send_modify(HashSet::clear);
    }
}

impl Listening {
    /// Waits until Redis has confirmed the subscription. Returns whether it did in time.
    pub(crate) async fn confirmed(&self, until: Instant) -> bool {
        let mut heard = self.channels.heard.subscribe();
        let confirmed = heard.wait_for(|heard| heard.contains(&self.channel));
        matches!(timeout_at(until, confirmed).await, Ok(Ok(_)))
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        let (mut wanted, mut gone) = (self.channels.wanted.lock(), None);
        if let Some(ears) = wanted.ears.get_mut(&self.channel) {
            let at = ears.iter().position(|(number, _)| *number == self.number);
            gone = at.map(|at| ears.swap_remove(at));
            if ears.is_empty() {
                wanted.ears.remove(&self.channel);
            }
        }
        drop(wanted);
        // Dropped after unlocking: the callback may own the last clone of a connection, whose drop
        // locks the channels too.
        drop(gone);
        self.channels.changed.notify_one();
    }
}

impl fmt::Debug for Channels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channels").finish_non_exhaustive()
    }
}
