//! What a legacy session is told: what its client has subscribed to, over all requests of the session, and the one stream
//! on which it hears of that.

use std::sync::Arc;
use std::time::{Duration, Instant};

use plainly_errors::{ProtocolError, Refusal};

use super::changes::{Changes, Topic, TopicSubscription};
use crate::lock::Lock;

/// What a legacy session is told.
#[derive(Debug)]
pub(super) struct News {
    /// The resources that the client has subscribed to; while there is a stream, the lists too.
    pub(super) subscription: Arc<TopicSubscription>,
    stream: Lock<SessionStream>,
}

#[derive(Debug)]
enum SessionStream {
    Open,
    ClosedSince(Instant),
}

impl News {
    pub(super) fn new(changes: &Changes) -> Arc<Self> {
        Arc::new(Self {
            subscription: Arc::new(changes.subscribe()),
            stream: Lock::new(SessionStream::ClosedSince(Instant::now())),
        })
    }

    /// For how long there has been no stream.
    pub(super) fn idle(&self) -> Duration {
        match *self.stream.lock() {
            SessionStream::Open => Duration::ZERO,
            SessionStream::ClosedSince(end) => end.elapsed(),
        }
    }

    /// Ends the stream, as the session has ended.
    pub(super) fn close(&self) {
        self.subscription.close();
    }

    /// Opens the stream, on which changes of `lists` are told too.
    pub(super) fn open(self: &Arc<Self>, lists: Vec<Topic>) -> Result<OpenStream, ProtocolError> {
        let mut stream = self.stream.lock();
        if matches!(*stream, SessionStream::Open) {
            return Err(Refusal::StreamTaken.into());
        }
        *stream = SessionStream::Open;
        self.subscription.add(lists.clone());
        Ok(OpenStream {
            news: Arc::clone(self),
            lists,
        })
    }
}

/// The one stream of a session. Without it only what the client has subscribed to by name is kept for the next.
pub(super) struct OpenStream {
    news: Arc<News>,
    lists: Vec<Topic>,
}

impl Drop for OpenStream {
    fn drop(&mut self) {
        let mut stream = self.news.stream.lock();
        for list in &self.lists {
            self.news.subscription.remove(list);
        }
        *stream = SessionStream::ClosedSince(Instant::now());
    }
}
