//! Who asks.

use std::sync::Arc;

use plainly_protocol::peer::Peer;
use plainly_protocol::types::{ClientCapabilities, Implementation};

use super::{Call, Channel, Extract};
use crate::server::failure::Failure;

/// What a handler can know of the client. It says nothing of the client's revision: a handler is written once for all.
#[derive(Clone, Debug)]
pub struct Context {
    peer: Arc<Peer>,
}

impl Context {
    /// Who the client says it is: for display and logs, never for decisions.
    pub fn client(&self) -> Option<&Implementation> {
        self.peer.implementation.as_ref()
    }

    /// What the client declared that it can do.
    pub fn capabilities(&self) -> &ClientCapabilities {
        &self.peer.capabilities
    }
}

impl<C: Channel> Extract<C> for Context
where
    for<'a> C::Call<'a>: Call,
{
    fn extract(call: &C::Call<'_>) -> Result<Self, Failure> {
        Ok(Self {
            peer: Arc::clone(call.peer()),
        })
    }
}
