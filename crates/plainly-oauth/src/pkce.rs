//! A secret that proves, in the exchange of a code for a token, that the same client requested the
//! code (RFC 7636).

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

use crate::{Secret, random_text};

/// The secret of one login, and its public challenge. The method is always SHA-256 (`S256`).
#[derive(Debug)]
pub struct Pkce {
    verifier: Secret,
}

impl Pkce {
    /// The only supported challenge method.
    pub const METHOD: &str = "S256";

    /// A new secret.
    #[expect(clippy::new_without_default, reason = "each is another")]
    pub fn new() -> Self {
        Self::of(Secret::new(random_text()))
    }

    fn of(verifier: Secret) -> Self {
        Self { verifier }
    }

    /// The secret for the token endpoint.
    pub fn verifier(&self) -> &Secret {
        &self.verifier
    }

    /// The challenge for the authorization endpoint.
    pub fn challenge(&self) -> String {
        let hidden = digest(&SHA256, self.verifier.expose().as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(hidden)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_challenge_is_that_of_rfc_7636() {
        let verifier = Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        let challenge = Pkce::of(verifier).challenge();
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn each_verifier_is_another_of_43_letters() {
        let [one, other] = [Pkce::new(), Pkce::new()];
        assert_ne!(one.verifier(), other.verifier());
        assert_eq!(one.verifier().expose().len(), 43);
    }
}
