//! How much of something each principal has, so that one leaves room for the others. Who is nobody in particular has no share:
//! what all of those have together is limited in all.

use std::collections::HashMap;
use std::sync::Arc;

use crate::lock::Lock;
use plainly_protocol::peer::Principal;

/// How much of something each principal has; clones count together.
#[derive(Clone, Debug, Default)]
pub(super) struct Shares(Arc<Lock<HashMap<Principal, usize>>>);

/// A part of it, given back when dropped; nobody's where there is no principal.
#[derive(Debug)]
pub(super) struct Share(Option<(Shares, Principal)>);

impl Shares {
    /// One more for `principal`; nothing if it has `most` already.
    pub(super) fn take(&self, principal: Option<&Principal>, most: usize) -> Option<Share> {
        let Some(principal) = principal else {
            return Some(Share(None));
        };
        let mut held = self.0.lock();
        let count = held.get(principal).copied().unwrap_or_default();
        if count >= most {
            return None;
        }
        held.insert(principal.clone(), count + 1);
        Some(Share(Some((self.clone(), principal.clone()))))
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let Some((shares, principal)) = &self.0 else {
            return;
        };
        let mut held = shares.0.lock();
        match held.get_mut(principal) {
            Some(count @ 2..) => *count -= 1,
            Some(_) | None => {
                held.remove(principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_has_its_own_share_and_nobody_in_particular_has_none() {
        let shares = Shares::default();
        let [alice, bob] = ["alice", "bob"].map(Principal::new);
        let mut held: Vec<_> = (0..3)
            .map(|_| shares.take(Some(&alice), 3).unwrap())
            .collect();
        assert!(shares.clone().take(Some(&alice), 3).is_none());
        held.extend(shares.take(Some(&bob), 3));
        held.extend((0..10).map(|_| shares.take(None, 3).unwrap()));
        assert_eq!(held.len(), 14);
        held.remove(0);
        held.extend(shares.take(Some(&alice), 3));
        assert_eq!(held.len(), 14);
        drop(held);
        assert!(shares.0.lock().is_empty());
        assert!(shares.take(Some(&alice), 0).is_none());
    }
}
