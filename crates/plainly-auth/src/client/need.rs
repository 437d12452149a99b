//! The requirements of a rejection, and the flow that meets them.

use http::StatusCode;
use plainly_client::{Challenge, Refusal};
use plainly_oauth::scope;

/// The error code for a proof without the required nonce (RFC 9449).
const NONCE: &str = "use_dpop_nonce";
/// The error code for a valid token without the required scope (RFC 6750).
const SCOPE: &str = "insufficient_scope";

/// The purpose of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The token in use expires soon.
    Renewal,
    /// There is no token, or the server rejected it.
    Token,
    /// The token is valid but lacks a scope.
    StepUp,
    /// The user wants to log in, even if a usable token is stored.
    Login,
}

/// The reason why a flow starts, with the requirements of the server's rejection.
#[derive(Clone, Debug)]
pub(super) struct Need {
    pub(super) purpose: Purpose,
    /// The generation of the token that does not suffice; 0 if there is no token.
    pub(super) generation: u64,
    /// The URL of the server's metadata.
    pub(super) metadata: Option<String>,
    /// The scopes that the request needs; empty if the server does not name them.
    pub(super) scope: Vec<String>,
    /// Whether the server requires a token that is bound to a key.
    pub(super) dpop: bool,
}

impl Need {
    pub(super) fn new(purpose: Purpose, generation: u64) -> Self {
        Self {
            purpose,
            generation,
            metadata: None,
            scope: Vec::new(),
            dpop: false,
        }
    }
}

/// The remedy for a rejection.
#[derive(Debug)]
pub(super) enum Remedy {
    /// Send the same token again, with the server's nonce.
    Nonce,
    /// Get another token.
    Flow(Need),
    /// No token would help.
    None,
}

impl Remedy {
    pub(super) fn of(refusal: &Refusal) -> Self {
        let all = &refusal.challenges;
        let scheme = |name: &str| all.iter().find(|it| it.scheme.eq_ignore_ascii_case(name));
        let has_error = |it: &Challenge, error| it.error.as_deref() == Some(error);
        // A request without a token had no proof.
        let has_proof = refusal.generation > 0;
        let requires_nonce = all.iter().any(|it| has_error(it, NONCE));
        if has_proof && refusal.dpop_nonce.is_some() && requires_nonce {
            return Self::Nonce;
        }
        let (dpop, bearer) = (scheme("DPoP"), scheme("Bearer"));
        // A parameter of one challenge also counts for the other, because both are of the same
        // server.
        let both = [dpop, bearer];
        let parameter = |member: fn(&Challenge) -> Option<&String>| {
            both.into_iter().flatten().find_map(member).cloned()
        };
        let lacks_scope = both.into_iter().flatten().any(|it| has_error(it, SCOPE));
        let purpose = match refusal.status {
            // No authorization server issues such credentials.
            _ if !all.is_empty() && dpop.is_none() && bearer.is_none() => return Self::None,
            StatusCode::UNAUTHORIZED => Purpose::Token,
            _ if lacks_scope => Purpose::StepUp,
            _ => return Self::None,
        };
        let scope = parameter(|it| it.scope.as_ref());
        Self::Flow(Need {
            metadata: parameter(|it| it.resource_metadata.as_ref()),
            scope: scope.map(|it| scope::read(&it)).unwrap_or_default(),
            dpop: dpop.is_some(),
            ..Need::new(purpose, refusal.generation)
        })
    }
}
