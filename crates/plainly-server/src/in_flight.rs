//! The unanswered requests of one connection or legacy session: their ids, their maximum number,
//! and how a request ends before its handler does, by cancellation or by the end of the session. A
//! request is removed when it is answered or cancelled.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use plainly_errors::{InvalidRequest, ProtocolError, Unavailable};
use plainly_protocol::id::RequestId;

use crate::limits::Limits;
use plainly_transport::lock::Lock;

/// The requests in flight of one connection or session.
#[derive(Debug)]
pub(super) struct InFlight {
    calls: usize,
    subscriptions: usize,
    table: Lock<RequestTable>,
}

#[derive(Debug, Default)]
struct RequestTable {
    /// The number of requests so far. It distinguishes two requests with the same id, the first of
    /// which was cancelled.
    count: u64,
    /// Ordered, because there are few requests and hashing an id takes longer than finding it.
    open: BTreeMap<RequestId, Open>,
    subscriptions: usize,
}

#[derive(Debug)]
struct Open {
    number: u64,
    kind: SlotKind,
    is_stopped: bool,
    /// Wakes the task that runs the request when the request is ended.
    runner: Option<Waker>,
}

/// The intended duration of a request. Calls and subscriptions are counted separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SlotKind {
    /// The request ends by itself.
    Call,
    /// The request asks whether the server is alive, which a busy one must answer too.
    Ping,
    /// The request stays open until it is ended.
    Subscription,
}

/// The reason for ending a request before its handler does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// The client no longer waits, so there is no response.
    Cancelled,
    /// The request's time is over, so the response has the results so far.
    Stopped,
}

impl InFlight {
    pub(super) fn new(limits: &Limits) -> Arc<Self> {
        Arc::new(Self {
            calls: limits.requests_per_connection,
            subscriptions: limits.subscriptions.per_connection,
            table: Lock::default(),
        })
    }

    /// Admits the request `id`, if that id is free and there is room. A rejected request has not
    /// begun.
    pub(super) fn admit(
        self: &Arc<Self>,
        id: RequestId,
        kind: SlotKind,
    ) -> Result<Slot, ProtocolError> {
        let mut table = self.table.lock();
        let is_full = match kind {
            SlotKind::Call => table.open.len() - table.subscriptions >= self.calls,
            SlotKind::Ping => false,
            SlotKind::Subscription => table.subscriptions >= self.subscriptions,
        };
        table.count += 1;
        let number = table.count;
        let Entry::Vacant(free) = table.open.entry(id.clone()) else {
            return Err(InvalidRequest::DuplicateId.into());
        };
        if is_full {
            return Err(Unavailable::Overloaded.into());
        }
        free.insert(Open {
            number,
            kind,
            is_stopped: false,
            runner: None,
        });
        table.subscriptions += usize::from(kind == SlotKind::Subscription);
        drop(table);
        Ok(Slot {
            of: Arc::clone(self),
            id,
            number,
        })
    }

    /// Whether a request with this id is in flight.
    pub(super) fn has(&self, id: &RequestId) -> bool {
        self.table.lock().open.contains_key(id)
    }

    /// Ends the request `id` without a response, if there is one.
    pub(super) fn cancel(&self, id: &RequestId) {
        let ended = self.table.lock().remove(id);
        ended.into_iter().for_each(Waker::wake);
    }

    /// Ends all subscriptions, each with its response.
    pub(super) fn stop_subscriptions(&self) {
        self.stop(|open| open.kind == SlotKind::Subscription);
    }

    /// Ends all requests, each with a response.
    pub(super) fn stop_all(&self) {
        self.stop(|_| true);
    }

    fn stop(&self, is_meant: impl Fn(&Open) -> bool) {
        let mut table = self.table.lock();
        for open in table.open.values_mut().filter(|open| is_meant(open)) {
            open.is_stopped = true;
            open.runner.take().into_iter().for_each(Waker::wake);
        }
    }
}

impl RequestTable {
    /// Removes a request, and returns its waker.
    fn remove(&mut self, id: &RequestId) -> Option<Waker> {
        let open = self.open.remove(id)?;
        self.subscriptions -= usize::from(open.kind == SlotKind::Subscription);
        open.runner
    }
}

/// The slot of one request among those in flight, released when dropped.
#[derive(Debug)]
pub(super) struct Slot {
    of: Arc<InFlight>,
    id: RequestId,
    number: u64,
}

impl Slot {
    /// Ready when the request is ended from outside.
    pub(super) fn poll_end(&self, context: &Context<'_>) -> Poll<End> {
        let mut table = self.of.table.lock();
        let own = table.open.get_mut(&self.id);
        match own.filter(|open| open.number == self.number) {
            None => Poll::Ready(End::Cancelled),
            Some(open) if open.is_stopped => Poll::Ready(End::Stopped),
            Some(open) => {
                match &mut open.runner {
                    Some(runner) => runner.clone_from(context.waker()),
                    runner => *runner = Some(context.waker().clone()),
                }
                Poll::Pending
            }
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut table = self.of.table.lock();
        let own = table.open.get(&self.id);
        if own.is_some_and(|open| open.number == self.number) {
            table.remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_flight(calls: usize, subscriptions: usize) -> Arc<InFlight> {
        let mut limits = Limits {
            requests_per_connection: calls,
            ..Limits::default()
        };
        limits.subscriptions.per_connection = subscriptions;
        InFlight::new(&limits)
    }

    fn id(number: i64) -> RequestId {
        RequestId::from(number)
    }

    fn end(slot: &Slot) -> Poll<End> {
        slot.poll_end(&Context::from_waker(Waker::noop()))
    }

    #[test]
    fn an_id_is_taken_until_its_request_is_answered_or_cancelled() {
        let all = in_flight(10, 10);
        let first = all.admit(id(1), SlotKind::Call).unwrap();
        assert!(all.admit(id(1), SlotKind::Call).is_err());
        assert!(all.admit(id(1), SlotKind::Subscription).is_err());
        all.cancel(&id(1));
        let second = all.admit(id(1), SlotKind::Call).unwrap();
        assert_eq!(end(&first), Poll::Ready(End::Cancelled));
        drop(first);
        assert_eq!(end(&second), Poll::Pending, "the second is another one");
        drop(second);
        assert!(all.admit(id(1), SlotKind::Call).is_ok());
    }

    #[test]
    fn calls_and_subscriptions_are_counted_apart() {
        let all = in_flight(2, 1);
        let mut held: Vec<_> = (0..2)
            .map(|number| all.admit(id(number), SlotKind::Call).unwrap())
            .collect();
        assert!(all.admit(id(2), SlotKind::Call).is_err());
        held.push(all.admit(id(3), SlotKind::Subscription).unwrap());
        assert!(all.admit(id(4), SlotKind::Subscription).is_err());
        all.stop_subscriptions();
        let ends: Vec<_> = held.iter().map(end).collect();
        assert_eq!(
            ends,
            [Poll::Pending, Poll::Pending, Poll::Ready(End::Stopped)]
        );
        all.stop_all();
        assert!(
            held.iter()
                .all(|slot| end(slot) == Poll::Ready(End::Stopped))
        );
        held.clear();
        assert_eq!(all.table.lock().subscriptions, 0);
        assert!(all.admit(id(2), SlotKind::Call).is_ok());
    }
}
