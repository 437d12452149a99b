//! Quotas for slots or bytes. Each holder gets at most a share, so that no holder starves the
//! others. A part is returned when it is dropped.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::peer::Principal;

use crate::lock::Lock;

/// The divisor for one holder's share of a quota: each may have an eighth.
const PARTS: usize = 8;

/// The caller that a share belongs to: a principal, or otherwise the network that its requests come
/// from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a caller has a name or an address")]
pub enum Holder {
    /// An authenticated caller.
    Principal(Principal),
    /// The network of an anonymous caller.
    Network(IpAddr),
}

impl Holder {
    /// The holder for a caller. `None` if neither is known, as on standard input, where one caller
    /// may use everything.
    pub fn of(principal: Option<&Principal>, client: Option<IpAddr>) -> Option<Self> {
        let network = || client.map(|client| Self::Network(network(client)));
        principal.cloned().map(Self::Principal).or_else(network)
    }
}

/// The addresses that certainly belong to one peer: an IPv4 address, or a /64 network of IPv6.
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (!0 << 64)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

/// The share of each holder in `limit`.
pub fn share_of(limit: usize) -> usize {
    (limit / PARTS).max(1)
}

/// A limit on a shared resource. Clones share the count.
#[derive(Clone, Debug)]
pub struct Quota(Arc<QuotaState>);

#[derive(Debug)]
struct QuotaState {
    limit: usize,
    share: usize,
    taken: AtomicUsize,
    /// The amount that each holder has taken, without entries of zero. A tree, because hashing an
    /// address takes longer than comparing the few entries.
    holders: Lock<BTreeMap<Holder, usize>>,
}

/// An amount taken from a quota, and returned when dropped.
#[derive(Debug)]
pub struct QuotaPart {
    quota: Quota,
    holder: Option<Holder>,
    amount: usize,
}

/// The quota has no room for the requested amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a quota has these two bounds")]
pub enum QuotaExhausted {
    /// The holder has used its share.
    Share,
    /// The whole quota is used.
    All,
}

impl From<QuotaExhausted> for ProtocolError {
    fn from(_exhausted: QuotaExhausted) -> Self {
        Unavailable::Overloaded.into()
    }
}

impl Quota {
    /// A quota with a share of an eighth for each holder.
    pub fn new(limit: usize) -> Self {
        Self::with_share(limit, share_of(limit))
    }

    /// A quota with the share `share` for each holder.
    pub fn with_share(limit: usize, share: usize) -> Self {
        Self(Arc::new(QuotaState {
            limit,
            share,
            taken: AtomicUsize::new(0),
            holders: Lock::default(),
        }))
    }

    /// An empty part, which can grow later.
    pub fn part(&self, holder: Option<Holder>) -> QuotaPart {
        QuotaPart {
            quota: self.clone(),
            holder,
            amount: 0,
        }
    }

    /// Takes `amount`, if it is available.
    pub fn take(&self, holder: Option<Holder>, amount: usize) -> Result<QuotaPart, QuotaExhausted> {
        let mut part = self.part(holder);
        part.grow(amount)?;
        Ok(part)
    }

    /// The limit of the quota.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// The amount that is taken.
    pub fn taken(&self) -> usize {
        self.0.taken.load(Ordering::Relaxed)
    }

    fn add(
        &self,
        amount: usize,
        may_be: impl Fn(usize, usize) -> bool,
    ) -> Result<(), QuotaExhausted> {
        // Not added first and subtracted if it was too much, because in between other requests that
        // fit would be rejected.
        let taken = &self.0.taken;
        // Relaxed, because the number guards no other memory.
        let added = taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |taken| {
            let all = taken.checked_add(amount)?;
            may_be(taken, all).then_some(all)
        });
        added.map(drop).map_err(|_taken| QuotaExhausted::All)
    }
}

impl QuotaPart {
    /// The amount taken.
    pub fn amount(&self) -> usize {
        self.amount
    }

    /// The holder of this part.
    pub fn holder(&self) -> Option<&Holder> {
        self.holder.as_ref()
    }

    /// Whether more is taken than allowed, in total or by the holder of this part.
    pub fn is_exceeded(&self) -> bool {
        let QuotaState {
            limit,
            share,
            taken,
            holders,
        } = &*self.quota.0;
        let own = self.holder.as_ref();
        let own = own.map_or(0, |it| holders.lock().get(it).copied().unwrap_or_default());
        taken.load(Ordering::Relaxed) > *limit || own > *share && own > self.amount
    }

    /// Takes `more`, if it is available.
    pub fn grow(&mut self, more: usize) -> Result<(), QuotaExhausted> {
        if more == 0 {
            return Ok(());
        }
        let limit = self.quota.0.limit;
        self.add(more, |_, all| all <= limit)
    }

