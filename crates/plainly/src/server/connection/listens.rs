//! Those who listen on one connection: the `subscriptions/listen` requests that stay open, and the legacy session. A message
//! is made when there is room for it, so nothing queues up behind a peer that reads slowly.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::Either;
use futures_util::stream::SelectAll;
use plainly_errors::{InvalidRequest, ProtocolError, Unavailable};
use plainly_protocol::id::RequestId;

use crate::server::changes::Subscription;
use crate::server::listening::Listening;
use crate::transport::Feed;

#[derive(Debug)]
pub(super) struct Listens {
    /// The most requests.
    limit: usize,
    requests: HashMap<RequestId, Arc<Subscription>>,
    feeds: SelectAll<Listening>,
    /// It was their turn just now.
    have_spoken: bool,
}

impl Listens {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            requests: HashMap::new(),
            feeds: SelectAll::new(),
            have_spoken: false,
        }
    }

    /// Whether a request of this id may start.
    pub(super) fn check(&self, id: &RequestId) -> Result<(), ProtocolError> {
        let open = self.requests.get(id);
        if open.is_some_and(|subscription| !subscription.is_over()) {
            return Err(InvalidRequest::DuplicateId.into());
        }
        Ok(())
    }

    /// Takes in a request that stays open.
    pub(super) fn add(&mut self, id: RequestId, listening: Listening) -> Result<(), ProtocolError> {
        // The server may have ended some, and has answered them.
        self.requests
            .retain(|_, subscription| !subscription.is_over());
        if self.requests.len() >= self.limit {
            return Err(Unavailable::Overloaded.into());
        }
        let subscription = Arc::clone(listening.subscription());
        self.requests.insert(id, subscription);
        self.feeds.push(listening);
        Ok(())
    }

    /// Takes in the session.
    pub(super) fn add_session(&mut self, listening: Listening) {
        self.feeds.push(listening);
    }

    /// Ends a request without a word, if it is one of these.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        if let Some(subscription) = self.requests.remove(id) {
            subscription.close();
        }
    }

    /// The next message of any of them, or `other`, whichever is there first; where both are, by turns, so that neither
    /// keeps the other waiting. No message is lost if the future is dropped.
    pub(super) async fn next_or<T>(&mut self, other: impl Future<Output = T>) -> Either<Bytes, T> {
        let next = if std::mem::take(&mut self.have_spoken) {
            tokio::select! {
                biased;
                other = other => Either::Right(other),
                Some(message) = self.feeds.next() => Either::Left(message),
            }
        } else {
            tokio::select! {
                biased;
                Some(message) = self.feeds.next() => Either::Left(message),
                other = other => Either::Right(other),
            }
        };
        self.have_spoken = matches!(next, Either::Left(_));
        next
    }

    /// Ends all of them; what they say last.
    pub(super) async fn end(&mut self) -> Vec<Bytes> {
        let mut last = Vec::new();
        for mut feed in std::mem::take(&mut self.feeds) {
            feed.end();
            // Each has its last words at once, though nothing wakes it.
            while let Some(message) = feed.next().await {
                last.push(message);
            }
        }
        last
    }
}
