//! Requests that wait for their replies, by id. No I/O and no clock: each waiter has its own
//! deadline and removes its entry when it gives up, so that an entry never outlives its request.

use std::collections::HashMap;

use plainly_protocol::id::RequestId;

/// The requests in flight on one connection, each with the waiter for its reply.
#[derive(Debug)]
pub struct PendingRequests<W> {
    /// `None` once the connection has ended, because nothing can wait on it any more.
    waiting: Option<HashMap<RequestId, W>>,
}

impl<W> Default for PendingRequests<W> {
    fn default() -> Self {
        Self {
            waiting: Some(HashMap::new()),
        }
    }
}

impl<W> PendingRequests<W> {
    /// Registers `waiter` for the reply to `id`. Returns false if the connection has ended or the
    /// id is in use.
    pub fn insert(&mut self, id: RequestId, waiter: W) -> bool {
        match &mut self.waiting {
            Some(waiting) if !waiting.contains_key(&id) => waiting.insert(id, waiter).is_none(),
            Some(_) | None => false,
        }
    }

    /// Removes the waiter for the reply to `id`, if there still is one. `1` and `"1"` are different
    /// ids.
    pub fn take(&mut self, id: &RequestId) -> Option<W> {
        self.waiting.as_mut()?.remove(id)
    }

    /// Removes the only waiter; `None` if there are several.
    pub fn take_only(&mut self) -> Option<W> {
        let waiting = self.waiting.as_mut().filter(|waiting| waiting.len() == 1)?;
        waiting.drain().next().map(|(_id, waiter)| waiter)
    }

    /// Returns all remaining waiters, and accepts no new ones.
    pub fn close(&mut self) -> impl Iterator<Item = W> + use<W> {
        self.waiting
            .take()
            .into_iter()
            .flat_map(HashMap::into_values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_finds_its_request_once() {
        let mut pending = PendingRequests::default();
        assert!(pending.insert(1.into(), 'a'));
        assert!(pending.insert("1".into(), 'b'));
        assert_eq!(pending.take(&"1".into()), Some('b'));
        assert_eq!(pending.take(&1.into()), Some('a'));
        assert_eq!(pending.take(&1.into()), None);
    }

    #[test]
    fn an_id_in_flight_is_not_taken_twice() {
        let mut pending = PendingRequests::default();
        assert!(pending.insert(1.into(), 'a'));
        assert!(!pending.insert(1.into(), 'b'));
        assert_eq!(pending.take(&1.into()), Some('a'));
        assert!(pending.insert(1.into(), 'c'));
    }

    #[test]
    fn who_waits_alone_is_found_without_an_id() {
        let mut pending = PendingRequests::default();
        assert_eq!(pending.take_only(), None);
        pending.insert(1.into(), 'a');
        pending.insert(2.into(), 'b');
        assert_eq!(pending.take_only(), None);
        pending.take(&1.into());
        assert_eq!(pending.take_only(), Some('b'));
        assert_eq!(pending.take_only(), None);
    }

    #[test]
    fn closing_gives_back_all_and_takes_nobody_in() {
        let mut pending = PendingRequests::default();
        pending.insert(1.into(), 'a');
        pending.insert(2.into(), 'b');
        let mut left: Vec<_> = pending.close().collect();
        left.sort_unstable();
        assert_eq!(left, ['a', 'b']);
        assert!(!pending.insert(3.into(), 'c'));
        assert_eq!(pending.close().count(), 0);
    }
}
