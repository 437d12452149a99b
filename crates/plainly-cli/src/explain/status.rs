//! An HTTP status, explained from the library's table; and the errors of OAuth, which come with two of them.

use std::time::Duration;

use plainly::errors::problem::wait_in_words;
use plainly::errors::{Fault, HttpStatus, Retry};

use super::Explanation;
use super::link::Link;

/// A status of which nothing else is known; or why it is no error.
pub(super) fn explain(code: u16) -> Result<Explanation, Vec<String>> {
    let status = HttpStatus::of(code);
    match status.is_failure() {
        true => Ok(failure(code)),
        false => Err(vec![format!(
            "HTTP status {} is no error: {}",
            title(code),
            status.meaning
        )]),
    }
}

/// The number and the name of a status.
pub(super) fn title(code: u16) -> String {
    format!("{code} {}", HttpStatus::of(code).name)
}

/// The same, where something has failed whatever the status says.
pub(super) fn failure(code: u16) -> Explanation {
    let status = HttpStatus::of(code);
    Explanation {
        http_status: Some(code),
        fault: status.fault,
        retry: status.retry,
        advice: status.advice.to_owned(),
        link: match code {
            403..=406 | 408 | 409 | 413 | 415 => Link::to_refusals(),
            _ => Link::to_troubleshooting(),
        },
        ..Explanation::new(
            "http status",
            format!("{code} {}", status.name),
            status.meaning,
        )
    }
}

/// What to do about a status, and when.
pub(super) fn advice(code: u16, wait: Option<Duration>) -> String {
    match wait {
        Some(wait) => format!("wait {}, then send the request again", wait_in_words(wait)),
        None => HttpStatus::of(code).advice.to_owned(),
    }
}

/// Whether a status says more than the error in the body: it is about who asks, or from somebody on the way.
pub(super) const fn outweighs_its_body(status: u16) -> bool {
    matches!(status, 300..=399 | 401 | 403 | 407 | 421 | 429 | 502..=504 | 511)
}

/// What an error of OAuth 2 asks for: the code, what it means and what to do.
const OAUTH: &[(&str, &str, &str)] = &[
    (
        "invalid_token",
        "the token is expired, revoked or of another server",
        "get a new token for this very server, and send that",
    ),
    (
        "insufficient_scope",
        "the token does not allow this",
        "get a token with the scope that WWW-Authenticate names",
    ),
    (
        "invalid_request",
        "the request for a token or with one is malformed",
        "send the token in one place alone: the header Authorization: Bearer",
    ),
    (
        "invalid_client",
        "the authorization server does not know this client",
        "register the client, or correct its id and secret",
    ),
    (
        "invalid_grant",
        "the authorization code or the refresh token is used up or expired",
        "let the user sign in again",
    ),
    (
        "invalid_scope",
        "the scope that was asked for does not exist",
        "ask for the scopes that the server's metadata lists",
    ),
    (
        "invalid_target",
        "the authorization server has no tokens for this server",
        "send the server's URL as the resource when asking for a token",
    ),
    (
        "access_denied",
        "the user or the authorization server said no",
        "let the user sign in again and agree",
    ),
    (
        "unauthorized_client",
        "this client may not ask for tokens in this way",
        "register the client for this grant",
    ),
    (
        "unsupported_grant_type",
        "the authorization server has no such grant",
        "use a grant that its metadata lists",
    ),
];

/// What an error of OAuth 2 means, and what to do about it.
pub(super) fn of_oauth(word: &str) -> Option<(&'static str, &'static str)> {
    let known = OAUTH.iter().find(|(name, ..)| *name == word);
    known.map(|(_, means, advice)| (*means, *advice))
}

/// An error of OAuth 2, with the words beside it.
pub(super) fn oauth(word: &str, said: &str) -> Explanation {
    const UNKNOWN: (&str, &str) = (
        "an error outside of MCP, such as of a web framework",
        "go by its words",
    );
    let known = of_oauth(word);
    let (means, advice) = known.unwrap_or(UNKNOWN);
    let name = if known.is_some() { word } else { "no code" };
    Explanation {
        message: Some(said.to_owned()),
        fault: Fault::Client,
        retry: Retry::AfterFix,
        advice: advice.to_owned(),
        link: Link::to_troubleshooting(),
        ..Explanation::new("error", name, means)
    }
}
