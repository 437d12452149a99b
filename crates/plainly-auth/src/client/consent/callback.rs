//! A request to this machine during a login. Most requests do not come from the login's browser.

use http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderValue,
    REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use http::{Method, Request, Response, StatusCode};
use plainly_oauth::Secret;
use plainly_oauth::authorization::{CallbackError, ExpectedCallback};

/// The properties of the expected request.
#[derive(Debug)]
pub(super) struct ExpectedRequest {
    pub(super) hosts: Vec<String>,
    pub(super) path: String,
    pub(super) state: Secret,
}

/// The answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallbackAnswer {
    /// The expected request.
    Welcome,
    OtherHost,
    OtherPath,
    OtherMethod,
    OtherLogin,
}

impl ExpectedRequest {
    /// The answer to a request, and the request's query if it is the expected one.
    pub(super) fn judge<B>(&self, request: &Request<B>) -> (CallbackAnswer, Option<String>) {
        let mut hosts = request.headers().get_all(HOST).iter();
        let is_host = |host: &HeaderValue| {
            let mut names = self.hosts.iter();
            names.any(|name| name.as_bytes().eq_ignore_ascii_case(host.as_bytes()))
        };
        let uri = request.uri();
        // The host rejects other sites' pages whose name resolves to this machine (DNS rebinding).
        let is_here = hosts.next().is_some_and(is_host) && hosts.next().is_none();
        if !is_here || uri.authority().is_some() {
            return (CallbackAnswer::OtherHost, None);
        }
        if uri.path() != self.path {
            return (CallbackAnswer::OtherPath, None);
        }
        if request.method() != Method::GET {
            return (CallbackAnswer::OtherMethod, None);
        }
        match uri.query().filter(|query| is_of_login(query, &self.state)) {
            Some(query) => (CallbackAnswer::Welcome, Some(query.to_owned())),
            None => (CallbackAnswer::OtherLogin, None),
        }
    }
}

/// Whether a query contains the state of a login exactly once.
pub(super) fn is_of_login(query: &str, state: &Secret) -> bool {
    // The caller of the login checks the issuer.
    let expected = ExpectedCallback::new(state.expose(), "", false);
    !matches!(expected.code(query), Err(CallbackError::State))
}

impl CallbackAnswer {
    fn status(self) -> StatusCode {
        match self {
            Self::Welcome => StatusCode::OK,
            Self::OtherHost | Self::OtherLogin => StatusCode::BAD_REQUEST,
            Self::OtherPath => StatusCode::NOT_FOUND,
            Self::OtherMethod => StatusCode::METHOD_NOT_ALLOWED,
        }
    }

    /// The text of the page, without any part of the request.
    fn text(self) -> &'static str {
        match self {
            Self::Welcome => "You can close this page. The login continues in your program.",
            Self::OtherLogin => {
                "This page belongs to another login. If you started the login again, use the \
                 newest page."
            }
            Self::OtherHost | Self::OtherPath | Self::OtherMethod => "There is nothing here.",
        }
    }

    pub(super) fn response(self) -> Response<String> {
        let text = self.text();
        let page = format!(
            "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>Login</title>\n<p>{text}</p>\n</html>\n"
        );
        let mut response = Response::new(page);
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, "text/html; charset=utf-8"),
            // The URL contains the code.
            (CACHE_CONTROL, "no-store"),
            (REFERRER_POLICY, "no-referrer"),
            (
                CONTENT_SECURITY_POLICY,
                "default-src 'none'; frame-ancestors 'none'",
            ),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if self == Self::OtherMethod {
            headers.insert(ALLOW, HeaderValue::from_static("GET"));
        }
        response
    }
}
