//! Limits on the number of connections, in total and per peer.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::HttpLimits;
use plainly_transport::quota::{Holder, Quota, QuotaPart};

/// The slots for the connections of one listener.
#[derive(Debug)]
pub(super) struct Slots {
    free: Arc<Semaphore>,
    peers: Quota,
}

/// A slot for any connection.
pub(super) struct ConnectionSlot {
    _permit: OwnedSemaphorePermit,
}

/// A slot for a connection of a known peer, released when dropped.
pub(super) struct PeerSlot {
    _slot: ConnectionSlot,
    _share: QuotaPart,
}

impl Slots {
    pub(super) fn new(limits: &HttpLimits) -> Self {
        Self {
            free: Arc::new(Semaphore::new(limits.connections)),
            peers: Quota::with_share(usize::MAX, limits.connections_per_peer),
        }
    }

    /// Waits until a slot is free.
    pub(super) async fn free(&self) -> ConnectionSlot {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        ConnectionSlot {
            _permit: permit.expect("this semaphore is never closed"),
        }
    }

    /// Takes a slot; `None` if the peer has the maximum number of connections. For proxies
    /// `address` is `None`, so they are limited only in total.
    pub(super) fn take(&self, slot: ConnectionSlot, address: Option<IpAddr>) -> Option<PeerSlot> {
        let share = self.peers.take(Holder::of(None, address), 1).ok()?;
        Some(PeerSlot {
            _slot: slot,
            _share: share,
        })
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
}
