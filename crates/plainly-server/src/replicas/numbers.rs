//! The numbers of messages: which events are missing, and which questions came before.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use plainly_cluster::ReplicaId;
use tokio::time::Instant;

/// The time for which questions are remembered: as long as any seal of one is good, on clocks that
/// differ.
const REMEMBERED: Duration = Duration::from_secs(180);

/// The place of an event among those of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// It follows the last one that was heard.
    Next,
    /// Others before it were not heard.
    AfterHole,
    /// It was heard before, or comes after one that was sent later.
    Past,
}

/// The number of the last event of each sender.
#[derive(Debug, Default)]
pub(super) struct EventNumbers(HashMap<ReplicaId, u64>);

impl EventNumbers {
    /// The place of the event with this number. Of a sender that is new here, all events before it
    /// are missing.
    pub(super) fn order(&mut self, sender: ReplicaId, number: u64) -> Order {
        let last = self.0.entry(sender).or_default();
        if number <= *last {
            return Order::Past;
        }
        let follows = number == *last + 1;
        *last = number;
        match follows {
            true => Order::Next,
            false => Order::AfterHole,
        }
    }
}

/// The questions that were heard, of two periods.
#[derive(Debug)]
pub(super) struct AskedOnce {
    now: HashSet<(ReplicaId, u64)>,
    before: HashSet<(ReplicaId, u64)>,
    began: Instant,
}

impl Default for AskedOnce {
    fn default() -> Self {
        Self {
            now: HashSet::new(),
            before: HashSet::new(),
            began: Instant::now(),
        }
    }
}

impl AskedOnce {
    /// Whether the question with this number is heard for the first time.
    pub(super) fn is_first(&mut self, asker: ReplicaId, number: u64) -> bool {
        if self.began.elapsed() >= REMEMBERED {
            self.before = std::mem::take(&mut self.now);
            self.began = Instant::now();
        }
        !self.before.contains(&(asker, number)) && self.now.insert((asker, number))
    }
}
