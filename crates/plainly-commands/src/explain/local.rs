//! Errors of this program, which no server sent, and the advice about each.

use plainly::client::oauth::OAuthError;
use plainly::client::{AuthError, CloseReason, LocalError};
use plainly::errors::{Fault, Retry};
use serde_json::{Map, Value};

use super::link::Link;
use super::phrases::{Phrase, Speaker, tls_advice};
use super::{Explanation, oauth, status};
use crate::exit::Exit;
use crate::shell_word::shell_word;

/// The party at fault when a command ends with this status, whether to retry, and the advice.
#[rustfmt::skip]
const fn guidance(exit: Exit) -> (Fault, Retry, &'static str) {
    match exit {
        Exit::Success | Exit::Interrupted =>
            (Fault::User, Retry::Immediately, "run the command again"),
        Exit::Failure => (Fault::Server, Retry::AfterFix,
            "read the message; `--log plainly=debug` shows what happened before it"),
        Exit::Usage => (Fault::Client, Retry::AfterFix,
            "correct the command line; --help has examples"),
        Exit::Unreachable => (Fault::Server, Retry::AfterFix,
            "check the address or the command, and that the server is running and speaks MCP"),
        Exit::NotFound => (Fault::Client, Retry::Never,
            "list the resources again, and use one of their URIs"),
        Exit::ToolError => (Fault::Client, Retry::AfterFix,
            "correct the call as the tool's message says"),
        Exit::Refused => (Fault::Client, Retry::AfterFix,
            "correct the request as the server's message says"),
        Exit::Unauthorized => (Fault::User, Retry::AfterFix,
            "log in with `plainly login URL`, or get a token for this server, and send it: \
            --bearer @FILE"),
    }
}

/// The advice about a failure that may not happen again.
const RUN_AGAIN: &str = "run the command again if it is safe to repeat";

/// The advice if a server requires credentials.
const GET_A_TOKEN: &str =
    "get a token for this server, and send it: --bearer @FILE, or --bearer env:NAME";

/// Explains an error of this program in the form of `--json`.
pub(super) fn explain(error: &Map<String, Value>) -> Explanation {
    let text = |name| error.get(name).and_then(Value::as_str);
    let message = text("message").unwrap_or_default();
    let login = error.get("authorization").and_then(|it| it.get("error"));
    let status = message.strip_prefix("HTTP status ");
    let status = status.and_then(|rest| rest.split(' ').next()?.parse().ok());
    let known = login
        .and_then(|code| oauth::named(code.as_str()?))
        .or_else(|| status.map(status::failure))
        .or_else(|| Some(Phrase::within(message, Speaker::Network)?.explain(message)))
        .unwrap_or_else(|| by_exit(text("kind").unwrap_or_default()));
    let advice = text("help").unwrap_or(&known.advice).to_owned();
    Explanation {
        message: Some(message.to_owned()),
        advice,
        ..known
    }
}

/// The explanation of the word for an exit status.
fn by_exit(kind: &str) -> Explanation {
    let exit = Exit::ALL.into_iter().find(|exit| exit.name() == kind);
    let exit = exit.unwrap_or(Exit::Failure);
    let (fault, retry, advice) = guidance(exit);
    Explanation {
        fault,
        retry,
        advice: advice.to_owned(),
        link: Link::to_troubleshooting(),
        ..Explanation::new("local error", exit.name(), exit.meaning())
    }
}

