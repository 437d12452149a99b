//! Checks that a request has the proof that its token requires (RFC 9449, 7).

use http::request::Parts;
use plainly_oauth::Secret;
use plainly_oauth::jose::dpop::{self, Nonces, ProvenRequest, Replays};
use plainly_oauth::jose::{ProofRefusal, TokenRefusal};
use plainly_oauth::metadata::Origin;

use super::caller::Caller;
use super::challenge::Denial;
use super::credentials::TokenScheme;
use super::nonces::SealedNonces;

/// Whether tokens may be bound to a key that their holder must prove to possess (DPoP, RFC 9449;
/// SEP-1932).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dpop {
    /// Bound tokens are rejected.
    #[default]
    Refuse,
    /// Bound tokens are accepted with a proof, others without.
    Accept,
    /// Only bound tokens are accepted.
    Require,
}

/// Verifies proofs.
#[derive(Debug)]
pub(super) struct Proofs {
    pub(super) dpop: Dpop,
    /// The server's own URL, as clients know it.
    resource: String,
    seen: Replays,
    nonces: Option<SealedNonces>,
}

impl Proofs {
    pub(super) fn new(dpop: Dpop, resource: &str, nonces: Option<SealedNonces>, now: u64) -> Self {
        Self {
            dpop,
            resource: resource.to_owned(),
            seen: Replays::starting_at(now),
            nonces,
        }
    }

    /// The nonce for the next proof, if proofs need one.
    pub(super) fn next_nonce(&self, now: u64) -> Option<String> {
        self.nonces.as_ref().and_then(|nonces| nonces.give(now))
    }

    /// Checks that the token was sent as it must be.
    pub(super) fn check(
        &self,
        (token, scheme): (&Secret, &TokenScheme),
        caller: &Caller,
        head: &Parts,
        now: u64,
    ) -> Result<(), Denial> {
        let (proof, key) = match (scheme, &caller.token().key) {
            (TokenScheme::Bearer, None) if self.dpop == Dpop::Require => {
                return Err(Denial::BoundToken(TokenRefusal::NotBound));
            }
            (TokenScheme::Bearer, None) => return Ok(()),
            (_, Some(_)) if self.dpop == Dpop::Refuse => {
                return Err(Denial::Token(TokenRefusal::Confirmation));
            }
            (TokenScheme::Bearer, Some(_)) => return Err(Denial::BoundToken(TokenRefusal::Bound)),
            (TokenScheme::Dpop(_), None) => return Err(Denial::BoundToken(TokenRefusal::NotBound)),
            (TokenScheme::Dpop(proof), Some(key)) => (proof, key),
        };
        let proof = proof.as_ref().ok_or(Denial::Proof(ProofRefusal::NotOne))?;
        let holder = caller.principal().as_str();
        let checked = self.check_proof(proof.expose(), (token, key, holder), head, now);
        checked.map_err(|why| match (why, self.next_nonce(now)) {
            (ProofRefusal::Nonce, Some(nonce)) => Denial::NonceWanted(nonce),
            (ProofRefusal::TooMany, _) => Denial::TooManyProofs,
            (why, _) => Denial::Proof(why),
        })
    }

    /// Checks that a proof is for the server's own URL, or for the path of the request. There may
    /// be several endpoints, and a proxy may have changed the path.
    fn check_proof(
        &self,
        proof: &str,
        (token, key, holder): (&Secret, &str, &str),
        head: &Parts,
        now: u64,
    ) -> Result<(), ProofRefusal> {
        let check = |url: &str| {
            let request = ProvenRequest {
                method: head.method.as_str(),
                url,
                access_token: token.expose(),
                key,
                holder,
                nonces: self.nonces.as_ref().map(|it| it as &dyn Nonces),
                now,
            };
            dpop::check(proof, &request, &self.seen)
        };
        match (check(&self.resource), Origin::of(&self.resource)) {
            (Err(ProofRefusal::Url), Some(origin)) => {
                check(&format!("{}{}", origin.text, head.uri.path()))
            }
            (checked, _) => checked,
        }
    }
}
