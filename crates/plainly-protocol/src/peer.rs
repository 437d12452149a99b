//! What is known of the other side of one request. Made once per request from its evidence; everything after it reads
//! only this.

use plainly_errors::Revision;

use crate::types::{ClientCapabilities, Implementation};

/// The other side of one request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Peer {
    /// The revision that it speaks.
    pub revision: Revision,
    /// What it declared that it can do.
    pub capabilities: ClientCapabilities,
    /// Who it says it is: for display and logs only.
    pub implementation: Option<Implementation>,
}

impl Peer {
    /// A peer that speaks `revision` and declared `capabilities`.
    pub fn new(
        revision: Revision,
        capabilities: ClientCapabilities,
        implementation: Option<Implementation>,
    ) -> Self {
        Self {
            revision,
            capabilities,
            implementation,
        }
    }
}
