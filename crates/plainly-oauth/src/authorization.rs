//! The visit of the user's browser to an authorization server: the URL that the browser opens, and
//! the answer that it returns.

use std::collections::BTreeMap;

use subtle::ConstantTimeEq;
use url::{Url, form_urlencoded};

use crate::endpoint::UnfitEndpoint;
use crate::{Pkce, Secret};

/// A request for the user's consent (OAuth 2.1, 4.1.1).
#[derive(Debug)]
#[non_exhaustive]
pub struct AuthorizationRequest<'a> {
    /// The page for the user.
    pub endpoint: &'a str,
    /// The id of the requesting client.
    pub client_id: &'a str,
    /// The URI that the browser is redirected to.
    pub redirect_uri: &'a str,
    /// The scopes to request; if it is empty, the request names none.
    pub scope: &'a [String],
    /// The state that the browser must return, to distinguish this visit from others.
    pub state: &'a str,
    /// The secret without which the code can't be exchanged.
    pub pkce: &'a Pkce,
    /// The MCP server that the token is for, as the server spells its identifier (RFC 8707).
    pub resource: Option<&'a str>,
    /// The thumbprint of the key that the token is bound to (RFC 9449, 10).
    pub dpop_jkt: Option<&'a str>,
    /// Whether to ask the user even if they have agreed before, as `offline_access` requires
    /// (OpenID Connect Core, 11).
    pub asks_again: bool,
}

impl<'a> AuthorizationRequest<'a> {
    /// A request without scopes, and without a resource.
    pub fn new(
        endpoint: &'a str,
        client_id: &'a str,
        redirect_uri: &'a str,
        state: &'a str,
        pkce: &'a Pkce,
    ) -> Self {
        Self {
            endpoint,
            client_id,
            redirect_uri,
            scope: &[],
            state,
            pkce,
            resource: None,
            dpop_jkt: None,
            asks_again: false,
        }
    }

    /// The URL for the browser. The endpoint's own query is preserved.
    ///
    /// # Errors
    ///
    /// If that query has a parameter that the request sets, because it could change the request.
    pub fn url(&self) -> Result<String, UnfitEndpoint> {
        let mut url = Url::parse(self.endpoint).map_err(|_why| UnfitEndpoint("is not a URL"))?;
        let scope = self.scope.join(" ");
        let challenge = self.pkce.challenge();
        let parameters = [
            ("response_type", Some("code")),
            ("client_id", Some(self.client_id)),
            ("redirect_uri", Some(self.redirect_uri)),
            ("scope", Some(scope.as_str()).filter(|it| !it.is_empty())),
            ("state", Some(self.state)),
            ("code_challenge", Some(&challenge)),
            ("code_challenge_method", Some(Pkce::METHOD)),
            ("resource", self.resource),
            ("dpop_jkt", self.dpop_jkt),
            ("prompt", self.asks_again.then_some("consent")),
        ];
        let is_set = |name: &str| parameters.iter().any(|(it, _)| *it == name);
        if url.query_pairs().any(|(name, _)| is_set(&name)) {
            return Err(UnfitEndpoint(
                "has a query parameter that the request sets itself",
            ));
        }
        let mut query = url.query_pairs_mut();
        for (name, value) in parameters {
            query.extend_pairs(value.map(|value| (name, value)));
        }
        drop(query);
        Ok(url.into())
    }
}

/// The properties of the expected answer to a visit.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct ExpectedCallback<'a> {
    /// The state that the browser was sent with.
    pub state: &'a str,
    /// The issuer of the authorization server, as its metadata spells it.
    pub issuer: &'a str,
    /// Whether its metadata announces that its answers name the issuer (RFC 9207).
    pub sends_issuer: bool,
}

/// The reason why a visit failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[expect(
    clippy::exhaustive_enums,
    reason = "what the specification has to be checked"
)]
pub enum CallbackError {
    /// The answer is to another visit.
    #[error("its `state` is not the one of this login")]
    State,
    /// The answer is from another authorization server. No other part of the answer may be shown.
    #[error("it comes from another authorization server")]
    OtherIssuer(
        /// The issuer that it names, or all of them if there are several.
        String,
    ),
    /// The answer names no issuer, although the metadata announces that answers always do.
    #[error("it does not name its authorization server (`iss`)")]
    NoIssuer,
    /// The user or the server declined.
    #[error("it was declined")]
    #[non_exhaustive]
    Denied {
        /// The error code of RFC 6749 (4.1.2.1).
        error: String,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The answer has neither a code nor an error, or has one of them twice.
    #[error("it has no `code`, or more than one")]
    NoCode,
}

impl<'a> ExpectedCallback<'a> {
    /// Expects the answer to a visit with this state, from the server with this issuer.
    pub fn new(state: &'a str, issuer: &'a str, sends_issuer: bool) -> Self {
        Self {
            state,
            issuer,
            sends_issuer,
        }
    }

