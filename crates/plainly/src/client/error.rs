//! The errors of calls: the peer's protocol error, or a local error that is never sent. Everything that fails in this
//! client ends up here; nothing in here can be written to a peer.

mod predicates;
mod retry;

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::{ProtocolError, Revision};

use crate::transport::Escaped;

/// Why a call has no result. Two words wide.
///
/// The two variants say who failed. A local error has no JSON-RPC code, so it can't be mistaken for the peer's, and
/// can't be sent on to another peer.
#[derive(Debug, thiserror::Error)]
#[expect(
    clippy::exhaustive_enums,
    reason = "either the peer answered with an error, or it did not"
)]
pub enum Error {
    /// The server answered with an error. Recognised by type, whatever number its revision uses.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The server did not answer, or not with anything usable.
    #[error(transparent)]
    Local(Box<LocalError>),
}

/// A failure on our side of the connection, or on the way.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// No reply came in time. The request was cancelled; whether the server had acted on it is unknown.
    #[error("no reply to `{method}` within {after:?}")]
    #[non_exhaustive]
    Timeout {
        /// The method that was called.
        method: &'static str,
        /// The time that the client waited.
        after: Duration,
    },
    /// The connection has ended; connect again. Every request that was in flight ends with this error.
    #[error(transparent)]
    Closed(Arc<Closed>),
    /// The server's program could not be started: check its name, path and permissions.
    #[error("cannot start {program:?}")]
    #[non_exhaustive]
    Spawn {
        /// The program, as it was asked for.
        program: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Nothing could be reached at this URL: check the address, and that the server is running.
    #[error("cannot reach {url}")]
    #[non_exhaustive]
    Unreachable {
        /// The URL, without user name, password, query and fragment.
        url: String,
        /// The cause, in name resolution, connecting or TLS.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The reply over HTTP was cut off. Whether the server had acted on the request is unknown.
    #[error("the reply to `{method}` was cut off")]
    #[non_exhaustive]
    Interrupted {
        /// The method that was called.
        method: &'static str,
        /// The cause; `None` if the stream just ended before the reply.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
    /// The server answered with an HTTP status and no JSON-RPC message, as a proxy or a wrong URL would; or with a
    /// status that says more than the error beside it: 401, 403, 407, 429, 502, 503 and 504.
    #[error("HTTP status {status} {what} to `{method}`{excerpt}",
        what = if .source.is_some() { "in answer" } else { "without an MCP reply" },
        excerpt = Excerpt(.body))]
    #[non_exhaustive]
    HttpStatus {
        /// The method that was called.
        method: &'static str,
        /// The status.
        status: u16,
        /// The beginning of the body, if it is text and no message.
        body: String,
        /// How long the server asks to wait (`Retry-After`).
        retry_after: Option<Duration>,
        /// The error beside it.
        source: Option<ProtocolError>,
    },
    /// The server violated the protocol: its reply can't be read. There is nothing the caller can do about it.
    #[error("invalid reply to `{method}`: {why}")]
    #[non_exhaustive]
    InvalidResponse {
        /// The method that was called.
        method: &'static str,
        /// The reason why the reply is invalid.
        why: String,
        /// The error from parsing the reply, if it was parsed.
        source: Option<serde_json::Error>,
    },
    /// The two sides have no revision in common, or the server does not support the pinned one.
    #[error("no protocol version in common: the server offers {}, this client wants {}", CommaSeparated(.offered), CommaSeparated(.wanted))]
    #[non_exhaustive]
    UnsupportedVersion {
        /// The versions that the server offers, as it wrote them.
        offered: Vec<String>,
        /// The revisions that this client accepts.
        wanted: Vec<Revision>,
    },
    /// The method does not exist in the revision in use; the request was not sent.
    #[error("`{method}` does not exist in revision {revision}")]
    #[non_exhaustive]
    NotInRevision {
        /// The method that was called.
        method: &'static str,
        /// The revision of the connection.
        revision: Revision,
    },
    /// The server asks a question before it answers, but there is no answer: no handler was registered for it, or the
    /// handler refused. The server is not waiting.
    #[error("`{method}` needs an answer to `{asked}`, and there is no handler for it")]
    #[non_exhaustive]
    Unanswered {
        /// The method that was called.
        method: &'static str,
        /// The method of the question.
        asked: &'static str,
        /// The key of the question.
        key: String,
        /// Why there is no answer.
        source: ProtocolError,
    },
    /// The server asked for more too many times in a row; it would probably continue forever.
    #[error("`{method}` asked for more input {limit} times")]
    #[non_exhaustive]
    TooManyRounds {
        /// The method that was called.
        method: &'static str,
        /// The most rounds that a call takes.
        limit: usize,
    },
    /// The server ended the session twice in a row; its state there is lost.
    #[error("the server has ended the session")]
    SessionLost,
    /// A listing has more pages than a client reads. Where you expect that, read it page by page.
    #[error("the listing of `{method}` has more than {limit} pages")]
    #[non_exhaustive]
    TooManyPages {
        /// The method that was called.
        method: &'static str,
        /// The most that are read.
        limit: usize,
    },
    /// A listing leads back to a page that was already read, and so would never end.
    #[error("the listing of `{method}` leads back to an earlier page")]
    #[non_exhaustive]
    EndlessListing {
        /// The method that was called.
        method: &'static str,
    },
    /// The server does not support `resources/metadata`, and the resource is not in its listing.
    #[error("the server does not support `resources/metadata`, and {uri} is not in its listing")]
    #[non_exhaustive]
    NotListed {
        /// The URI as requested.
        uri: String,
    },
    /// The arguments of the call can't be serialised as a JSON object; nothing was sent.
    #[error("the parameters of `{method}` are not a JSON object")]
    #[non_exhaustive]
    Parameters {
        /// The method that was called.
        method: &'static str,
        /// The error from serialising them; `None` if they are JSON but not an object.
        source: Option<serde_json::Error>,
    },
    /// The URL or a header that this client was built with is invalid.
    #[error("invalid {what}: {value:?}")]
    #[non_exhaustive]
    Configuration {
        /// The invalid setting.
        what: &'static str,
        /// Its text; never the value of a header, which may be a secret.
        value: String,
    },
    /// This client was built with a header that it writes itself: leave it out.
    #[error("header {name:?} can't be set: {why}")]
    #[non_exhaustive]
    ReservedHeader {
        /// The name of the header.
        name: String,
        /// The reason why the client writes it itself.
        why: &'static str,
    },
}

