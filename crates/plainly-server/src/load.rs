//! Limits the number of handlers that run at the same time, in the whole server and for each
//! caller.

use plainly_errors::ProtocolError;

use crate::limits::Limits;
use plainly_transport::quota::{Holder, Quota, QuotaPart};

/// The number of running handlers, with its limits.
#[derive(Debug)]
pub(super) struct Load(Quota);

/// The slot of one running handler, released when dropped.
#[derive(Debug)]
pub(super) struct Place {
    _part: QuotaPart,
}

impl Load {
    pub(super) fn new(limits: &Limits) -> Self {
        Self(Quota::new(limits.requests))
    }

    pub(super) fn quota(&self) -> &Quota {
        &self.0
    }

    /// A slot for a handler that runs for `caller`, if there is room.
    pub(super) fn admit(&self, caller: Option<Holder>) -> Result<Place, ProtocolError> {
        let _part = self.0.take(caller, 1)?;
        Ok(Place { _part })
    }
}
