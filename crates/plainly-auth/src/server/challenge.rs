//! The responses to rejected requests: one table of statuses and challenges (RFC 6750, 3; RFC 9449,
//! 7.1; RFC 9728, 5.1). Their texts are fixed, and contain nothing that a client sent.

use http::HeaderValue;
use http::header::{HeaderName, RETRY_AFTER, WWW_AUTHENTICATE};
use plainly_errors::{ProtocolError, Refusal, Unavailable};
use plainly_oauth::jose::{ProofRefusal, SignatureAlgorithm, TokenRefusal};

use plainly_http::TurnedAway;

/// The header with a nonce (RFC 9449, 8).
pub(super) const DPOP_NONCE: HeaderName = HeaderName::from_static("dpop-nonce");
/// The seconds after which a client may try again.
const A_LITTLE: HeaderValue = HeaderValue::from_static("5");
const A_SECOND: HeaderValue = HeaderValue::from_static("1");

/// The reason why a request is rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Denial {
    /// The request has no credentials.
    NoCredentials,
    /// The request has several tokens.
    Ambiguous,
    /// The token is rejected.
    Token(TokenRefusal),
    /// Like `Token`, for a token that was sent with a proof.
    BoundToken(TokenRefusal),
    /// The proof is rejected.
    Proof(ProofRefusal),
    /// The proof must contain this nonce.
    NonceWanted(String),
    /// The token lacks at least one of these scopes, which are all that the request requires.
    InsufficientScope(Vec<String>),
    /// No verifier is available for the token.
    CannotVerify,
    /// Too many tokens from this address were rejected.
    TooManyFailures,
    /// There were more proofs than the server can store.
    TooManyProofs,
}

/// The challenges that this server sends to clients.
#[derive(Clone, Debug, Default)]
pub(super) struct Challenger {
    /// The URL of the metadata that names the authorization server.
    pub(super) metadata: Option<String>,
    /// The scopes that every request requires.
    pub(super) scopes: Vec<String>,
    pub(super) bearer: bool,
    pub(super) dpop: bool,
}

