//! Limits how many handlers run at once, in the whole server and for each principal.

use plainly_errors::{ProtocolError, Unavailable};
use plainly_protocol::peer::Principal;

use crate::limits::Limits;
use crate::quota::{Quota, QuotaExhausted, QuotaPart, Share, Shares};

/// The number of running handlers, with its limits.
#[derive(Debug)]
pub(super) struct Load {
    handlers: Quota,
    /// The number of running handlers of each principal.
    shares: Shares<Principal>,
}

/// The place of one handler among all that run, free again when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _handler: QuotaPart,
    _share: Share<Principal>,
}

impl Load {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            handlers: Quota::new(limits.requests),
            shares: Shares::new(limits.requests_per_principal),
        }
    }

    /// A place for a handler that runs for `principal`, if there is room.
    pub(super) fn admit(&self, principal: Option<&Principal>) -> Result<Place, ProtocolError> {
        Ok(Place {
            _share: self.shares.take(principal)?,
            _handler: self.handlers.take(1)?,
        })
    }
}

impl From<QuotaExhausted> for ProtocolError {
    fn from(QuotaExhausted: QuotaExhausted) -> Self {
        Unavailable::Overloaded.into()
    }
}
