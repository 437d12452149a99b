//! The demands of a rejection, and the need that follows.

use plainly_oauth::scope;

use plainly_client::Challenge;
use plainly_client::Refusal;

/// The reason why a flow starts.
#[derive(Clone, Debug)]
pub(super) enum Need {
    /// The token in use ends soon.
    Renewal,
    /// There is no token, or it was refused.
    Token(Wanted),
    /// The user wants to log in, even if a usable token is stored.
    Login,
    /// The token is valid but lacks a scope.
    Scope(Wanted),
}

/// The demands of the server's rejection.
#[derive(Clone, Debug, Default)]
pub(super) struct Wanted {
    /// The URL of the server's metadata.
    pub(super) metadata: Option<String>,
    /// The scopes that the request needs; empty if the server does not name them.
    pub(super) scope: Vec<String>,
    /// Whether it wants a token that is bound to a key.
    pub(super) dpop: bool,
    /// The token that was refused.
    pub(super) generation: u64,
}

/// The error of RFC 9449 for a proof without the nonce that it must have.
const NONCE: &str = "use_dpop_nonce";
/// The error of RFC 6750 for a token that is not good for this.
const SCOPE: &str = "insufficient_scope";

/// The demand of a rejection.
#[derive(Debug)]
pub(super) enum Asked {
    Nonce,
    Need(Need),
    /// Nothing that a token could give.
    Nothing,
}

impl Asked {
    pub(super) fn by(refusal: &Refusal) -> Self {
        let all = &refusal.challenges;
        let scheme = |name: &str| all.iter().find(|it| it.scheme.eq_ignore_ascii_case(name));
        let has_error = |it: &Challenge, error| it.error.as_deref() == Some(error);
        // Without a token there was no proof.
        let has_proof = refusal.generation > 0;
        let wants_nonce = all.iter().any(|it| has_error(it, NONCE));
        if has_proof && refusal.dpop_nonce.is_some() && wants_nonce {
            return Self::Nonce;
        }
        let (dpop, bearer) = (scheme("DPoP"), scheme("Bearer"));
        // What is said in one challenge holds for the other: they are about the same server.
        let first = [dpop, bearer];
        let said = |member: fn(&Challenge) -> Option<&String>| {
            first.into_iter().flatten().find_map(member).cloned()
        };
        let scopes = said(|it| it.scope.as_ref());
        let wanted = Wanted {
            metadata: said(|it| it.resource_metadata.as_ref()),
            scope: scopes.map(|it| scope::read(&it)).unwrap_or_default(),
            dpop: dpop.is_some(),
            generation: refusal.generation,
        };
        // Credentials that no authorization server gives.
        let wants_others = !all.is_empty() && dpop.is_none() && bearer.is_none();
        let lacks_scope = first.into_iter().flatten().any(|it| has_error(it, SCOPE));
        match refusal.status {
            _ if wants_others => Self::Nothing,
            http::StatusCode::UNAUTHORIZED => Self::Need(Need::Token(wanted)),
            _ if lacks_scope => Self::Need(Need::Scope(wanted)),
            _ => Self::Nothing,
        }
    }
}
