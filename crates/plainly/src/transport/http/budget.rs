//! How many bytes of bodies the whole service holds at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The bytes that are held; all clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Budget(Arc<AtomicUsize>);

/// A request's part of them, free again when dropped.
#[derive(Debug)]
pub(super) struct BudgetShare<'a> {
    budget: &'a Budget,
    /// The most that all hold together.
    limit: usize,
    bytes: usize,
}

/// There is no room for more.
#[derive(Debug)]
pub(super) struct BudgetExhausted;

impl Budget {
    /// A share with nothing in it yet, of at most `limit` bytes in all shares.
    pub(super) fn share(&self, limit: usize) -> BudgetShare<'_> {
        BudgetShare {
            budget: self,
            limit,
            bytes: 0,
        }
    }
}

impl BudgetShare<'_> {
    /// Makes it large enough for a body of `bytes`.
    pub(super) fn grow_to(&mut self, bytes: usize) -> Result<(), BudgetExhausted> {
        let Some(more) = bytes.checked_sub(self.bytes).filter(|&more| more > 0) else {
            return Ok(());
        };
        // What does not fit counts for a moment. Then there is hardly room for others either, and it costs no loop.
        let held = self.budget.0.fetch_add(more, Ordering::Relaxed);
        if held.saturating_add(more) > self.limit {
            self.budget.0.fetch_sub(more, Ordering::Relaxed);
            return Err(BudgetExhausted);
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for BudgetShare<'_> {
    fn drop(&mut self) {
        if self.bytes > 0 {
            self.budget.0.fetch_sub(self.bytes, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(budget: &Budget) -> usize {
        budget.0.load(Ordering::Relaxed)
    }

    #[test]
    fn shares_fill_the_limit_to_the_last_byte_and_give_all_back() {
        let budget = Budget::default();
        let clone = budget.clone();
        let mut first = budget.share(10);
        let mut second = clone.share(10);
        first.grow_to(6).unwrap();
        second.grow_to(4).unwrap();
        assert!(first.grow_to(7).is_err() && second.grow_to(5).is_err());
        assert_eq!(held(&budget), 10);
        // As much as it has is no growth.
        first.grow_to(6).unwrap();
        first.grow_to(1).unwrap();
        drop(first);
        assert_eq!(held(&budget), 4);
        second.grow_to(10).unwrap();
        drop(second);
        assert_eq!(held(&budget), 0);
    }
}
