//! How many tokens that are not taken came from each address within a second: beyond a few, nothing more of it is looked at, so
//! that nobody guesses, or makes this server ask others, without end.

use std::collections::HashMap;
use std::net::IpAddr;

use crate::lock::Lock;

/// The most failures of an address within a second.
const MOST: u32 = 10;
/// The most addresses that are counted in one second. Beyond that all others count as one.
const MOST_ADDRESSES: usize = 10_000;

/// The failures of this second.
#[derive(Debug, Default)]
pub(super) struct Failures(Lock<Counted>);

#[derive(Debug, Default)]
struct Counted {
    second: u64,
    of: HashMap<Option<IpAddr>, u32>,
}

impl Failures {
    /// Whether enough has failed from there.
    pub(super) fn are_too_many(&self, address: IpAddr, now: u64) -> bool {
        let counted = self.0.lock();
        let own = counted.of.get(&Some(address));
        let count = own.or_else(|| counted.of.get(&None));
        counted.second == now && count.is_some_and(|count| *count >= MOST)
    }

    /// Notes that one more has failed.
    pub(super) fn note(&self, address: IpAddr, now: u64) {
        let mut counted = self.0.lock();
        if counted.second != now {
            counted.second = now;
            counted.of.clear();
        }
        let is_counted =
            counted.of.contains_key(&Some(address)) || counted.of.len() < MOST_ADDRESSES;
        let address = is_counted.then_some(address);
        *counted.of.entry(address).or_default() += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_fail_ten_times_a_second() {
        let failures = Failures::default();
        let [one, other] = [IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2])];
        for _ in 0..MOST {
            assert!(!failures.are_too_many(one, 5));
            failures.note(one, 5);
        }
        assert!(failures.are_too_many(one, 5));
        assert!(!failures.are_too_many(other, 5));
        assert!(!failures.are_too_many(one, 6));
        failures.note(other, 6);
        assert!(!failures.are_too_many(one, 6));
    }

    #[test]
    fn beyond_so_many_addresses_all_others_count_as_one() {
        let failures = Failures::default();
        let address = |index: usize| IpAddr::from((index as u128).to_be_bytes());
        for index in 0..MOST_ADDRESSES {
            failures.note(address(index), 5);
        }
        let others = MOST_ADDRESSES..;
        for other in others.clone().take(MOST as usize) {
            assert!(!failures.are_too_many(address(other), 5));
            failures.note(address(other), 5);
        }
        for other in others.take(MOST as usize + 1) {
            assert!(failures.are_too_many(address(other), 5));
        }
        // Who is counted is not one of them.
        assert!(!failures.are_too_many(address(0), 5));
        assert!(!failures.are_too_many(address(MOST_ADDRESSES), 6));
    }
}
