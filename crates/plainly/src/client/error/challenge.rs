//! The credentials that a server wants (RFC 9110, `WWW-Authenticate`; RFC 6750 and RFC 9728 for its parameters).

use std::fmt;

use crate::transport::Escaped;

/// The credentials that a server wants, as its `WWW-Authenticate` says: with status 401 because there were none or
/// invalid ones, with 403 because they don't suffice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The scheme, such as `Bearer`.
    pub scheme: String,
    /// The scopes that the credentials need, separated by spaces.
    pub scope: Option<String>,
    /// The URL of the metadata that names the authorization servers (RFC 9728).
    pub resource_metadata: Option<String>,
    /// What is wrong with the credentials that were sent: `invalid_token` or `insufficient_scope`, say.
    pub error: Option<String>,
    /// The same in words.
    pub error_description: Option<String>,
    /// The part of the server that they are for.
    pub realm: Option<String>,
}

/// As in `Bearer credentials with the scope "files:read" (invalid_token; see https://…)`.
impl fmt::Display for Challenge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} credentials", Escaped(&self.scheme))?;
        if let Some(scope) = &self.scope {
            write!(f, " with the scope \"{}\"", Escaped(scope))?;
        }
        let wrong = self.error_description.as_ref().or(self.error.as_ref());
        let wrong = wrong.map(|wrong| Escaped(wrong).to_string());
        let metadata = self.resource_metadata.as_ref();
        let metadata = metadata.map(|url| format!("see {}", Escaped(url)));
        let details: Vec<_> = wrong.into_iter().chain(metadata).collect();
        match details.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", details.join("; ")),
        }
    }
}
