//! The requests that run within one stream or one legacy session: their ids, how many they may be, and what ends them
//! before their handlers do: a cancellation, or the end of all. A request leaves it when it is answered or cancelled.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use std::task::{Context, Poll};

use crate::lock::Lock;
use futures_util::FutureExt;
use plainly_errors::{InvalidRequest, ProtocolError, Unavailable};
use plainly_protocol::id::RequestId;
use tokio::sync::oneshot;

/// What runs, and what ends it.
#[derive(Debug)]
pub(super) struct InFlight {
    limit: usize,
    running: Lock<Running>,
}

#[derive(Debug, Default)]
struct Running {
    /// How many there ever were: tells two requests of one id apart, of which the first was cancelled.
    count: u64,
    /// A request is cancelled where its sender is dropped, and has run out of time where it is told so.
    ends: HashMap<RequestId, (u64, oneshot::Sender<()>)>,
}

impl InFlight {
    pub(super) fn new(limit: usize) -> Arc<Self> {
        Arc::new(Self {
            limit,
            running: Lock::default(),
        })
    }

    /// Whether a request of this id may start: an id is free again once its request is answered.
    pub(super) fn check(&self, id: &RequestId) -> Result<(), ProtocolError> {
        if self.running.lock().ends.contains_key(id) {
            return Err(InvalidRequest::DuplicateId.into());
        }
        Ok(())
    }

    /// Whether one more handler may run: what is refused must not have begun.
    pub(super) fn check_room(&self) -> Result<(), ProtocolError> {
        if self.running.lock().ends.len() >= self.limit {
            return Err(Unavailable::Overloaded.into());
        }
        Ok(())
    }

    /// Takes in a request that runs on. One whose id is taken is not taken in: it is the first that can be cancelled.
    pub(super) fn track(self: &Arc<Self>, id: &RequestId) -> Option<Tracked> {
        let mut running = self.running.lock();
        running.count += 1;
        let number = running.count;
        let Entry::Vacant(free) = running.ends.entry(id.clone()) else {
            return None;
        };
        let (end, ended) = oneshot::channel();
        free.insert((number, end));
        Some(Tracked {
            ended,
            _place: Place {
                of: Arc::clone(self),
                id: id.clone(),
                number,
            },
        })
    }

    /// Cancels the request, if it runs.
    pub(super) fn cancel(&self, id: &RequestId) {
        self.running.lock().ends.remove(id);
    }

    /// Ends all that run, each with an answer.
    pub(super) fn end(&self) {
        for (_, (_, end)) in self.running.lock().ends.drain() {
            // It may have finished this very moment.
            end.send(()).ok();
        }
    }
}

/// A request that can be cancelled.
#[derive(Debug)]
pub(super) struct Tracked {
    ended: oneshot::Receiver<()>,
    _place: Place,
}

/// What ends a request before its handler does.
pub(super) enum Ending {
    /// Nobody waits for it any more: it has no reply.
    Cancelled,
    /// Its time is over.
    Stopped,
}

impl Tracked {
    /// Whether it is ended.
    pub(super) fn poll_ending(&mut self, context: &mut Context<'_>) -> Poll<Ending> {
        self.ended.poll_unpin(context).map(|ended| match ended {
            Ok(()) => Ending::Stopped,
            Err(_cancelled) => Ending::Cancelled,
        })
    }
}

/// A place among those that run, free again when dropped.
#[derive(Debug)]
struct Place {
    of: Arc<InFlight>,
    id: RequestId,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut running = self.of.running.lock();
        let is_mine = |(number, _): &(u64, _)| *number == self.number;
        if running.ends.get(&self.id).is_some_and(is_mine) {
            running.ends.remove(&self.id);
        }
    }
}
