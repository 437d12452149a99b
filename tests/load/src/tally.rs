//! The numbers of actions, and their failures.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::report::Held;

/// The number of failures whose messages are stored.
const TOLD: usize = 5;

/// The counts of each action.
#[derive(Debug, Default)]
pub(crate) struct Tally(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    done: BTreeMap<&'static str, usize>,
    failed: usize,
    failures: Vec<String>,
}

impl Tally {
    pub(crate) fn note(&self, what: &'static str, outcome: anyhow::Result<()>) {
        let mut counts = self.lock();
        *counts.done.entry(what).or_default() += 1;
        if let Err(error) = outcome {
            counts.failed += 1;
            if counts.failures.len() < TOLD {
                counts.failures.push(format!("{what}: {error:#}"));
            }
        }
    }

    pub(crate) fn summary(&self) -> String {
        let counts = self.lock();
        let each = counts
            .done
            .iter()
            .map(|(what, count)| format!("{count} {what}"));
        each.collect::<Vec<_>>().join(", ")
    }

    pub(crate) fn judge(&self) -> Vec<Held> {
        let counts = self.lock();
        let mut failed = Held::most("unexpected outcomes", counts.failed, 0);
        if !counts.failures.is_empty() {
            failed.found = format!("{}: {}", counts.failed, counts.failures.join("; "));
        }
        vec![failed]
    }

    /// A poisoned lock is usable, because each change leaves the counts consistent.
    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
