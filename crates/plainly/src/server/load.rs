//! How many handlers run at once, in the whole server and for each principal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::peer::Principal;

use super::shares::{Share, Shares};
use crate::limits::Limits;

/// How many handlers run.
#[derive(Clone, Debug, Default)]
pub(super) struct Load {
    count: Arc<AtomicUsize>,
    /// How many of them each principal has.
    shares: Shares,
}

/// The place of one handler among all that run, free again when dropped.
#[derive(Debug)]
pub(super) struct Place {
    count: Arc<AtomicUsize>,
    _share: Share,
}

impl Load {
    /// A place for a handler that runs for `principal`, if there is room.
    pub(super) fn admit(
        &self,
        principal: Option<&Principal>,
        limits: &Limits,
    ) -> Result<Place, ProtocolError> {
        let share = self.shares.take(principal, limits.requests_per_principal);
        let share = share.ok_or(Unavailable::Overloaded)?;
        let before = self.count.fetch_add(1, Ordering::Relaxed);
        let place = Place {
            count: Arc::clone(&self.count),
            _share: share,
        };
        if before < limits.requests {
            Ok(place)
        } else {
            Err(Unavailable::Overloaded.into())
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::Relaxed);
    }
}
