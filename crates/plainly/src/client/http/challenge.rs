//! Reads `WWW-Authenticate`: of several challenges the one for a bearer token, which is what MCP uses.

use http::header::WWW_AUTHENTICATE;
use http::{HeaderMap, StatusCode};
use http_auth::{ChallengeParser, ChallengeRef};

use crate::client::error::Challenge;

/// The challenge of a response with this status, if it has one that can be read.
pub(super) fn read(status: StatusCode, headers: &HeaderMap) -> Option<Challenge> {
    if !matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
        return None;
    }
    let values = headers.get_all(WWW_AUTHENTICATE).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    // What follows a mistake can't be read, what stands before it can.
    let mut all: Vec<_> = values
        .flat_map(|value| ChallengeParser::new(value).map_while(Result::ok))
        .collect();
    all.sort_by_key(|challenge| !challenge.scheme.eq_ignore_ascii_case("bearer"));
    all.first().map(challenge)
}

fn challenge(read: &ChallengeRef<'_>) -> Challenge {
    let mut challenge = Challenge {
        scheme: read.scheme.to_owned(),
        ..Challenge::default()
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

#[cfg(test)]
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
                let found = read(status, &headers).map(|found| found.to_string());
                assert_eq!(found.unwrap_or_default(), expected, "{values:?}");
            }
        }
    }
}