    /// Grows or shrinks the part to `amount`, if that is available or nothing else is taken.
    /// Otherwise an amount larger than the quota could never be taken.
    pub fn resize_or_alone(&mut self, amount: usize) -> Result<(), QuotaExhausted> {
        let (limit, own) = (self.quota.0.limit, self.amount);
        match amount.checked_sub(own) {
            Some(more) => self.add(more, |taken, all| taken == own || all <= limit),
            None => {
                self.shrink(own - amount);
                Ok(())
            }
        }
    }

    /// Takes `more`, even if that exceeds the quota, for callers that make room afterwards.
    pub fn grow_anyway(&mut self, more: usize) {
        self.quota.0.taken.fetch_add(more, Ordering::Relaxed);
        if let Some(holder) = self.holder.as_ref().filter(|_| more > 0) {
            let mut holders = self.quota.0.holders.lock();
            *holders.entry(holder.clone()).or_default() += more;
        }
        self.amount += more;
    }

    /// Returns `less` of the amount.
    pub fn shrink(&mut self, less: usize) {
        if less == 0 {
            return;
        }
        self.quota.0.taken.fetch_sub(less, Ordering::Relaxed);
        self.amount -= less;
        let Some(holder) = &self.holder else { return };
        let mut holders = self.quota.0.holders.lock();
        if let Entry::Occupied(mut own) = holders.entry(holder.clone()) {
            match own.get().saturating_sub(less) {
                // A holder without any amount must not use memory.
                0 => _ = own.remove(),
                left => *own.get_mut() = left,
            }
        }
    }

    fn add(
        &mut self,
        more: usize,
        may_be: impl Fn(usize, usize) -> bool,
    ) -> Result<(), QuotaExhausted> {
        let Some(holder) = &self.holder else {
            self.quota.add(more, may_be)?;
            self.amount += more;
            return Ok(());
        };
        let mut holders = self.quota.0.holders.lock();
        let entry = holders.entry(holder.clone());
        let before = match &entry {
            Entry::Occupied(own) => *own.get(),
            Entry::Vacant(_) => 0,
        };
        let own = before.saturating_add(more);
        // A holder's only part may be larger than a share; otherwise a larger amount could never be
        // taken.
        if own > self.quota.0.share && before > self.amount {
            return Err(QuotaExhausted::Share);
        }
        self.quota.add(more, may_be)?;
        if own > 0 {
            entry.insert_entry(own);
        }
        drop(holders);
        self.amount += more;
        Ok(())
    }
}

impl Drop for QuotaPart {
    fn drop(&mut self) {
        self.shrink(self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(name: &str) -> Option<Holder> {
        Some(Holder::Principal(Principal::new(name)))
    }

    #[test]
    fn parts_fill_a_quota_to_the_last_byte_and_give_all_back() {
        let quota = Quota::new(10);
        let mut first = quota.take(None, 6).unwrap();
        let mut second = quota.take(None, 4).unwrap();
        assert!(first.grow(1).is_err() && second.grow(1).is_err());
        assert!(quota.take(None, 1).is_err() && quota.part(None).resize_or_alone(1).is_err());
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
    fn a_part_that_is_alone_may_have_more_than_there_is() {
        let quota = Quota::new(10);
        assert!(quota.take(None, 11).is_err());
        let mut alone = quota.part(None);
        alone.resize_or_alone(11).unwrap();
        alone.resize_or_alone(13).unwrap();
        alone.resize_or_alone(12).unwrap();
        assert!(alone.is_exceeded());
        assert!(quota.part(None).resize_or_alone(0).is_err());
        drop(alone);
        let mut anyway = quota.take(None, 10).unwrap();
        assert!(!anyway.is_exceeded());
        anyway.grow_anyway(1);
        assert!(anyway.is_exceeded());
        drop(anyway);
        assert_eq!(quota.taken(), 0);
    }

    #[test]
    fn each_holder_has_an_eighth_and_a_caller_that_is_unknown_has_all() {
        let quota = Quota::new(24);
        let [alice, bob] = [caller("alice"), caller("bob")];
        let mut held: Vec<_> = (0..3)
            .map(|_| quota.take(alice.clone(), 1).unwrap())
            .collect();
        let full = quota.take(alice.clone(), 1).map(drop);
        assert_eq!(full, Err(QuotaExhausted::Share));
        assert_eq!(held[0].grow(1), Err(QuotaExhausted::Share));
        held.extend(quota.take(bob.clone(), 3));
        held.pop();
        // A single part may exceed the share, and then its holder can't have another.
        let mut large = quota.take(bob.clone(), 4).unwrap();
        large.grow(1).unwrap();
        assert!(quota.take(bob, 1).is_err());
        held.extend(quota.take(None, 16));
        assert_eq!(quota.take(None, 1).map(drop), Err(QuotaExhausted::All));
        held.remove(0);
        held.extend(quota.take(alice, 1));
        quota.part(caller("carol")).grow_anyway(0);
        assert_eq!(quota.taken(), 24);
        drop((held, large));
        assert!(quota.0.holders.lock().is_empty());
        assert!(Quota::new(0).take(caller("alice"), 1).is_err());
    }

    #[test]
    fn an_ipv6_network_is_one_peer() {
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
    }
}
