//! Limits on places or bytes: in total ([`Quota`]), and for each holder by key ([`Shares`]). Everything that is taken
//! is given back when it is dropped.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::lock::Lock;

/// A limit on a shared resource. Clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Quota(Arc<QuotaState>);

#[derive(Debug)]
struct QuotaState {
    limit: usize,
    taken: AtomicUsize,
}

/// An amount taken from a quota, given back when dropped.
#[derive(Debug)]
pub(crate) struct QuotaPart {
    quota: Quota,
    amount: usize,
}

/// The quota has no room for the requested amount.
#[derive(Debug)]
pub(crate) struct QuotaExhausted;

impl Quota {
    pub(crate) fn new(limit: usize) -> Self {
        let taken = AtomicUsize::new(0);
        Self(Arc::new(QuotaState { limit, taken }))
    }

    /// An empty part, to be grown later.
    pub(crate) fn part(&self) -> QuotaPart {
        QuotaPart {
            quota: self.clone(),
            amount: 0,
        }
    }

    /// Takes `amount`, if that much is left.
    pub(crate) fn take(&self, amount: usize) -> Result<QuotaPart, QuotaExhausted> {
        let mut part = self.part();
        part.grow(amount)?;
        Ok(part)
    }

    /// Takes `amount`, if that much is left or nothing is taken yet: otherwise nothing larger than the quota could ever
    /// be taken.
    pub(crate) fn take_or_alone(&self, amount: usize) -> Result<QuotaPart, QuotaExhausted> {
        self.add(amount, |taken, all| taken == 0 || all <= self.0.limit)?;
        let quota = self.clone();
        Ok(QuotaPart { quota, amount })
    }

    pub(crate) fn limit(&self) -> usize {
        self.0.limit
    }

    /// Whether more than the limit is taken.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.taken() > self.0.limit
    }

    pub(crate) fn taken(&self) -> usize {
        self.0.taken.load(Ordering::Relaxed)
    }

    fn add(
        &self,
        amount: usize,
        may_be: impl Fn(usize, usize) -> bool,
    ) -> Result<(), QuotaExhausted> {
        // Not added first and subtracted again if it was too much: in between, others would be refused although they
        // fit.
        let taken = &self.0.taken;
        // Relaxed, since the number guards no other memory.
        let added = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            let all = taken.checked_add(amount)?;
            may_be(taken, all).then_some(all)
        });
        added.map(drop).map_err(|_taken| QuotaExhausted)
    }
}

impl QuotaPart {
    /// The amount taken.
    pub(crate) fn amount(&self) -> usize {
        self.amount
    }

    /// The quota that this was taken from.
    pub(crate) fn quota(&self) -> &Quota {
        &self.quota
    }

    /// Takes `more`, if that much is left.
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), QuotaExhausted> {
        let limit = self.quota.0.limit;
        self.quota.add(more, |_, all| all <= limit)?;
        self.amount += more;
        Ok(())
    }

    /// Takes `more`, even if that exceeds the quota: for callers that make room afterwards.
    pub(crate) fn grow_anyway(&mut self, more: usize) {
        self.quota.0.taken.fetch_add(more, Ordering::Relaxed);
        self.amount += more;
    }

    /// Gives back `less` of it.
    pub(crate) fn shrink(&mut self, less: usize) {
        self.quota.0.taken.fetch_sub(less, Ordering::Relaxed);
        self.amount -= less;
    }
}

impl Drop for QuotaPart {
    fn drop(&mut self) {
        self.shrink(self.amount);
    }
}

/// A limit on how many places each holder may have. Holders are told apart by a key; clones count together.
#[derive(Clone, Debug)]
pub(crate) struct Shares<K: Eq + Hash> {
    limit: usize,
    taken: Arc<Lock<HashMap<K, usize>>>,
}

/// One place of a holder, given back when dropped.
#[derive(Debug)]
pub(crate) struct Share<K: Eq + Hash>(Option<(Shares<K>, K)>);

impl<K: Clone + Eq + Hash> Shares<K> {
    /// Each holder may have `limit` places.
    pub(crate) fn new(limit: usize) -> Self {
        let taken = Arc::default();
        Self { limit, taken }
    }

    /// Takes one more place for `key`. Without a key, nothing is counted: anonymous holders are only limited in total.
    pub(crate) fn take(&self, key: Option<&K>) -> Result<Share<K>, QuotaExhausted> {
        let Some(key) = key else {
            return Ok(Share(None));
        };
        let mut taken = self.taken.lock();
        let count = taken.get(key).copied().unwrap_or_default();
        if count >= self.limit {
            return Err(QuotaExhausted);
        }
        taken.insert(key.clone(), count + 1);
        Ok(Share(Some((self.clone(), key.clone()))))
    }
}

impl<K: Eq + Hash> Drop for Share<K> {
    fn drop(&mut self) {
        let Some((shares, key)) = &self.0 else {
            return;
        };
        let mut taken = shares.taken.lock();
        match taken.get_mut(key) {
            Some(count @ 2..) => *count -= 1,
            // The last one: a holder without places must not take up memory.
            Some(_) | None => {
                taken.remove(key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fill_a_quota_to_the_last_byte_and_give_all_back() {
        let quota = Quota::new(10);
        let mut first = quota.take(6).unwrap();
        let mut second = quota.take(4).unwrap();
        assert!(first.grow(1).is_err() && second.grow(1).is_err());
        assert!(quota.take(1).is_err() && quota.take_or_alone(1).is_err());
        first.grow(0).unwrap();
        first.shrink(1);
        second.grow(1).unwrap();
        assert_eq!((first.amount(), second.amount()), (5, 5));
        drop(first);
        assert_eq!(quota.taken(), 5);
        assert!(second.grow(usize::MAX).is_err());
        drop(second);
        assert_eq!(quota.taken(), 0);
    }

    #[test]
    fn one_who_is_alone_may_have_more_than_there_is() {
        let quota = Quota::new(10);
        assert!(quota.take(11).is_err());
        let alone = quota.take_or_alone(11).unwrap();
        assert!(quota.is_exceeded());
        assert!(quota.take_or_alone(0).is_err());
        drop(alone);
        let mut anyway = quota.take(10).unwrap();
        assert!(!quota.is_exceeded());
        anyway.grow_anyway(1);
        assert!(quota.is_exceeded());
        drop(anyway);
        assert_eq!(quota.taken(), 0);
    }

    #[test]
    fn each_has_its_own_share_and_nobody_in_particular_has_none() {
        let shares = Shares::new(3);
        let mut held: Vec<_> = (0..3)
            .map(|_| shares.take(Some(&"alice")).unwrap())
            .collect();
        assert!(shares.clone().take(Some(&"alice")).is_err());
        held.extend(shares.take(Some(&"bob")));
        held.extend((0..10).map(|_| shares.take(None).unwrap()));
        assert_eq!(held.len(), 14);
        held.remove(0);
        held.extend(shares.take(Some(&"alice")));
        assert_eq!(held.len(), 14);
        drop(held);
        assert!(shares.taken.lock().is_empty());
        assert!(Shares::new(0).take(Some(&"alice")).is_err());
    }
}
