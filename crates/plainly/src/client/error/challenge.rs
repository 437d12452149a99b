//! The credentials that a server wants (RFC 9110, `WWW-Authenticate`; RFC 6750 and RFC 9728 for its parameters).

use std::fmt;

#[cfg(feature = "http-client")]
use http::{HeaderMap, StatusCode, header::WWW_AUTHENTICATE};
#[cfg(feature = "http-client")]
use http_auth::{ChallengeParser, ChallengeRef};

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

#[cfg(feature = "http-client")]
impl Challenge {
    /// Reads the values of `WWW-Authenticate`: of several challenges the one for a bearer token, which is what MCP uses.
    /// `None` if there is none that can be read.
    ///
    /// ```
    /// use plainly::client::Challenge;
    ///
    /// let challenge = Challenge::read([r#"Basic realm="a", Bearer scope="files:read""#]).unwrap();
    /// assert_eq!(challenge.scope.as_deref(), Some("files:read"));
    /// ```
    pub fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        // What follows a mistake can't be read, what stands before it can.
        let mut all: Vec<_> = values
            .into_iter()
            .flat_map(|value| ChallengeParser::new(value).map_while(Result::ok))
            .collect();
        all.sort_by_key(|challenge| !challenge.scheme.eq_ignore_ascii_case("bearer"));
        all.first().map(Self::from)
    }

    /// The challenge of a response with this status, if it has one that can be read.
    pub(in crate::client) fn of(status: StatusCode, headers: &HeaderMap) -> Option<Self> {
        if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return None;
        }
        let values = headers.get_all(WWW_AUTHENTICATE).iter();
        Self::read(values.filter_map(|value| value.to_str().ok()))
    }
}

#[cfg(feature = "http-client")]
impl From<&ChallengeRef<'_>> for Challenge {
    fn from(read: &ChallengeRef<'_>) -> Self {
        let mut challenge = Self {
            scheme: read.scheme.to_owned(),
            ..Self::default()
        };
        for (name, value) in &read.params {
            let member = match name.to_ascii_lowercase().as_str() {
                "scope" => &mut challenge.scope,
                "resource_metadata" => &mut challenge.resource_metadata,
                "error" => &mut challenge.error,
                "error_description" => &mut challenge.error_description,
                "realm" => &mut challenge.realm,
                _ => continue,
            };
            *member = Some(value.to_unescaped());
        }
        challenge
    }
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

#[cfg(all(test, feature = "http-client"))]
mod tests {
    use super::*;

    #[test]
    fn the_bearer_s_challenge_is_read_with_its_parameters() {
        for (values, expected) in [
            (&["Bearer"][..], "Bearer credentials"),
            (
                &[
                    r#"Basic realm="a, b", bearer scope="a b", resource_metadata="https://a.example/\"x", x=1"#,
                ],
                r#"bearer credentials with the scope "a b" (see https://a.example/"x)"#,
            ),
            (
                &[
                    "Basic realm=x",
                    r#"Bearer error="invalid_token", error_description="It has expired""#,
                ],
                "Bearer credentials (It has expired)",
            ),
            (&["Digest realm=x"], "Digest credentials"),
            (
                &["Bearer error=insufficient_scope, ,,"],
                "Bearer credentials (insufficient_scope)",
            ),
            (&["=", ""], ""),
            (&[], ""),
        ] {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(WWW_AUTHENTICATE, value.parse().unwrap());
            }
            for (status, expected) in [
                (StatusCode::UNAUTHORIZED, expected),
                (StatusCode::FORBIDDEN, expected),
                (StatusCode::NOT_FOUND, ""),
            ] {
                let found = Challenge::of(status, &headers).map(|found| found.to_string());
                assert_eq!(found.unwrap_or_default(), expected, "{values:?}");
            }
        }
    }
}
