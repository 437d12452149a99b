//! Counts the rejected tokens of each address within a second. Beyond a limit, further requests get
//! 429, and no issuer is asked about their tokens. Tokens that this server can verify on its own
//! are still verified, because valid ones may come from the same address.

use std::collections::HashMap;
use std::net::IpAddr;

use plainly_transport::lock::Lock;
use plainly_transport::quota::network;

/// The most failures of an address within a second.
const MOST: u32 = 10;
/// The most addresses that are counted in one second; an IPv6 network of 64 bits counts as one.
/// Beyond that, all other addresses count as one.
const MOST_ADDRESSES: usize = 10_000;

/// The failures of the current second.
#[derive(Debug, Default)]
pub(super) struct Failures(Lock<FailureCount>);

#[derive(Debug, Default)]
struct FailureCount {
    second: u64,
    of: HashMap<Option<IpAddr>, u32>,
}

impl Failures {
    /// Whether there were too many failures from this address.
    pub(super) fn are_too_many(&self, address: IpAddr, now: u64) -> bool {
        let counted = self.0.lock();
        let own = counted.of.get(&Some(network(address)));
        let count = own.or_else(|| counted.of.get(&None));
        counted.second == now && count.is_some_and(|count| *count >= MOST)
    }

    /// Counts a failure. Returns whether there were too many before.
    pub(super) fn note(&self, address: IpAddr, now: u64) -> bool {
        let address = network(address);
        let mut counted = self.0.lock();
        if counted.second != now {
            counted.second = now;
            counted.of.clear();
        }
        let is_counted =
            counted.of.contains_key(&Some(address)) || counted.of.len() < MOST_ADDRESSES;
        let address = is_counted.then_some(address);
        let count = counted.of.entry(address).or_default();
        *count = count.saturating_add(1);
        *count > MOST
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
            assert!(!failures.note(one, 5));
        }
        assert!(failures.are_too_many(one, 5) && failures.note(one, 5));
        assert!(!failures.are_too_many(other, 5));
        assert!(!failures.are_too_many(one, 6));
        failures.note(other, 6);
        assert!(!failures.are_too_many(one, 6));
    }

    #[test]
    fn an_ipv6_network_is_one_address() {
        let failures = Failures::default();
        let address = |last: u128| IpAddr::from((0x2001_0db8 << 96 | last).to_be_bytes());
        for last in 0..u128::from(MOST) {
            assert!(!failures.are_too_many(address(last), 5));
            failures.note(address(last), 5);
        }
        assert!(failures.are_too_many(address(1 << 63), 5));
        assert!(!failures.are_too_many(address(1 << 64), 5));
    }

    #[test]
    fn beyond_so_many_addresses_all_others_count_as_one() {
        let failures = Failures::default();
        let address = |index: usize| IpAddr::from((1 << 127 | (index as u128) << 64).to_be_bytes());
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
        // An address that is counted on its own is none of the others.
        assert!(!failures.are_too_many(address(0), 5));
        assert!(!failures.are_too_many(address(MOST_ADDRESSES), 6));
    }
}
