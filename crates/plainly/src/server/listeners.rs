//! Those who listen, all over the server: how many there may be, and what ends them all.

use std::collections::HashMap;
use std::sync::Arc;

use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::peer::Principal;

use super::Server;
use super::changes::TopicSubscription;
use crate::limits::Limits;
use crate::lock::Lock;
use crate::quota::{Share, Shares};

/// The streams on which clients are told of changes.
#[derive(Debug)]
pub(super) struct Listeners {
    state: Lock<State>,
    /// How many requests each principal has among them.
    shares: Shares<Principal>,
}

#[derive(Debug, Default)]
struct State {
    /// How many there ever were: names each.
    count: u64,
    open: HashMap<u64, Arc<TopicSubscription>>,
    has_ended: bool,
}

/// A place among them, free again when dropped.
pub(super) struct ListenerPlace {
    server: Server,
    number: u64,
    /// Its part in what its principal may have; none for the stream of a session, of which each has one.
    _share: Option<Share<Principal>>,
}

impl Server {
    /// Ends all subscriptions, each with its result, and all sessions over HTTP with SSE, each with what still runs in it;
    /// and takes no more: those that are asked for from now on are answered as unavailable.
    ///
    /// [`HttpServer`](crate::transport::http::HttpServer) and byte streams end their own when they stop. This is for a
    /// server that is mounted elsewhere: call it when that is asked to stop, for it may wait for responses that have no
    /// end.
    pub fn end_subscriptions(&self) {
        let open: Vec<_> = {
            let mut state = self.0.listeners.state.lock();
            state.has_ended = true;
            state.open.values().cloned().collect()
        };
        open.iter().for_each(|subscription| subscription.end());
        self.0.pipes.end();
    }

    /// Takes in a request of `principal`, if there is room.
    pub(super) fn take_place_of_request(
        &self,
        principal: Option<&Principal>,
        subscription: &Arc<TopicSubscription>,
    ) -> Result<ListenerPlace, ProtocolError> {
        let share = self.0.listeners.shares.take(principal)?;
        self.take_place(subscription, Some(share))
    }

    /// Takes in the stream of a session, if there is room.
    pub(super) fn take_place_of_session(
        &self,
        subscription: &Arc<TopicSubscription>,
    ) -> Result<ListenerPlace, ProtocolError> {
        self.take_place(subscription, None)
    }

    fn take_place(
        &self,
        subscription: &Arc<TopicSubscription>,
        share: Option<Share<Principal>>,
    ) -> Result<ListenerPlace, ProtocolError> {
        let mut state = self.0.listeners.state.lock();
        if state.has_ended {
            return Err(Unavailable::ShuttingDown.into());
        }
        if state.open.len() >= self.limits().listens {
            return Err(Unavailable::Overloaded.into());
        }
        state.count += 1;
        let number = state.count;
        state.open.insert(number, Arc::clone(subscription));
        Ok(ListenerPlace {
            server: self.clone(),
            number,
            _share: share,
        })
    }
}

impl Drop for ListenerPlace {
    fn drop(&mut self) {
        let left = self
            .server
            .0
            .listeners
            .state
            .lock()
            .open
            .remove(&self.number);
        // What it holds may be the last of something: not while all wait.
        drop(left);
    }
}

impl Listeners {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            state: Lock::default(),
            shares: Shares::new(limits.listens_per_principal),
        }
    }
}
