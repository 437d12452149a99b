//! The errors of OAuth, sent by authorization servers and by servers that accept their tokens.

use plainly::errors::{Fault, Retry};

use super::Explanation;
use super::link::Link;
use crate::near::bare;

/// An error of OAuth.
#[derive(Debug)]
struct OAuthError {
    code: &'static str,
    /// The documents that define it.
    defined_in: &'static str,
    means: &'static str,
    advice: &'static str,
    fault: Fault,
    retry: Retry,
}

/// The errors: fault, retry, documents, meaning and advice.
#[rustfmt::skip]
const OAUTH: [OAuthError; 27] = [
    row("invalid_request", Fault::Client, Retry::AfterFix, "RFC 6749, 5.2; RFC 6750, 3.1",
        "the request is malformed: one for a token, or one that has a token",
        "send the token in one place only: the header Authorization: Bearer"),
    row("invalid_client", Fault::Client, Retry::AfterFix, "RFC 6749, 5.2",
        "the authorization server does not know this client",
        "register the client, or correct its id and secret"),
    row("invalid_grant", Fault::User, Retry::AfterFix, "RFC 6749, 5.2",
        "the authorization code or the refresh token is expired, revoked or already used",
        "let the user sign in again"),
    row("unauthorized_client", Fault::Client, Retry::AfterFix, "RFC 6749, 5.2",
        "this client is not authorized to use this grant",
        "register the client for this grant"),
    row("unsupported_grant_type", Fault::Client, Retry::AfterFix, "RFC 6749, 5.2",
        "the authorization server does not support this grant",
        "use a grant that its metadata lists"),
    row("invalid_scope", Fault::Client, Retry::AfterFix, "RFC 6749, 5.2",
        "the requested scope does not exist",
        "request scopes that the server's metadata lists"),
    row("access_denied", Fault::User, Retry::AfterFix, "RFC 6749, 4.1.2.1; RFC 8628, 3.5",
        "the user or the authorization server refused",
        "let the user sign in again and agree"),
    row("unsupported_response_type", Fault::Server, Retry::AfterFix, "RFC 6749, 4.1.2.1",
        "the authorization server issues no authorization codes, which every MCP client requests",
        "ask its operator to enable the authorization code grant"),
    row("server_error", Fault::Server, Retry::AfterDelay, "RFC 6749, 4.1.2.1",
        "the authorization server has failed",
        "try again later, or report it to the authorization server's operator"),
    row("temporarily_unavailable", Fault::Server, Retry::AfterDelay, "RFC 6749, 4.1.2.1",
        "the authorization server is overloaded or under maintenance",
        "try again later"),
    row("invalid_token", Fault::Client, Retry::AfterFix, "RFC 6750, 3.1",
        "the token is expired, revoked or of another server",
        "get a new token for this server, and send it"),
    row("insufficient_scope", Fault::Client, Retry::AfterFix, "RFC 6750, 3.1",
        "the token does not allow this",
        "get a token with the scope that WWW-Authenticate names"),
    row("invalid_redirect_uri", Fault::Client, Retry::AfterFix, "RFC 7591, 3.2.2",
        "the authorization server does not accept the redirect URI of this client",
        "register the client by hand with a redirect URI that the server accepts, such as \
         http://localhost and a port, and give its id: --client-id"),
    row("invalid_client_metadata", Fault::Client, Retry::AfterFix, "RFC 7591, 3.2.2",
        "the authorization server does not accept the metadata of this client",
        "register the client by hand, and give its id: --client-id"),
    row("invalid_software_statement", Fault::Client, Retry::AfterFix, "RFC 7591, 3.2.2",
        "the client's software statement is not valid",
        "get a new one from its issuer, or register the client by hand"),
    row("unapproved_software_statement", Fault::Client, Retry::AfterFix, "RFC 7591, 3.2.2",
        "the authorization server does not trust the issuer of the client's software statement",
        "register the client by hand"),
    row("authorization_pending", Fault::User, Retry::AfterDelay, "RFC 8628, 3.5",
        "the user has not entered the code yet",
        "keep polling, at the interval that the server gave"),
    row("slow_down", Fault::Client, Retry::AfterDelay, "RFC 8628, 3.5",
        "the client polls too often",
        "wait five seconds longer between two requests"),
    row("expired_token", Fault::User, Retry::AfterFix, "RFC 8628, 3.5",
        "the user did not enter the code in time",
        "start the login again"),
    row("invalid_target", Fault::Client, Retry::AfterFix, "RFC 8707, 2",
        "the authorization server issues no tokens for this server",
        "send the server's URL as the resource in the request for a token"),
    row("use_dpop_nonce", Fault::Client, Retry::Immediately, "RFC 9449, 8 and 9",
        "the DPoP proof must contain the nonce that the server has just sent",
        "send the request again, with a new proof that has the value of the header DPoP-Nonce"),
    row("invalid_dpop_proof", Fault::Client, Retry::AfterFix, "RFC 9449, 5 and 7.1",
        "the DPoP proof is not for this request, this token or this time, or has been used \
         before",
        "make a new proof for each request, and check the clock of this machine"),
    row("unsupported_token_type", Fault::Server, Retry::Never, "RFC 7009, 2.2.1",
        "the authorization server does not revoke tokens of this type",
        "let the token expire"),
    row("insufficient_user_authentication", Fault::User, Retry::AfterFix, "RFC 9470, 3",
        "the user has to sign in again, or in a stronger way, before this",
        "let the user sign in again, as WWW-Authenticate says"),
    row("login_required", Fault::User, Retry::AfterFix, "OpenID Connect Core, 3.1.2.6",
        "the user is not signed in",
        "let the user sign in"),
    row("consent_required", Fault::User, Retry::AfterFix, "OpenID Connect Core, 3.1.2.6",
        "the user has not agreed to this yet",
        "let the user sign in again and agree"),
    row("interaction_required", Fault::User, Retry::AfterFix, "OpenID Connect Core, 3.1.2.6",
        "the authorization server has something to ask the user",
        "let the user sign in again"),
];

