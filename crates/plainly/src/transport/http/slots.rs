//! Limits on the number of connections, in total and per peer.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::HttpLimits;
use crate::quota::{Share, Shares};

/// The places for the connections of one listener.
#[derive(Debug)]
pub(super) struct Slots {
    free: Arc<Semaphore>,
    peers: Shares<IpAddr>,
}

/// A place for any connection.
pub(super) struct ConnectionSlot {
    _permit: OwnedSemaphorePermit,
}

/// A place for a connection of a known peer, free again when dropped.
pub(super) struct PeerSlot {
    _slot: ConnectionSlot,
    _share: Share<IpAddr>,
}

impl Slots {
    pub(super) fn new(limits: &HttpLimits) -> Self {
        Self {
            free: Arc::new(Semaphore::new(limits.connections)),
            peers: Shares::new(limits.connections_per_peer),
        }
    }

    /// Waits until there is a place.
    pub(super) async fn free(&self) -> ConnectionSlot {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        ConnectionSlot {
            _permit: permit.expect("this semaphore is never closed"),
        }
    }

    /// `None` if the peer has as many connections as one may have. Proxies have no address that counts.
    pub(super) fn take(&self, slot: ConnectionSlot, address: Option<IpAddr>) -> Option<PeerSlot> {
        let share = self.peers.take(address.map(network).as_ref()).ok()?;
        Some(PeerSlot {
            _slot: slot,
            _share: share,
        })
    }
}

/// The addresses that one peer is sure to have to itself: an IPv4 address, or a /64 network of IPv6.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() & (!0 << 64)).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_peer_gets_its_share_and_leaves_the_rest_to_others() {
        let limits = HttpLimits {
            connections: 3,
            connections_per_peer: 1,
            ..HttpLimits::default()
        };
        let slots = Slots::new(&limits);
        let first = slots.take(slots.free().await, Some([10, 0, 0, 1].into()));
        assert!(first.is_some());
        assert!(
            slots
                .take(slots.free().await, "::ffff:10.0.0.1".parse().ok())
                .is_none()
        );
        let other = slots.take(slots.free().await, Some([10, 0, 0, 2].into()));
        assert!(other.is_some());
        drop(first);
        assert!(
            slots
                .take(slots.free().await, Some([10, 0, 0, 1].into()))
                .is_some()
        );
    }

    #[test]
    fn an_ipv6_network_is_one_peer() {
        let network = |text: &str| network(text.parse().unwrap());
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
    }
}