/// Why and how a connection over a byte stream ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct Closed {
    /// Which side ended the connection, and why.
    pub reason: CloseReason,
    /// How the process ended, if we started the server and it has ended.
    pub exit: Option<ExitStatus>,
    /// The last 64 KiB that the process wrote to standard error; bytes that are not UTF-8 are replaced.
    pub stderr: String,
}

/// The end of a connection: who ended it, and why.
#[derive(Debug)]
#[non_exhaustive]
pub enum CloseReason {
    /// This client did.
    Ours,
    /// The server did: it closed its output or exited.
    Peer,
    /// Reading failed.
    Read(io::Error),
    /// Writing failed.
    Write(io::Error),
    /// The server sent a line longer than the client accepts.
    LineTooLong {
        /// The most bytes that are read.
        limit: usize,
    },
    /// The server sent too many lines that are not JSON-RPC messages: its output is probably used for something else.
    NotMessages,
}

impl Error {
    /// The server's error, if it answered with one.
    pub fn protocol(&self) -> Option<&ProtocolError> {
        match self {
            Self::Protocol(error) => Some(error),
            Self::Local(_) => None,
        }
    }

    /// The local error, if the server did not answer with one.
    pub fn local(&self) -> Option<&LocalError> {
        match self {
            Self::Protocol(_) => None,
            Self::Local(error) => Some(error),
        }
    }

    pub(super) fn invalid_response(method: &'static str, why: impl Into<String>) -> Self {
        LocalError::InvalidResponse {
            method,
            why: why.into(),
            source: None,
        }
        .into()
    }
}

impl From<LocalError> for Error {
    fn from(error: LocalError) -> Self {
        Self::Local(Box::new(error))
    }
}

impl Closed {
    pub(super) fn without_words(reason: CloseReason) -> Self {
        Self {
            reason,
            exit: None,
            stderr: String::new(),
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            CloseReason::Ours => f.write_str("the connection was closed by this client"),
            CloseReason::Peer if self.exit.is_some() => f.write_str("the server exited"),
            CloseReason::Peer => f.write_str("the server closed the connection"),
            CloseReason::Read(_) => f.write_str("reading from the server failed"),
            CloseReason::Write(_) => f.write_str("writing to the server failed"),
            CloseReason::LineTooLong { limit } => {
                write!(f, "the server sent a line of more than {limit} bytes")
            }
            CloseReason::NotMessages => {
                f.write_str("the server sent too many lines that are not JSON-RPC messages")
            }
        }?;
        if let Some(exit) = self.exit {
            write!(f, " ({exit})")?;
        }
        let said = self.stderr.lines().rev();
        let mut said = said.filter(|line| !line.trim().is_empty());
        let last = said.clone().next();
        // The lines after the error are mostly a stack trace, a version or a hint.
        let told = said.find(|line| line.to_ascii_lowercase().contains("error"));
        match told.or(last) {
            Some(line) => write!(f, ": {}", Escaped(line.trim_end())),
            None => Ok(()),
        }
    }
}

impl StdError for Closed {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match &self.reason {
            CloseReason::Read(error) | CloseReason::Write(error) => Some(error),
            CloseReason::Ours
            | CloseReason::Peer
            | CloseReason::LineTooLong { .. }
            | CloseReason::NotMessages => None,
        }
    }
}

