//! The table of HTTP statuses with their meanings in MCP, for clients that retry and for users who
//! look them up. The statuses of this crate's errors are those of their
//! [conditions](crate::conditions).

use crate::advice::Fault::{self, Client, Server, Unknown, User};
use crate::retry::Retry::{self, AfterDelay, AfterFix, Never};

/// An HTTP status in response to an MCP message.
///
/// ```
/// use plainly_errors::{HttpStatus, Retry};
///
/// let busy = HttpStatus::of(503);
/// assert_eq!((busy.name, busy.retry), ("Service Unavailable", Retry::AfterDelay));
/// // A status that nobody knows is one of its class.
/// assert_eq!(HttpStatus::of(599).name, "Server Error");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpStatus {
    /// The number of the status; for a class, its first number.
    pub code: u16,
    /// The name of the status in HTTP.
    pub name: &'static str,
    /// The meaning in MCP.
    pub meaning: &'static str,
    /// The side at fault.
    pub fault: Fault,
    /// Whether sending the request again helps.
    pub retry: Retry,
    /// The advice, in one sentence without a full stop.
    pub advice: &'static str,
}

const ANSWERED: &str = "the request was answered: if it failed, the body says so";
const READ: &str = "read the body";
const MOVED: &str =
    "the endpoint is somewhere else, and clients of MCP do not follow with what they send";
const USE_LOCATION: &str =
    "use the URL in the Location header; if it leads to a web page, sign in or ask the operator";
const AWAY: &str = "a proxy in front of the server has no answer from it";
const COME_BACK: &str =
    "wait until the server is back, then send the request again if it is safe to repeat";

const fn row(
    code: u16,
    name: &'static str,
    meaning: &'static str,
    fault: Fault,
    retry: Retry,
    advice: &'static str,
) -> HttpStatus {
    HttpStatus {
        code,
        name,
        meaning,
        fault,
        retry,
        advice,
    }
}

