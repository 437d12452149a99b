//! What is known of the other side of one request. Made once per request from its evidence; everything after it reads
//! only this.

use std::fmt;
use std::sync::Arc;

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
    /// Whom the transport has found it to be; nobody where nothing asks for a proof, as on a stream of its own.
    pub principal: Option<Principal>,
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
            principal: None,
        }
    }

    /// The same, found to be `principal`.
    #[must_use]
    pub fn principal(mut self, principal: Option<Principal>) -> Self {
        self.principal = principal;
        self
    }
}

/// Whom a transport has found a peer to be: the name of a user, of a client, or of both. It is compared as a whole and
/// never looked into; two are the same if and only if their names are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// The principal of this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