    /// The code in the query of the URL that the browser was redirected to. No other parameter is
    /// read before `state` and `iss` are verified (2026-07-28, "Authorization Response
    /// Validation").
    pub fn code(&self, query: &str) -> Result<Secret, CallbackError> {
        let mut parameters = BTreeMap::<_, Vec<_>>::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            parameters.entry(name).or_default().push(value);
        }
        let all = |name: &str| parameters.get(name).map_or(&[][..], Vec::as_slice);
        match all("state") {
            [state] if bool::from(state.as_bytes().ct_eq(self.state.as_bytes())) => {}
            _ => return Err(CallbackError::State),
        }
        match all("iss") {
            [] if self.sends_issuer => return Err(CallbackError::NoIssuer),
            [] => {}
            [issuer] if issuer == self.issuer => {}
            others => return Err(CallbackError::OtherIssuer(others.join(", "))),
        }
        match (all("error"), all("code")) {
            ([], [code]) if !code.is_empty() => Ok(Secret::new(code.as_ref())),
            ([error, ..], _) => Err(CallbackError::Denied {
                error: error.clone().into_owned(),
                description: all("error_description").first().map(|it| it.to_string()),
            }),
            ([], _) => Err(CallbackError::NoCode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_has_all_that_a_server_needs_and_its_own_query() {
        let pkce = Pkce::new();
        let scope = crate::scope::read("a b");
        let mut request = AuthorizationRequest::new(
            "https://as.example/authorize?tenant=1",
            "id",
            "http://127.0.0.1:1/callback",
            "st",
            &pkce,
        );
        let bare = request.url().unwrap();
        for absent in ["scope=", "resource=", "dpop_jkt=", "prompt="] {
            assert!(!bare.contains(absent), "{bare}");
        }
        request.scope = &scope;
        request.resource = Some("https://a.example");
        request.asks_again = true;
        let url = request.url().unwrap();
        let challenge = pkce.challenge();
        assert_eq!(
            url,
            format!(
                "https://as.example/authorize?tenant=1&response_type=code&client_id=id\
                 &redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&scope=a+b&state=st\
                 &code_challenge={challenge}&code_challenge_method=S256&resource=https%3A%2F%2Fa.example&prompt=consent"
            )
        );
        for endpoint in [
            "https://as.example/?redirect_uri=x",
            "https://as.example/?%73tate=x",
        ] {
            request.endpoint = endpoint;
            assert!(request.url().is_err(), "{endpoint}");
        }
    }

    type Row = (bool, &'static str, Result<&'static str, CallbackError>);

    fn other(issuer: &str) -> Result<&'static str, CallbackError> {
        Err(CallbackError::OtherIssuer(issuer.to_owned()))
    }

    fn refused(description: Option<&str>) -> Result<&'static str, CallbackError> {
        Err(CallbackError::Denied {
            error: "access_denied".to_owned(),
            description: description.map(str::to_owned),
        })
    }

    fn callbacks() -> Vec<Row> {
        let (state, no_code) = (Err(CallbackError::State), Err(CallbackError::NoCode));
        vec![
            (false, "state=s&code=c", Ok("c")),
            (true, "state=s&code=c&iss=https%3A%2F%2Fas.example", Ok("c")),
            (false, "state=s&code=c&iss=https://as.example", Ok("c")),
            (true, "state=s&code=c", Err(CallbackError::NoIssuer)),
            (true, "state=s&error=x", Err(CallbackError::NoIssuer)),
            (
                false,
                "state=s&code=c&iss=https://as.example/",
                other("https://as.example/"),
            ),
            (
                false,
                "state=s&code=c&iss=https://AS.example",
                other("https://AS.example"),
            ),
            (
                false,
                "state=s&code=c&iss=https://as.example:443",
                other("https://as.example:443"),
            ),
            (false, "state=s&code=c&iss=", other("")),
            (false, "state=s&code=c&iss=a&iss=b", other("a, b")),
            (
                false,
                "state=s&error=access_denied&error_description=x&iss=evil",
                other("evil"),
            ),
            (
                false,
                "state=s&error=access_denied&error_description=no+way",
                refused(Some("no way")),
            ),
            (false, "state=s&error=access_denied&code=c", refused(None)),
            (false, "code=c", state.clone()),
            (false, "state=&code=c", state.clone()),
            (false, "state=S&code=c", state.clone()),
            (false, "state=s&state=s&code=c", state.clone()),
            (false, "state=ss&code=c", state),
            (false, "state=s", no_code.clone()),
            (false, "state=s&code=", no_code.clone()),
            (false, "state=s&code=c&code=d", no_code),
        ]
    }

    #[test]
    fn a_code_counts_only_in_the_answer_of_the_server_that_was_asked() {
        for (sends_issuer, query, expected) in callbacks() {
            let expected_callback = ExpectedCallback::new("s", "https://as.example", sends_issuer);
            let found = expected_callback.code(query);
            let found = found.as_ref().map(Secret::expose).map_err(Clone::clone);
            assert_eq!(found, expected, "{query}");
        }
    }
}
