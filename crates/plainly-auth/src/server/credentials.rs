//! Removes the token from a request's head, so that no code behind the gate sees it.

use http::HeaderMap;
use http::header::AUTHORIZATION;
use http::request::Parts;
use plainly_oauth::Secret;
use url::form_urlencoded;

const DPOP: &str = "dpop";
/// The query parameter that must not contain a token.
const IN_QUERY: &str = "access_token";

/// The credentials of a request.
#[derive(Debug)]
pub(super) enum RequestCredentials {
    /// No credentials, or none of a known scheme.
    None,
    /// A token, and the way it was sent.
    Token { token: Secret, scheme: TokenScheme },
    /// More than one token.
    Ambiguous,
}

/// The way in which a token was sent.
#[derive(Debug)]
pub(super) enum TokenScheme {
    /// Without a proof (RFC 6750).
    Bearer,
    /// With a proof (RFC 9449, 7.1): `None` if there is none, or more than one.
    Dpop(Option<Secret>),
}

impl RequestCredentials {
    /// Removes the credentials from a head. A token in the URL is never accepted, because logs
    /// contain URLs (2026-07-28, "Access Token Usage").
    pub(super) fn take(head: &mut Parts) -> Self {
        let given: Vec<_> = taken(&mut head.headers, AUTHORIZATION.as_str());
        let proofs = taken(&mut head.headers, DPOP);
        let [authorization] = &*given else {
            return if given.is_empty() {
                Self::None
            } else {
                Self::Ambiguous
            };
        };
        if in_query(head.uri.query().unwrap_or_default()) {
            return Self::Ambiguous;
        }
        let (scheme, token) = authorization.split_once(' ').unwrap_or((authorization, ""));
        let token = Secret::new(token.trim_start_matches(' '));
        if scheme.eq_ignore_ascii_case("Bearer") {
            let scheme = TokenScheme::Bearer;
            return Self::Token { token, scheme };
        }
        if !scheme.eq_ignore_ascii_case(DPOP) {
            return Self::None;
        }
        let proof = match <[String; 1]>::try_from(proofs) {
            Ok([proof]) => Some(Secret::new(proof)),
            Err(_) => None,
        };
        let scheme = TokenScheme::Dpop(proof);
        Self::Token { token, scheme }
    }
}

/// Removes a header, and returns its values. A value that is not text is returned as an empty one.
fn taken(headers: &mut HeaderMap, name: &str) -> Vec<String> {
    let values = headers.get_all(name).iter();
    let texts = values.map(|value| value.to_str().unwrap_or_default().to_owned());
    let texts = texts.collect();
    headers.remove(name);
    texts
}

fn in_query(query: &str) -> bool {
    form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name == IN_QUERY)
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "it is a table")]
    fn one_token_in_one_header_counts() {
        for (name, uri, headers, expected) in [
            ("none", "/mcp", &[][..], "none"),
            (
                "bearer",
                "/mcp",
                &[("authorization", "Bearer t")],
                "bearer t",
            ),
            (
                "in capitals",
                "/mcp",
                &[("authorization", "BEARER  t")],
                "bearer t",
            ),
            (
                "without a token",
                "/mcp",
                &[("authorization", "Bearer")],
                "bearer ",
            ),
            (
                "another scheme",
                "/mcp",
                &[("authorization", "Basic dTpw")],
                "none",
            ),
            (
                "two tokens",
                "/mcp",
                &[("authorization", "Bearer t"), ("authorization", "Bearer t")],
                "ambiguous",
            ),
            (
                "two schemes",
                "/mcp",
                &[("authorization", "Bearer t"), ("authorization", "DPoP t")],
                "ambiguous",
            ),
            (
                "two in one",
                "/mcp",
                &[("authorization", "Bearer t, DPoP t")],
                "bearer t, DPoP t",
            ),
            (
                "in the query too",
                "/mcp?a=b&access_token=t",
                &[("authorization", "Bearer t")],
                "ambiguous",
            ),
            (
                "in the query, encoded",
                "/mcp?access%5Ftoken=t",
                &[("authorization", "Bearer t")],
                "ambiguous",
            ),
            ("in the query alone", "/mcp?access_token=t", &[], "none"),
            (
                "with a proof",
                "/mcp",
                &[("authorization", "DPoP t"), ("dpop", "p")],
                "dpop t p",
            ),
            (
                "without a proof",
                "/mcp",
                &[("authorization", "DPoP t")],
                "dpop t -",
            ),
            (
                "with two proofs",
                "/mcp",
                &[("authorization", "dpop t"), ("dpop", "p"), ("dpop", "p")],
                "dpop t -",
            ),
            ("a proof alone", "/mcp", &[("dpop", "p")], "none"),
        ] {
            let mut request = Request::get(uri);
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let mut head = request.body(()).unwrap().into_parts().0;
            let read = match RequestCredentials::take(&mut head) {
                RequestCredentials::None => "none".to_owned(),
                RequestCredentials::Ambiguous => "ambiguous".to_owned(),
                RequestCredentials::Token { token, scheme } => match scheme {
                    TokenScheme::Bearer => format!("bearer {}", token.expose()),
                    TokenScheme::Dpop(proof) => {
                        let proof = proof.as_ref().map_or("-", Secret::expose);
                        format!("dpop {} {proof}", token.expose())
                    }
                },
            };
            assert_eq!(read, expected, "{name}");
            assert!(head.headers.is_empty(), "{name}");
        }
    }
}
