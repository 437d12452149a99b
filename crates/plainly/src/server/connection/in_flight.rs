//! The requests that run on one connection: their ids, how many they may be, and what cancels them.

use std::collections::HashMap;

use futures_util::future::AbortHandle;
use plainly_errors::{InvalidRequest, ProtocolError, Unavailable};
use plainly_protocol::id::RequestId;

use crate::server::batch;

/// What can be cancelled. A request leaves it when it is answered or cancelled.
#[derive(Debug)]
pub(super) struct InFlight {
    limit: usize,
    handles: HashMap<RequestId, AbortHandle>,
}

impl InFlight {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            handles: HashMap::new(),
        }
    }

    /// Forgets a request that is answered.
    pub(super) fn remove(&mut self, id: &RequestId) {
        self.handles.remove(id);
    }
}

impl batch::InFlight for InFlight {
    type Tracked = ();

    /// An id is free again once its request is answered.
    fn check(&self, id: &RequestId) -> Result<(), ProtocolError> {
        if self.handles.contains_key(id) {
            return Err(InvalidRequest::DuplicateId.into());
        }
        Ok(())
    }

    fn check_room(&self) -> Result<(), ProtocolError> {
        if self.handles.len() >= self.limit {
            return Err(Unavailable::Overloaded.into());
        }
        Ok(())
    }

    fn track(&mut self, id: &RequestId, abort: AbortHandle) {
        self.handles.insert(id.clone(), abort);
    }

    fn cancel(&mut self, id: &RequestId) {
        if let Some(abort) = self.handles.remove(id) {
            abort.abort();
        }
    }
}
