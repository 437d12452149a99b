//! What an HTTP status means where MCP is spoken: one table; and the errors of OAuth, which come with two of them.

use std::time::Duration;

use plainly::errors::problem::in_seconds;
use plainly::errors::{Fault, Retry};

use super::Explanation;
use super::link::Link;

/// A status: its name, what it means here, whose fault it is, whether trying again helps, and what to do.
struct StatusRow(u16, &'static str, &'static str, Fault, Retry, &'static str);

use Fault::{Client, Server, User};
use Retry::{AfterDelay, AfterFix, Never};

const MOVED: &str =
    "the endpoint is somewhere else, and clients of MCP do not follow with what they send";
const USE_LOCATION: &str = "use the URL in the Location header; if it leads to a page for people, sign in or ask the operator";
const AWAY: &str = "a proxy in front of the server has no answer from it";
const COME_BACK: &str =
    "wait until the server is back, then send the request again if it is safe to repeat";

#[rustfmt::skip]
const ROWS: &[StatusRow] = &[
    StatusRow(200, "OK", "the request was answered: if it failed, the body says so", Server, Never, "explain the body"),
    StatusRow(202, "Accepted", "the message was taken, and nothing answers it: right for a notification or a response, wrong for a request", Client, AfterFix, "if it was a request, give it an id"),
    StatusRow(204, "No Content", "the session has been ended, as asked", Client, Never, "send initialize to begin another session"),
    StatusRow(301, "Moved Permanently", MOVED, Client, AfterFix, USE_LOCATION),
    StatusRow(302, "Found", MOVED, Client, AfterFix, USE_LOCATION),
    StatusRow(303, "See Other", MOVED, Client, AfterFix, USE_LOCATION),
    StatusRow(307, "Temporary Redirect", MOVED, Client, AfterFix, USE_LOCATION),
    StatusRow(308, "Permanent Redirect", MOVED, Client, AfterFix, USE_LOCATION),
    StatusRow(400, "Bad Request", "the server refuses the message or its headers: they are malformed, contradict each other, lack a session, or name a revision that it does not speak", Client, AfterFix, "correct what the body names; before 2026-07-28, send Mcp-Session-Id and MCP-Protocol-Version with every request after initialize"),
    StatusRow(401, "Unauthorized", "the server wants to know who you are: the token is missing, wrong or expired", Client, AfterFix, "get a token for this server and send it: --header 'Authorization: Bearer TOKEN'"),
    StatusRow(403, "Forbidden", "the server knows who you are, or doesn't care, and does not allow it: a scope is missing, or it does not accept the Host or Origin of the request", Client, AfterFix, "get a token with the scope that WWW-Authenticate names; or reach the server by a name that it accepts"),
    StatusRow(404, "Not Found", "there is no MCP endpoint at this path, or the session is unknown or over; from 2026-07-28 also an unknown method", Client, AfterFix, "check the path, which is often /mcp; within a session, send initialize again"),
    StatusRow(405, "Method Not Allowed", "this path does not take the HTTP method: in answer to GET it only means that there is no stream to listen to", Client, AfterFix, "send messages by POST; if POST is refused, the URL is of HTTP with SSE or no endpoint at all"),
    StatusRow(406, "Not Acceptable", "the client accepts too few media types", Client, AfterFix, "send Accept: application/json, text/event-stream"),
    StatusRow(407, "Proxy Authentication Required", "a proxy on the way wants to know who you are", Client, AfterFix, "give the proxy its user name and password, or go around it"),
    StatusRow(408, "Request Timeout", "the body did not arrive in time", Client, AfterDelay, "send the whole body at once"),
    StatusRow(409, "Conflict", "the stream of this session is open already, or the server did the same already", Client, AfterFix, "close the other stream first"),
    StatusRow(410, "Gone", "the endpoint or its session is gone for good", Client, AfterFix, "send initialize again; if that fails too, look for the server's new address"),
    StatusRow(411, "Length Required", "the server takes no body without Content-Length", Client, AfterFix, "send the length of the body"),
    StatusRow(413, "Content Too Large", "the message is larger than the server, or a proxy before it, takes", Client, AfterFix, "send less in one message"),
    StatusRow(415, "Unsupported Media Type", "the body is not declared as JSON in UTF-8", Client, AfterFix, "send Content-Type: application/json, and no Content-Encoding"),
    StatusRow(421, "Misdirected Request", "the server does not answer to this Host (Python's SDK says so against DNS rebinding)", Client, AfterFix, "use a host name that the server answers to, or have its operator allow this one"),
    StatusRow(422, "Unprocessable Content", "a web framework refuses the body before MCP sees it", Client, AfterFix, "check the path, which is often /mcp, and correct what the body names"),
    StatusRow(426, "Upgrade Required", "the server wants another protocol, such as TLS", Client, AfterFix, "use the protocol in the Upgrade header"),
    StatusRow(429, "Too Many Requests", "the client sends too much in too short a time", Client, AfterDelay, "wait as long as Retry-After says, then send the request again"),
    StatusRow(431, "Request Header Fields Too Large", "the headers are larger than the server takes", Client, AfterFix, "send fewer or shorter headers, such as a shorter token"),
    StatusRow(451, "Unavailable For Legal Reasons", "the server may not answer from here", Client, Never, "ask the server's operator"),
    StatusRow(500, "Internal Server Error", "the server failed, and not in a way that MCP knows", Server, AfterDelay, "try again after a pause if the request is safe to repeat; then ask the server's operator, whose log has the cause"),
    StatusRow(501, "Not Implemented", "the server knows nothing of this HTTP method", Server, Never, "check that the URL is of an MCP server"),
    StatusRow(502, "Bad Gateway", AWAY, Server, AfterDelay, COME_BACK),
    StatusRow(503, "Service Unavailable", "the server, or a proxy before it, takes no requests now", Server, AfterDelay, "wait as long as Retry-After says, then send the request again if it is safe to repeat"),
    StatusRow(504, "Gateway Timeout", "a proxy in front of the server gave up waiting: the request may have been carried out all the same", Server, AfterDelay, "send the request again only if it is safe to repeat; have the operator raise the proxy's limit, as calls can take minutes"),
    StatusRow(511, "Network Authentication Required", "the network wants you to sign in before anything leaves it", User, AfterFix, "sign in to the network in a browser"),
];

/// What a status means of which nobody says more than its first digit.
const CLASSES: [StatusRow; 5] = [
    StatusRow(
        100,
        "Informational",
        "the answer is still to come",
        Server,
        Never,
        "wait for the status that follows",
    ),
    StatusRow(
        200,
        "Success",
        "the request was answered: if it failed, the body says so",
        Server,
        Never,
        "explain the body",
    ),
    StatusRow(300, "Redirection", MOVED, Client, AfterFix, USE_LOCATION),
    StatusRow(
        400,
        "Client Error",
        "the server refuses the request",
        Client,
        AfterFix,
        "correct what the body names",
    ),
    StatusRow(
        500,
        "Server Error",
        "the server, or a proxy before it, failed",
        Server,
        AfterDelay,
        COME_BACK,
    ),
];

fn row(status: u16) -> &'static StatusRow {
    let known = ROWS.iter().find(|row| row.0 == status);
    known.unwrap_or_else(|| {
        let class = CLASSES.iter().rev().find(|row| row.0 <= status);
        class.unwrap_or(&CLASSES[0])
    })
}