/// The advice about a failure on this side of a connection, unless its text contains advice.
pub(crate) fn for_local(error: &LocalError) -> Option<String> {
    let advice = match error {
        LocalError::Timeout {
            instead: Some(_), ..
        } => "check that it is an MCP server; if it is, report what it sends to its author",
        LocalError::Timeout { .. } => {
            "--timeout waits longer; whether the server acted on the request is unknown"
        }
        LocalError::Closed(closed) => after_end(&closed.reason),
        LocalError::Spawn { program, .. } if program.contains(' ') => {
            "give the program and its arguments as separate words, without quotes around all \
             of them"
        }
        // Only the operating system's errors concern the program itself.
        LocalError::Spawn { source, .. } if source.get_ref().is_some() => {
            "check the directory after --cwd"
        }
        LocalError::Spawn { .. } => "check the name, the path and the permissions of the program",
        LocalError::Unreachable { url, source, .. } => match tls_advice(&**source, url) {
            None => "check the address, and that the server is running",
            advice => return advice,
        },
        LocalError::Interrupted { .. } | LocalError::SessionLost => RUN_AGAIN,
        LocalError::HttpStatus { .. } => return after_status(error),
        LocalError::Authorization(error) => return Some(authorization_advice(error)),
        LocalError::InvalidResponse {
            method,
            result: None,
            why,
            ..
        } if is_opening(method) => after_no_opening(why),
        LocalError::InvalidResponse { .. }
        | LocalError::IrregularError { .. }
        | LocalError::InvalidOutput { .. }
        | LocalError::InvalidSkill { .. }
        | LocalError::EndlessListing { .. }
        | LocalError::TooManyRounds { .. } => {
            "report it to the server's author: the server violates the protocol"
        }
        LocalError::UnsupportedVersion { .. } => {
            "choose a revision that the server supports with --revision, or update client or server"
        }
        LocalError::NotInRevision { .. } => "leave --revision out, or choose a newer one",
        LocalError::Unanswered { .. } => "use a host that can answer what the server asks",
        LocalError::TooManyPages {
            method: "resources/list",
            ..
        } => "stop earlier with --limit",
        LocalError::TaskLost { .. } | LocalError::TaskCancelled { .. } => {
            "call the tool again if it is safe to repeat"
        }
        LocalError::NotListed { .. } => "read the resource: it may exist without being listed",
        LocalError::SkillMismatch { .. } => "list the skills again: they may have changed",
        // Their texts contain the advice.
        LocalError::Configuration { .. }
        | LocalError::ReservedHeader { .. }
        | LocalError::TooManyPages { .. }
        | _ => return None,
    };
    Some(advice.to_owned())
}

/// The advice about a failed authorization. It mentions a token if one would help.
fn authorization_advice(error: &AuthError) -> String {
    if let Some(OAuthError::Unreachable { url, source, .. }) = error.downcast_ref()
        && let Some(advice) = tls_advice(&**source, url)
    {
        return advice;
    }
    let advice = error.advice();
    match error.kind() {
        "metadata" => format!("{advice}, or give a token: --bearer @FILE, or --bearer env:NAME"),
        "login-required" | "no-authorization-server" => {
            format!("{advice}: --bearer @FILE, or --bearer env:NAME")
        }
        _ => advice.into_owned(),
    }
}

/// The advice about a peer that does not support MCP.
fn after_no_opening(why: &str) -> &'static str {
    // This is how a TLS server's answer to plain HTTP appears.
    match why.contains("invalid HTTP version") {
        true => "check that an MCP server answers there; if it uses TLS, its URL begins with https",
        false => {
            "check that an MCP server answers there; over HTTP, the path of its URL is often /mcp"
        }
    }
}

/// Whether the server has not sent any MCP message before the answer to `method`.
fn is_opening(method: &str) -> bool {
    matches!(method, "initialize" | "server/discover" | "GET")
}

/// The advice about an HTTP status without a reply. The library's advice also addresses authors of
/// clients.
fn after_status(error: &LocalError) -> Option<String> {
    let LocalError::HttpStatus {
        method,
        status,
        body,
        retry_after,
        location,
        ..
    } = error
    else {
        return None;
    };
    let location = location.as_deref().filter(|url| url.starts_with("http"));
    Some(match (status, location) {
        (400, _) if body.to_lowercase().contains("https") => {
            "use a URL that begins with https://".to_owned()
        }
        (400, _) => "read the server's message, and check the path of the URL".to_owned(),
        (401, _) => GET_A_TOKEN.to_owned(),
        (_, Some(url)) => format!("use the URL {}", shell_word(url)),
        (404, None) if is_opening(method) => {
            "check the path of the URL, which is often /mcp".to_owned()
        }
        // The server has answered at this URL before, and may have forgotten the session since.
        (404, None) => RUN_AGAIN.to_owned(),
        (status, None) => status::advice(*status, *retry_after),
    })
}

/// The advice about a connection that has ended for this reason.
fn after_end(reason: &CloseReason) -> &'static str {
    match reason {
        CloseReason::NotMessages => {
            "report it to the server's author: a server may write only messages to standard \
             output, and anything else to standard error"
        }
        CloseReason::LineTooLong { .. } => "request less at once",
        // This occurs over HTTP with SSE; reading from a process does not fail.
        CloseReason::Read(_) => RUN_AGAIN,
        CloseReason::Ours | CloseReason::Peer | CloseReason::Write(_) | _ => {
            "run the server's command by itself to see why it ends; --server-log debug shows all \
             that it writes"
        }
    }
}
