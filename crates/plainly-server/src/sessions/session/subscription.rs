//! The subscription of a legacy session. It outlives the streams, one at a time, on which the
//! client gets notifications.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plainly_errors::{ProtocolError, Refusal};

use crate::changes::{Topic, TopicSubscription};
use plainly_transport::lock::Lock;

/// The subscription of a legacy session.
#[derive(Debug)]
pub(crate) struct SessionSubscription {
    /// The resources that the client has subscribed to. While there is a stream, also the lists.
    pub(crate) topics: Arc<TopicSubscription>,
    /// The time when the last stream was closed; `None` while there is one.
    closed_since: Lock<Option<Instant>>,
}

impl SessionSubscription {
    pub(super) fn new(topics: TopicSubscription) -> Arc<Self> {
        Arc::new(Self {
            topics: Arc::new(topics),
            closed_since: Lock::new(Some(Instant::now())),
        })
    }

    /// The time without a stream.
    pub(super) fn idle(&self) -> Duration {
        let closed_since = *self.closed_since.lock();
        closed_since.map_or(Duration::ZERO, |closed| closed.elapsed())
    }

    /// Whether there is a stream.
    pub(crate) fn is_open(&self) -> bool {
        self.closed_since.lock().is_none()
    }

    /// Opens the stream, on which changes of `lists` are reported too.
    pub(crate) fn open(self: &Arc<Self>, lists: Vec<Topic>) -> Result<OpenStream, ProtocolError> {
        let mut closed_since = self.closed_since.lock();
        if closed_since.is_none() {
            return Err(Refusal::StreamTaken.into());
        }
        self.topics.add(lists.clone())?;
        *closed_since = None;
        Ok(OpenStream {
            subscription: Arc::clone(self),
            lists,
        })
    }
}

/// The only stream of a session. Without it, only changes of resources that the client subscribed
/// to are stored for the next stream.
pub(crate) struct OpenStream {
    subscription: Arc<SessionSubscription>,
    lists: Vec<Topic>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        // Locked until the lists are removed, because a stream that is opened meanwhile uses the
        // same ones.
        let mut closed_since = self.subscription.closed_since.lock();
        for list in &self.lists {
            self.subscription.topics.remove(list);
        }
        *closed_since = Some(Instant::now());
    }
}