/// A row of the table.
struct DenialRow {
    error: ProtocolError,
    /// The error code, in the challenge of this scheme.
    code: Option<(AuthScheme, &'static str)>,
    description: Option<String>,
    /// The schemes that are offered.
    offers: &'static [AuthScheme],
    scopes: Option<Vec<String>>,
    also: Option<(HeaderName, HeaderValue)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum AuthScheme {
    Bearer,
    Dpop,
}

const BOTH: &[AuthScheme] = &[AuthScheme::Bearer, AuthScheme::Dpop];

impl Denial {
    fn row(&self) -> DenialRow {
        let answer = |error: ProtocolError, offers| DenialRow {
            error,
            code: None,
            description: None,
            offers,
            scopes: None,
            also: None,
        };
        let token = |scheme, why: &TokenRefusal| DenialRow {
            code: Some((scheme, "invalid_token")),
            description: Some(why.to_string()),
            ..answer(refused(why), BOTH)
        };
        match self {
            Self::NoCredentials => answer(Refusal::Unauthorized.into(), BOTH),
            Self::Ambiguous => DenialRow {
                code: Some((AuthScheme::Bearer, "invalid_request")),
                ..answer(ambiguous(), BOTH)
            },
            Self::Token(why) => token(AuthScheme::Bearer, why),
            Self::BoundToken(why) => token(AuthScheme::Dpop, why),
            Self::Proof(why) => DenialRow {
                code: Some((AuthScheme::Dpop, "invalid_dpop_proof")),
                description: Some(why.to_string()),
                ..answer(unproven(why), &[AuthScheme::Dpop])
            },
            Self::NonceWanted(nonce) => DenialRow {
                code: Some((AuthScheme::Dpop, "use_dpop_nonce")),
                also: HeaderValue::from_str(nonce)
                    .ok()
                    .map(|nonce| (DPOP_NONCE, nonce)),
                ..answer(unproven(&ProofRefusal::Nonce), &[AuthScheme::Dpop])
            },
            Self::InsufficientScope(scopes) => DenialRow {
                code: Some((AuthScheme::Bearer, "insufficient_scope")),
                scopes: Some(scopes.clone()),
                ..answer(Refusal::InsufficientScope.into(), BOTH)
            },
            Self::CannotVerify => DenialRow {
                also: Some((RETRY_AFTER, A_LITTLE)),
                ..answer(Unavailable::CannotVerify.into(), &[])
            },
            Self::TooManyFailures => DenialRow {
                also: Some((RETRY_AFTER, A_SECOND)),
                ..answer(Refusal::TooManyFailures.into(), &[])
            },
            Self::TooManyProofs => DenialRow {
                also: Some((RETRY_AFTER, A_LITTLE)),
                ..answer(too_many_proofs(), &[])
            },
        }
    }
}

impl Challenger {
    /// The response to a rejected request.
    pub(super) fn answer(&self, denial: &Denial) -> TurnedAway {
        let row = denial.row();
        let mut away = TurnedAway::new(row.error);
        let offered: Vec<_> = row.offers.iter().filter(|it| self.offers(**it)).collect();
        for scheme in &offered {
            let mut parameters = Vec::new();
            let mut add = |name: &str, value: &str| parameters.push(format!("{name}=\"{value}\""));
            if let Some(url) = &self.metadata {
                add("resource_metadata", url);
            }
            let scopes = row.scopes.as_ref().unwrap_or(&self.scopes);
            if !scopes.is_empty() {
                add("scope", &scopes.join(" "));
            }
            // The server may not offer the client's scheme.
            let is_meant = |meant: AuthScheme| meant == **scheme || offered.len() == 1;
            if let Some((_, code)) = row.code.filter(|(meant, _)| is_meant(*meant)) {
                add("error", code);
                if let Some(description) = &row.description {
                    add("error_description", description);
                }
            }
            if **scheme == AuthScheme::Dpop {
                let all: Vec<_> = SignatureAlgorithm::all()
                    .map(SignatureAlgorithm::name)
                    .collect();
                add("algs", &all.join(" "));
            }
            let challenge = match parameters.is_empty() {
                true => scheme.name().to_owned(),
                false => format!("{} {}", scheme.name(), parameters.join(", ")),
            };
            // The challenge is visible ASCII, because the configuration was checked.
            if let Ok(challenge) = HeaderValue::from_str(&challenge) {
                away.headers.append(WWW_AUTHENTICATE, challenge);
            }
        }
        away.headers.extend(row.also);
        away
    }

    fn offers(&self, scheme: AuthScheme) -> bool {
        match scheme {
            AuthScheme::Bearer => self.bearer,
            AuthScheme::Dpop => self.dpop,
        }
    }
}

impl AuthScheme {
    fn name(self) -> &'static str {
        match self {
            Self::Bearer => "Bearer",
            Self::Dpop => "DPoP",
        }
    }
}

fn refused(why: &TokenRefusal) -> ProtocolError {
    let message = format!("Unauthorized: the access token was rejected: {why}");
    ProtocolError::from(Refusal::Unauthorized).with_message(message)
}

fn unproven(why: &ProofRefusal) -> ProtocolError {
    let message = format!("Unauthorized: the DPoP proof was rejected: {why}");
    ProtocolError::from(Refusal::Unauthorized).with_message(message)
}

fn too_many_proofs() -> ProtocolError {
    let why = "Too many DPoP proofs in a few minutes: try again later";
    ProtocolError::from(Unavailable::Overloaded).with_message(why)
}

fn ambiguous() -> ProtocolError {
    let why = "Bad request: send one access token, in one header Authorization and nowhere else";
    ProtocolError::from(Refusal::BadRequest).with_message(why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn challenges(bearer: bool, dpop: bool) -> Challenger {
        Challenger {
            metadata: Some("https://a.example/m".to_owned()),
            scopes: vec!["r".to_owned(), "w".to_owned()],
            bearer,
            dpop,
        }
    }

    /// The values of `WWW-Authenticate`.
    fn said(challenges: &Challenger, denial: &Denial) -> Vec<String> {
        let away = challenges.answer(denial);
        let all = away.headers.get_all(WWW_AUTHENTICATE).iter();
        all.map(|value| value.to_str().unwrap().to_owned())
            .collect()
    }

    #[test]
    fn each_denial_has_its_challenge() {
        let expired = TokenRefusal::Expired;
        let begin = r#"Bearer resource_metadata="https://a.example/m", scope="r w""#;
        let invalid = format!(r#"{begin}, error="invalid_token", error_description="expired""#);
        let narrow = r#"Bearer resource_metadata="https://a.example/m", scope="a b", error="insufficient_scope""#;
        let scopes = vec!["a".to_owned(), "b".to_owned()];
        for (denial, expected) in [
            (Denial::NoCredentials, &[begin][..]),
            (Denial::Token(expired), &[&invalid]),
            (Denial::BoundToken(expired), &[&invalid]),
            (
                Denial::Ambiguous,
                &[&format!(r#"{begin}, error="invalid_request""#)],
            ),
            (Denial::InsufficientScope(scopes), &[narrow]),
            (Denial::CannotVerify, &[]),
            (Denial::TooManyFailures, &[]),
            (Denial::TooManyProofs, &[]),
        ] {
            assert_eq!(
                said(&challenges(true, false), &denial),
                expected,
                "{denial:?}"
            );
        }
        assert_eq!(
            said(
                &Challenger {
                    bearer: true,
                    ..Challenger::default()
                },
                &Denial::NoCredentials
            ),
            ["Bearer"]
        );
    }

    #[test]
    fn where_proofs_are_taken_the_challenge_says_so() {
        let both = challenges(true, true);
        let begin = r#"DPoP resource_metadata="https://a.example/m", scope="r w""#;
        let algorithms = r#"algs="ES256 ES384 EdDSA RS256 RS384 RS512 PS256 PS384 PS512""#;
        let [bearer, dpop] = &*said(&both, &Denial::NoCredentials) else {
            panic!("two challenges");
        };
        assert!(bearer.starts_with("Bearer "), "{bearer}");
        assert_eq!(*dpop, format!("{begin}, {algorithms}"));
        let refused = said(&both, &Denial::BoundToken(TokenRefusal::NotBound));
        assert!(!refused[0].contains("error="), "{refused:?}");
        assert!(
            refused[1].contains(r#"error="invalid_token", error_description="not bound to a key""#)
        );
        let replayed = said(&both, &Denial::Proof(ProofRefusal::Replayed));
        assert_eq!(
            replayed,
            [format!(
                r#"{begin}, error="invalid_dpop_proof", error_description="replayed", {algorithms}"#
            )]
        );
        let away = challenges(false, true).answer(&Denial::NonceWanted("n".to_owned()));
        assert_eq!(away.headers[DPOP_NONCE], "n");
        let value = away.headers[WWW_AUTHENTICATE].to_str().unwrap();
        assert_eq!(
            value,
            format!(r#"{begin}, error="use_dpop_nonce", {algorithms}"#)
        );
    }
}
