//! The numbers of messages, by which a replica detects missing events and repeated questions.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use plainly_cluster::ReplicaId;
use tokio::time::Instant;

/// The time for which questions are remembered: the maximum validity of a question's seal, with
/// clocks that differ.
const REMEMBERED: Duration = Duration::from_secs(180);

/// The position of an event among those of its sender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// The event follows the last received one.
    Next,
    /// Events before it were not received.
    AfterHole,
    /// The event was received before, or is older than the last received one.
    Past,
}

/// The number of the last event of each sender.
#[derive(Debug, Default)]
pub(super) struct EventNumbers(HashMap<ReplicaId, u64>);

impl EventNumbers {
    /// The position of the event with this number. For a new sender, all earlier events count as
    /// missing.
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

/// The received questions of the current and the previous period.
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
    /// Whether the question with this number is received for the first time.
    pub(super) fn is_first(&mut self, asker: ReplicaId, number: u64) -> bool {
        if self.began.elapsed() >= REMEMBERED {
            self.before = std::mem::take(&mut self.now);
            self.began = Instant::now();
        }
        !self.before.contains(&(asker, number)) && self.now.insert((asker, number))
    }
}