struct Excerpt<'a>(&'a str);

impl fmt::Display for Excerpt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The beginning of an HTML page doesn't say why.
        let is_markup = self.0.trim_start().starts_with('<');
        match self.0.lines().next().filter(|_| !is_markup) {
            Some(line) => write!(f, ": {}", Escaped(line)),
            None => Ok(()),
        }
    }
}

struct CommaSeparated<'a, T>(&'a [T]);

impl<T: fmt::Display> fmt::Display for CommaSeparated<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else {
            return f.write_str("none");
        };
        write!(f, "{}", Escaped(&first.to_string()))?;
        rest.iter()
            .try_for_each(|item| write!(f, ", {}", Escaped(&item.to_string())))
    }
}

/// Whether a status is about the client's identity or rate, or from an intermediary. It says nothing about the server's
/// era, and says more than an error number in the body that could mean anything.
pub(super) fn is_of_the_way(code: u16) -> bool {
    matches!(code, 401 | 403 | 407 | 429 | 502..=504)
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::CallToolResult;

    use super::*;

    #[test]
    fn an_error_is_two_words_and_sendable() {
        fn sendable<T: Send + Sync + 'static>() {}
        sendable::<Error>();
        assert_eq!(size_of::<Error>(), 2 * size_of::<usize>());
    }

    #[test]
    fn an_error_makes_no_result_larger_than_by_two_words() {
        let words = 2 * size_of::<usize>();
        let most = size_of::<CallToolResult>() + words;
        assert!(size_of::<Result<CallToolResult, Error>>() <= most);
        assert!(size_of::<Result<CallToolResult, ProtocolError>>() <= most);
    }

    #[test]
    fn a_process_is_quoted_with_its_error_and_not_with_what_it_says_after_it() {
        let quoted = |stderr: &str| {
            let stderr = stderr.to_owned();
            let reason = CloseReason::Peer;
            Closed {
                reason,
                exit: None,
                stderr,
            }
            .to_string()
        };
        let missing = "Error [ERR]: no package x\n    at load (node:1)\n\nNode.js v20\n";
        assert!(quoted(missing).ends_with(": Error [ERR]: no package x"));
        assert!(quoted("starting\ngone\n").ends_with(": gone"));
    }

    #[test]
    fn each_error_is_one_line_and_keeps_its_cause_apart() {
        let closed = Closed {
            reason: CloseReason::Write(io::ErrorKind::BrokenPipe.into()),
            exit: None,
            stderr: "starting\npanic: \u{1b}[31mno disk\n\n".to_owned(),
        };
        let cases: [(Error, &str, bool); 5] = [
            (
                LocalError::Closed(Arc::new(closed)).into(),
                r"writing to the server failed: panic: \u{1b}[31mno disk",
                true,
            ),
            (
                LocalError::UnsupportedVersion {
                    offered: vec!["1.0".to_owned(), "2.0".to_owned()],
                    wanted: vec![Revision::V2026_07_28],
                }
                .into(),
                "no protocol version in common: the server offers 1.0, 2.0, this client wants 2026-07-28",
                false,
            ),
            (
                LocalError::Spawn {
                    program: "/no/such".to_owned(),
                    source: io::ErrorKind::NotFound.into(),
                }
                .into(),
                r#"cannot start "/no/such""#,
                true,
            ),
            (
                LocalError::Timeout {
                    method: "tools/call",
                    after: Duration::from_millis(1500),
                }
                .into(),
                "no reply to `tools/call` within 1.5s",
                false,
            ),
            (
                ProtocolError::internal("the index is unreadable").into(),
                "the index is unreadable",
                true,
            ),
        ];
        for (error, text, has_source) in cases {
            assert_eq!(error.to_string(), text);
            assert_eq!(StdError::source(&error).is_some(), has_source, "{text}");
        }
    }

    #[test]
    fn a_status_is_shown_with_the_body_or_explained_by_the_error_beside_it() {
        let status = |status, body: &str, source| LocalError::HttpStatus {
            method: "ping",
            status,
            body: body.to_owned(),
            retry_after: None,
            source,
        };
        let page = status(502, "Bad Gateway\nnginx", None);
        assert_eq!(
            page.to_string(),
            "HTTP status 502 without an MCP reply to `ping`: Bad Gateway"
        );
        let markup = status(404, "\n<!DOCTYPE html>", None).to_string();
        assert_eq!(markup, "HTTP status 404 without an MCP reply to `ping`");
        assert!(page.source().is_none());
        let error = status(
            401,
            "",
            Some(ProtocolError::invalid_request("who are you?")),
        );
        assert_eq!(error.to_string(), "HTTP status 401 in answer to `ping`");
        assert_eq!(error.source().unwrap().to_string(), "who are you?");
    }
}
