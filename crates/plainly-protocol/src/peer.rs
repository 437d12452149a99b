//! The other side of a request, as far as it is known. It is created once per request, and all
//! later code reads only this.

use std::fmt;
use std::sync::Arc;

use plainly_errors::Revision;
use serde_json::Value;

use crate::types::{ClientCapabilities, Implementation};

/// The other side of one request.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Peer {
    /// The revision that the peer speaks.
    pub revision: Revision,
    /// The capabilities that the peer declared.
    pub capabilities: ClientCapabilities,
    /// The name and version that the peer declared, for display and logs only.
    pub implementation: Option<Implementation>,
    /// The user or client that the transport has authenticated; `None` where the transport does not
    /// authenticate, as on a stream.
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
            // The message can't contain it, because only the transport can authenticate a peer.
            principal: None,
        }
    }

    /// The settings of an extension, if the peer declares it. Peers of revisions without extensions
    /// declare it in their experimental capabilities.
    #[must_use]
    pub fn extension(&self, name: &str) -> Option<&Value> {
        let experimental = self.capabilities.experimental.as_ref();
        let experimental = || experimental?.get(name);
        self.capabilities.extension(name).or_else(experimental)
    }

    /// Sets the authenticated principal.
    #[must_use]
    pub fn principal(mut self, principal: Option<Principal>) -> Self {
        self.principal = principal;
        self
    }
}

/// The name of a user or client that a transport has authenticated. Names are compared as a whole
/// and never parsed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Principal(Arc<str>);

impl Principal {
    /// A principal with this name.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self(name.into())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Principal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}