#[rustfmt::skip]
static STATUSES: &[HttpStatus] = &[
    row(200, "OK", ANSWERED, Unknown, Never, READ),
    row(202, "Accepted", "the message was accepted, and has no answer: right for a notification or a response, wrong for a request", Unknown, Never, "if it was a request, give it an id"),
    row(204, "No Content", "the session has been ended, as asked", Unknown, Never, "send initialize to begin another session"),
    row(301, "Moved Permanently", MOVED, Client, AfterFix, USE_LOCATION),
    row(302, "Found", MOVED, Client, AfterFix, USE_LOCATION),
    row(303, "See Other", MOVED, Client, AfterFix, USE_LOCATION),
    row(307, "Temporary Redirect", MOVED, Client, AfterFix, USE_LOCATION),
    row(308, "Permanent Redirect", MOVED, Client, AfterFix, USE_LOCATION),
    row(400, "Bad Request", "the server refuses the message or its headers: they are malformed, contradict each other, lack a session, or name a revision that it does not speak", Client, AfterFix, "correct what the body names; before 2026-07-28, send Mcp-Session-Id and MCP-Protocol-Version with every request after initialize"),
    row(401, "Unauthorized", "the server requires authentication: the token is missing, wrong or expired", Client, AfterFix, "get a token for this server, and send it in a header: Authorization: Bearer TOKEN"),
    row(403, "Forbidden", "the server does not allow the request: a scope is missing, or it does not accept the Host or Origin of the request", Client, AfterFix, "get a token with the scope that WWW-Authenticate names; or reach the server by a name that it accepts"),
    row(404, "Not Found", "there is no MCP endpoint at this path, or the session is unknown or over; from 2026-07-28 also an unknown method", Client, AfterFix, "check the path, which is often /mcp; within a session, send initialize again"),
    row(405, "Method Not Allowed", "this path does not accept the HTTP method: in answer to GET it only means that there is no stream to listen to", Client, AfterFix, "send messages by POST; if POST is refused, the URL is of HTTP with SSE or no endpoint at all"),
    row(406, "Not Acceptable", "the client accepts too few media types", Client, AfterFix, "send Accept: application/json, text/event-stream"),
    row(407, "Proxy Authentication Required", "a proxy on the way requires authentication", Client, AfterFix, "give the proxy its user name and password, or go around it"),
    row(408, "Request Timeout", "the body did not arrive in time", Client, AfterDelay, "send the whole body at once"),
    row(409, "Conflict", "the stream of this session is open already, or the server did the same already", Client, AfterFix, "close the other stream first"),
    row(410, "Gone", "the endpoint or its session is gone for good", Client, AfterFix, "send initialize again; if that fails too, look for the server's new address"),
    row(411, "Length Required", "the server accepts no body without Content-Length", Client, AfterFix, "send the length of the body"),
    row(413, "Content Too Large", "the message is larger than the server, or a proxy before it, accepts", Client, AfterFix, "send less in one message"),
    row(415, "Unsupported Media Type", "the body is not declared as JSON in UTF-8", Client, AfterFix, "send Content-Type: application/json, and no Content-Encoding"),
    row(421, "Misdirected Request", "the server does not answer to this Host (Python's SDK says so against DNS rebinding)", Client, AfterFix, "use a host name that the server answers to, or have its operator allow this one"),
    row(422, "Unprocessable Content", "a web framework refuses the body before MCP sees it", Client, AfterFix, "check the path, which is often /mcp, and correct what the body names"),
    row(426, "Upgrade Required", "the server requires another protocol, such as TLS", Client, AfterFix, "use the protocol in the Upgrade header"),
    row(429, "Too Many Requests", "the client sends too much in too short a time", Client, AfterDelay, "wait as long as Retry-After says, or else a moment, then send the request again"),
    row(431, "Request Header Fields Too Large", "the headers are larger than the server accepts", Client, AfterFix, "send fewer or shorter headers, such as a shorter token"),
    row(451, "Unavailable For Legal Reasons", "the server may not answer from here", Client, Never, "ask the server's operator"),
    row(500, "Internal Server Error", "the server failed, and not in a way that MCP knows", Server, AfterDelay, "only the server knows whether the request was carried out: try again after a pause if it is safe to repeat; then ask the server's operator, whose log has the cause"),
    row(501, "Not Implemented", "the server knows nothing of this HTTP method", Server, Never, "check that the URL is of an MCP server"),
    row(502, "Bad Gateway", AWAY, Server, AfterDelay, COME_BACK),
    row(503, "Service Unavailable", "the server, or a proxy before it, accepts no requests now", Server, AfterDelay, "wait as long as Retry-After says, or else a moment, then send the request again if it is safe to repeat"),
    row(504, "Gateway Timeout", "a proxy in front of the server gave up waiting: the request may have been carried out all the same", Server, AfterDelay, "send the request again only if it is safe to repeat; have the operator raise the proxy's limit, as calls can take minutes"),
    row(505, "HTTP Version Not Supported", "the server does not speak this version of HTTP", Client, AfterFix, "use another version of HTTP"),
    row(511, "Network Authentication Required", "the network requires a sign-in", User, AfterFix, "sign in to the network in a browser"),
];

/// The meaning of an unassigned status, by class.
#[rustfmt::skip]
static CLASSES: [HttpStatus; 5] = [
    row(100, "Informational", "the answer is still to come", Unknown, Never, "wait for the status that follows"),
    row(200, "Success", ANSWERED, Unknown, Never, READ),
    row(300, "Redirection", MOVED, Client, AfterFix, USE_LOCATION),
    row(400, "Client Error", "the server refuses the request", Client, AfterFix, "correct what the body names"),
    row(500, "Server Error", "the server, or a proxy before it, failed", Server, AfterDelay, COME_BACK),
];

impl HttpStatus {
    /// The row of a status, or that of its class if the status has none.
    #[must_use]
    pub fn of(code: u16) -> &'static Self {
        let known = STATUSES.iter().find(|row| row.code == code);
        known.unwrap_or_else(|| {
            let [informational, classes @ ..] = &CLASSES;
            let class = classes.iter().rev().find(|row| row.code <= code);
            class.unwrap_or(informational)
        })
    }

    /// Whether the status means that the request failed.
    #[must_use]
    pub const fn is_failure(&self) -> bool {
        self.code >= 300
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_one_row_or_is_one_of_its_class() {
        for (at, row) in STATUSES.iter().enumerate() {
            assert_eq!(HttpStatus::of(row.code), row);
            assert!(STATUSES[..at].iter().all(|before| before.code < row.code));
            assert_eq!(row.is_failure(), row.fault != Unknown, "{}", row.code);
        }
        for (code, class) in [
            (0, 100),
            (199, 100),
            (299, 200),
            (399, 300),
            (499, 400),
            (999, 500),
        ] {
            assert_eq!(HttpStatus::of(code).code, class);
        }
    }
}
