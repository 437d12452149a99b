//! The caller, according to the issuer of the token. It does not contain the token itself.

use std::sync::Arc;

use plainly_protocol::peer::Principal;
use serde_json::{Map, Value};

use super::verifier::VerifiedToken;

/// The caller and its rights, from the [extensions](plainly_server::extract::Context::extension) of
/// a request. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Caller(Arc<Facts>);

#[derive(Debug)]
struct Facts {
    token: VerifiedToken,
    principal: Principal,
}

impl Caller {
    pub(super) fn new(token: VerifiedToken) -> Self {
        let principal = principal(&token);
        Self(Arc::new(Facts { token, principal }))
    }

    /// The issuer of the token: an authorization server, as it spells its issuer; `None` for this
    /// server's own keys.
    pub fn issuer(&self) -> Option<&str> {
        self.0.token.issuer.as_deref()
    }

    /// The subject of the token, which is unique at its issuer only. For a key, its name.
    pub fn subject(&self) -> Option<&str> {
        self.0.token.subject.as_deref()
    }

    /// The client that the token was issued to.
    pub fn client_id(&self) -> Option<&str> {
        self.0.token.client_id.as_deref()
    }

    /// The scopes of the token.
    pub fn scopes(&self) -> &[String] {
        &self.0.token.scopes
    }

    /// Whether the token has this scope.
    pub fn has_scope(&self, scope: &str) -> bool {
        self.scopes().iter().any(|own| own == scope)
    }

    /// The token's end, in seconds since 1970; `None` for a key without one.
    pub fn expires_at(&self) -> Option<u64> {
        self.0.token.expires_at
    }

    /// Another claim of the token, if the server is configured to pass it on
    /// ([`claims`](super::ResourceServerBuilder::claims)).
    pub fn claim(&self, name: &str) -> Option<&Value> {
        self.0.token.claims.get(name)
    }

    /// The owner of this caller's sessions, cursors, tasks and subscriptions.
    pub fn principal(&self) -> &Principal {
        &self.0.principal
    }

    pub(super) fn token(&self) -> &VerifiedToken {
        &self.0.token
    }

    /// Removes all claims except those with these names.
    pub(super) fn chosen(mut claims: Map<String, Value>, names: &[String]) -> Map<String, Value> {
        claims.retain(|name, _| names.iter().any(|chosen| chosen == name));
        claims
    }
}

/// One text for each pair of issuer and subject, as logs show it: `ann at https://login.example`.
/// No two pairs have the same text. A client that authenticates itself has no subject, even if its
/// id equals the name of a user.
fn principal(token: &VerifiedToken) -> Principal {
    let who = match (&token.subject, &token.client_id) {
        (Some(key), _) if token.issuer.is_none() => format!("key {}", word(key)),
        (Some(subject), _) => word(subject),
        (None, Some(client)) => format!("client {}", word(client)),
        (None, None) => "(nobody)".to_owned(),
    };
    Principal::new(match &token.issuer {
        Some(issuer) => format!("{who} at {}", word(issuer)),
        None => who,
    })
}

/// The text as one word without spaces, or in quotation marks as in JSON.
fn word(text: &str) -> String {
    let is_bare = |char: char| char.is_ascii_alphanumeric() || "-._~:/@+=|%".contains(char);
    match !text.is_empty() && text.chars().all(is_bare) {
        true => text.to_owned(),
        false => Value::from(text).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal_of(
        issuer: Option<&str>,
        subject: Option<&str>,
        client: Option<&str>,
    ) -> Principal {
        let token = VerifiedToken {
            issuer: issuer.map(str::to_owned),
            subject: subject.map(str::to_owned),
            client_id: client.map(str::to_owned),
            ..VerifiedToken::default()
        };
        Caller::new(token).principal().clone()
    }

    #[test]
    fn two_callers_are_one_principal_only_if_issuer_and_subject_are_the_same() {
        let (a, b) = (Some("https://a.example"), Some("https://b.example"));
        let all = [
            principal_of(a, Some("x"), None),
            principal_of(b, Some("x"), None),
            principal_of(None, Some("x"), None),
            principal_of(a, Some("X"), None),
            principal_of(a, None, Some("x")),
            principal_of(None, Some("x at https://a.example"), None),
            principal_of(None, Some("client x"), None),
            principal_of(None, None, Some("x")),
            principal_of(None, Some("\"x\""), None),
            principal_of(a, Some("x at"), None),
            principal_of(Some("at https://a.example"), Some("x"), None),
            principal_of(None, None, None),
            principal_of(None, Some("(nobody)"), None),
            principal_of(None, Some(""), None),
            principal_of(a, Some(""), None),
        ];
        for (index, one) in all.iter().enumerate() {
            for other in &all[..index] {
                assert_ne!(one, other);
            }
        }
        // The client does not matter, because the sessions belong to the user.
        let same = principal_of(a, Some("x"), Some("another client"));
        assert_eq!(all[0], same);
    }

    #[test]
    fn a_principal_is_written_for_people() {
        for (written, issuer, subject, client) in [
            (
                "ann at https://a.example",
                Some("https://a.example"),
                Some("ann"),
                None,
            ),
            ("key laptop", None, Some("laptop"), None),
            (
                "client ci at https://a.example",
                Some("https://a.example"),
                None,
                Some("ci"),
            ),
            ("key \"ann\\nadmin\"", None, Some("ann\nadmin"), None),
        ] {
            assert_eq!(principal_of(issuer, subject, client).as_str(), written);
        }
    }
}
