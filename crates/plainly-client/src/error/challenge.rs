//! The credentials that a server wants (RFC 9110, `WWW-Authenticate`; RFC 6750, RFC 9449 and RFC
//! 9728 for its parameters).

#[cfg(feature = "http")]
mod grammar;
#[cfg(feature = "http")]
mod reading;

use std::fmt;

use super::bounded::BoundedText;

/// The credentials that a server requires, by its `WWW-Authenticate`. With status 401, there were
/// none or invalid ones; with 403, the credentials don't suffice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme, such as `Bearer`.
    pub scheme: String,
    /// The scopes that the credentials need, separated by spaces.
    pub scope: Option<String>,
    /// The URL of the metadata that names the authorization servers (RFC 9728).
    pub resource_metadata: Option<String>,
    /// The fault of the credentials that were sent: `invalid_token` or `insufficient_scope`, for
    /// instance.
    pub error: Option<String>,
    /// The description of the error.
    pub error_description: Option<String>,
    /// The part of the server that the credentials are for.
    pub realm: Option<String>,
    /// The algorithms that proofs may be signed with (DPoP, RFC 9449), separated by spaces.
    pub algs: Option<String>,
}

/// The challenges of one response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Challenges {
    /// The challenges that can be read, in their order.
    pub(crate) readable: Vec<Challenge>,
    /// The faults of the unreadable challenges, in words.
    pub(crate) malformed: Vec<String>,
}

impl Challenge {
    /// Whether the credentials have this scheme, regardless of upper and lower case.
    pub fn is_of(&self, scheme: &str) -> bool {
        self.scheme.eq_ignore_ascii_case(scheme)
    }

    /// The scopes that the credentials need, one by one.
    pub fn scopes(&self) -> impl Iterator<Item = &str> {
        self.scope.iter().flat_map(|scope| scope.split_whitespace())
    }

    /// The reason why a token that was sent is not valid.
    pub(super) fn rejection(&self) -> Option<&str> {
        let code = self.error.as_deref();
        let code = code.filter(|code| *code == "invalid_token")?;
        Some(self.error_description.as_deref().unwrap_or(code))
    }

    /// The challenge for a bearer token, which is what MCP uses, or else the first challenge.
    pub(super) fn main(challenges: &[Self]) -> Option<&Self> {
        let bearer = challenges.iter().find(|it| it.is_of("bearer"));
        bearer.or(challenges.first())
    }
}

/// Displays a text such as
/// `Bearer credentials with the scope "files:read" (invalid_token; see https://…)`.
impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} credentials", BoundedText(&self.scheme))?;
        if let Some(scope) = &self.scope {
            write!(f, " with the scope \"{}\"", BoundedText(scope))?;
        }
        let wrong = self.error_description.as_ref().or(self.error.as_ref());
        let wrong = wrong.map(|wrong| BoundedText(wrong).to_string());
        let metadata = self.resource_metadata.as_ref();
        let metadata = metadata.map(|url| format!("see {}", BoundedText(url)));
        let details: Vec<_> = wrong.into_iter().chain(metadata).collect();
        match details.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", details.join("; ")),
        }
    }
}