const fn row(
    code: &'static str,
    fault: Fault,
    retry: Retry,
    defined_in: &'static str,
    means: &'static str,
    advice: &'static str,
) -> OAuthError {
    OAuthError {
        code,
        defined_in,
        means,
        advice,
        fault,
        retry,
    }
}

/// The codes that other APIs also use, for errors outside of OAuth.
const COMMON: [&str; 3] = ["invalid_request", "server_error", "temporarily_unavailable"];

impl OAuthError {
    fn explain(&self) -> Explanation {
        Explanation {
            revision: Some(format!("of OAuth, the same in all: {}", self.defined_in)),
            fault: self.fault,
            retry: self.retry,
            advice: self.advice.to_owned(),
            link: Link::to_logins(),
            ..Explanation::new("error", self.code, self.means)
        }
    }
}

fn known(word: &str) -> Option<&'static OAuthError> {
    OAUTH.iter().find(|row| row.code == word)
}

/// The error with this name, in any spelling.
pub(super) fn named(word: &str) -> Option<Explanation> {
    let wanted = bare(word);
    let found = OAUTH.iter().find(|row| bare(row.code) == wanted);
    found.map(OAuthError::explain)
}

/// Whether a word is the code of an OAuth error that other APIs don't use.
pub(super) fn is_spelled(word: &str) -> bool {
    known(word).is_some() && !COMMON.contains(&word)
}

/// The error in a body that has this word as its code, with the accompanying text.
pub(super) fn in_body(word: &str, said: &str) -> Explanation {
    let explained = known(word).map(OAuthError::explain);
    let explained = explained.unwrap_or_else(|| Explanation {
        fault: Fault::Client,
        retry: Retry::AfterFix,
        advice: "read its message".to_owned(),
        link: Link::to_troubleshooting(),
        ..Explanation::new(
            "error",
            "no code",
            "an error that MCP does not define, such as of a web framework",
        )
    });
    Explanation {
        message: Some(said.to_owned()),
        ..explained
    }
}

/// The names of all OAuth errors.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OAUTH.iter().map(|row| row.code)
}