/// A status of which nothing else is known.
pub(super) fn explain(status: u16) -> Explanation {
    let StatusRow(_, name, means, fault, retry, advice) = row(status);
    Explanation {
        http_status: Some(status),
        fault: *fault,
        retry: *retry,
        advice: (*advice).to_owned(),
        link: match status {
            403..=406 | 408 | 409 | 413 | 415 => Link::to_refusals(),
            _ => Link::to_troubleshooting(),
        },
        ..Explanation::new("http status", format!("{status} {name}"), *means)
    }
}

/// What to do about a status, and when.
pub(super) fn advice(status: u16, wait: Option<Duration>) -> String {
    match wait {
        Some(wait) => format!("wait {}, then send the request again", in_seconds(wait)),
        None => row(status).5.to_owned(),
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

/// An error of OAuth 2, with the words beside it.
pub(super) fn oauth(word: &str, said: &str) -> Explanation {
    let known = OAUTH.iter().copied().find(|(name, ..)| *name == word);
    let (means, advice) = known.map_or(
        (
            "an error outside of MCP, such as of a web framework",
            "go by its words",
        ),
        |(_, means, advice)| (means, advice),
    );
    let name = if known.is_some() { word } else { "no code" };
    Explanation {
        message: Some(said.to_owned()),
        fault: Client,
        retry: AfterFix,
        advice: advice.to_owned(),
        link: Link::to_troubleshooting(),
        ..Explanation::new("error", name, means)
    }
}
