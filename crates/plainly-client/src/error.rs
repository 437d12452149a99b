//! The errors of calls: the peer's protocol error, or a local error that is never sent. Every
//! failure in this client becomes one of these errors; none of them can be written to a peer.

pub(crate) mod authorization;
mod bounded;
mod challenge;
mod closed;
mod mismatch;
pub(crate) mod mistakes;
mod predicates;
mod retry;
pub(crate) mod status;
mod words;

use std::error::Error as StdError;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::problem::wait_in_words;
use plainly_errors::{Mistake, ProtocolError, Revision};
use plainly_protocol::types::{CallToolResult, InputRequest, RawJson};

pub use self::authorization::{AuthError, AuthorizerError};
use self::bounded::BoundedText;
pub use self::challenge::Challenge;
pub(crate) use self::challenge::Challenges;
pub use self::closed::{CloseReason, ConnectionEnd, Stderr};
pub use self::mismatch::Mismatch;
use self::words::{Asks, CommaSeparated, Instead, ServerText};

/// The result of a call.
pub type Result<T> = std::result::Result<T, Error>;

/// The reason why a call has no result. Two words wide, and cheap to clone.
///
/// The two variants say who failed. A local error has no JSON-RPC code, so it can't be mistaken for
/// the peer's, and can't be sent on to another peer.
///
/// Its text is the server's message and code, or what failed and on what. Other texts of the server
/// are in fields: the [standard error](ConnectionEnd::stderr) of its process, the body of a
/// response, the error object [as received](ProtocolError::received).
#[derive(Clone)]
#[expect(
    clippy::exhaustive_enums,
    reason = "either the peer answered with an error, or it did not"
)]
pub enum Error {
    /// The server answered with an error, recognised whatever code its revision uses.
    Protocol(ProtocolError),
    /// The server did not answer, or its answer is unusable.
    Local(Arc<LocalError>),
}

/// A failure on this client's side of the connection, or on the way.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum LocalError {
    /// No reply came in time. The request was cancelled; the server may have acted on it before.
    #[error("no reply to `{method}` within {after:?}{}", Instead(.instead))]
    #[non_exhaustive]
    Timeout {
        /// The method that was called.
        method: &'static str,
        /// The time that the client waited.
        after: Duration,
        /// The last message of the server that is no reply to any request, if there is one.
        instead: Option<String>,
    },
    /// The connection has ended; connect again. Every request in flight ends with this error.
    #[error(transparent)]
    Closed(Arc<ConnectionEnd>),
    /// The server's program could not be started: check its name, path and permissions.
    #[error("cannot start {program:?}")]
    #[non_exhaustive]
    Spawn {
        /// The program, as the caller wrote it.
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
    #[error("the reply to `{method}` was cut off{}", Instead(.instead))]
    #[non_exhaustive]
    Interrupted {
        /// The method that was called.
        method: &'static str,
        /// The last data of the server that is no message, if there is any.
        instead: Option<String>,
        /// The time to wait that the server asks for (`retry` in its events).
        retry_after: Option<Duration>,
        /// The cause; `None` if the stream just ended before the reply.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
    /// The server answered with an HTTP status and no JSON-RPC message, as a proxy or a wrong URL
    /// would; or with a status that means more than its JSON-RPC error: 401, 403, 407, 429, 502,
    /// 503 and 504.
    #[error("HTTP status {status} {what} to `{method}`{asks}",
        what = if .source.is_some() { "in answer" } else { "without an MCP reply" },
        asks = Asks::of(*.status, .location, (.challenges, .malformed), *.retry_after, .source))]
    #[non_exhaustive]
    HttpStatus {
        /// The method that was called.
        method: &'static str,
        /// The status.
        status: u16,
        /// The beginning of the body, if it is text and no message.
        body: String,
        /// The time to wait that the server asks for (`Retry-After`).
        retry_after: Option<Duration>,
        /// The URL that the server redirects to (`Location`). This client doesn't follow.
        location: Option<String>,
        /// The credentials that the server wants, any one of which suffices (`WWW-Authenticate`).
        challenges: Vec<Challenge>,
        /// The faults of unreadable challenges, in words.
        malformed: Vec<String>,
        /// The JSON-RPC error in the response.
        source: Option<ProtocolError>,
    },
    /// There are no credentials that the server accepts, although this client has or requests some.
    #[error(transparent)]
    Authorization(AuthError),
    /// The server violated the protocol: its reply can't be read. The caller can't do anything
    /// about it. A tool has run all the same, and its output may be in `result`.
    #[error("invalid reply to `{method}`: {}", BoundedText(.why))]
    #[non_exhaustive]
    InvalidResponse {
        /// The method that was called.
        method: &'static str,
        /// The reason why the reply is invalid.
        why: String,
        /// The mistakes in its result, each with its place; empty if the fault is elsewhere.
        mistakes: Vec<Mistake>,
        /// The result as received, if there is one.
        result: Option<RawJson>,
        /// The beginning of the body, if it is no message.
        body: String,
    },
    /// The server answered with an error that is invalid in JSON-RPC, such as plain text, or an
    /// error without a number as its code.
    #[error("irregular error in answer to `{method}`: {}", BoundedText(&Mistake::list(.mistakes)))]
    #[non_exhaustive]
    IrregularError {
        /// The method that was called.
        method: &'static str,
        /// The error as received.
        error: RawJson,
        /// The mistakes in it, each with its place.
        mistakes: Vec<Mistake>,
    },
    /// The tool has run, but its structured output does not match the output schema listed for it.
    #[error("the structured output of tool `{}` does not match its output schema: {}", BoundedText(.tool), BoundedText(&Mistake::list(.mistakes)))]
    #[non_exhaustive]
    InvalidOutput {
        /// The tool.
        tool: String,
        /// The mistakes, each with its place in the output.
        mistakes: Vec<Mistake>,
        /// The result as received.
        result: Box<CallToolResult>,
    },
    /// The server did not declare the capability that the method belongs to; nothing was sent.
    #[error(
        "the server has no {capability}: it did not declare the capability that `{method}` needs"
    )]
    #[non_exhaustive]
    NotDeclared {
        /// The method that was called.
        method: &'static str,
        /// The capability, as `ServerCapabilities` names it.
        capability: &'static str,
    },
    /// The two sides have no revision in common, or the server does not support the pinned one.
    #[error("no protocol version in common: the server offers {}, this client wants {}", CommaSeparated(.offered), CommaSeparated(.wanted))]
    #[non_exhaustive]
    UnsupportedVersion {
        /// The versions that the server offers, as it spelled them.
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
    /// The server asks a question before it answers, but there is no answer: no handler was
    /// registered for it, or the handler refused. The server is not waiting; a task is, and can
    /// still be [answered](crate::TaskHandle::answer).
    #[error("`{method}` needs an answer to `{asked}`, and the client gave none")]
    #[non_exhaustive]
    Unanswered {
        /// The method that was called.
        method: &'static str,
        /// The method of the question.
        asked: &'static str,
        /// The key of the question.
        key: String,
        /// The reason why there is no answer.
        source: ProtocolError,
    },
    /// The server asked for more input too many times in a row, and would probably never stop.
    #[error("`{method}` asked for more input {limit} times")]
    #[non_exhaustive]
    TooManyRounds {
        /// The method that was called.
        method: &'static str,
        /// The most rounds that a call may have.
        limit: usize,
        /// The questions of the last round, which remain unanswered.
        asked: std::collections::BTreeMap<String, InputRequest>,
    },
    /// The task has not ended in the time for which the server stores it, and counts as lost: call
    /// the tool again.
    #[error("the task has not ended within the {} for which the server keeps it", wait_in_words(*.ttl))]
    #[non_exhaustive]
    TaskLost {
        /// The id of the task.
        id: String,
        /// The time that the server stores it.
        ttl: Duration,
    },
    /// The task was cancelled, by another client or by the server, and has no result.
    #[error("the task was cancelled{}", ServerText(.message))]
    #[non_exhaustive]
    TaskCancelled {
        /// The id of the task.
        id: String,
        /// The reason, in the server's words.
        message: Option<String>,
    },
    /// The server ended the session twice in a row; its state there is lost.
    #[error("the server has ended the session")]
    SessionLost,
    /// A listing has more pages than a client reads. Read long listings page by page.
    #[error("the listing of `{method}` has more than {limit} pages")]
    #[non_exhaustive]
    TooManyPages {
        /// The method that was called.
        method: &'static str,
        /// The most pages that are read.
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
    /// The entry of a skill breaks the rules of skills; nothing was read. Don't use the skill, and
    /// inform the server's author.
    #[error("the skill {} breaks the rules: {}", BoundedText(.uri), BoundedText(&Mistake::list(.mistakes)))]
    #[non_exhaustive]
    InvalidSkill {
        /// The `SKILL.md` of the skill.
        uri: String,
        /// The mistakes, each with its place in the entry.
        mistakes: Vec<Mistake>,
    },
    /// A skill can't be verified, because its server generates its content for each reader; nothing
    /// was read.
    #[error("the skill {} can't be verified: its content is dynamic", BoundedText(.uri))]
    #[non_exhaustive]
    DynamicSkill {
        /// The `SKILL.md` of the skill.
        uri: String,
    },
    /// A file of a skill differs from the server's listing: the file was tampered with, or has
    /// changed since. Don't use any part of the skill. Request its entry again (`skills/get`), and
    /// ask the user again if the entry has changed.
    #[error("{} is not what the server lists: {mismatch}; don't use the skill", BoundedText(.uri))]
    #[non_exhaustive]
    SkillMismatch {
        /// The file.
        uri: String,
        /// The difference.
        mismatch: Mismatch,
    },
    /// A skill lists no such file; nothing was read. If the server has one now, the skill has
    /// changed since it was loaded.
    #[error("the skill {} lists no file {}", BoundedText(.skill), BoundedText(.path))]
    #[non_exhaustive]
    NotInSkill {
        /// The URI or the path of the file, as requested.
        path: String,
        /// The `SKILL.md` of the skill.
        skill: String,
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
        /// Its text; never the value of a header or the contents of a file, which may be secret.
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

    /// Adds the data that the server sent instead, if a reply is missing.
    pub(crate) fn with_instead(mut self, sent: Option<String>) -> Self {
        if let Self::Local(error) = &mut self
            && let Some(
                LocalError::Timeout { instead, .. } | LocalError::Interrupted { instead, .. },
            ) = Arc::get_mut(error)
        {
            *instead = sent;
        }
        self
    }

    /// The error of a call whose stream ended before its reply.
    pub(crate) fn interrupted(method: &'static str) -> Self {
        LocalError::Interrupted {
            method,
            instead: None,
            retry_after: None,
            source: None,
        }
        .into()
    }

    /// Adds the time that the server asks to wait before a stream that broke off is reopened.
    #[cfg(feature = "http")]
    pub(crate) fn with_retry(mut self, asked: Option<Duration>) -> Self {
        if let Self::Local(error) = &mut self
            && let Some(LocalError::Interrupted { retry_after, .. }) = Arc::get_mut(error)
        {
            *retry_after = asked;
        }
        self
    }

    /// Whether a stream that ended with this error may be available again later.
    pub(crate) fn is_passing(&self) -> bool {
        let is_session_lost = matches!(self.local(), Some(LocalError::SessionLost));
        is_session_lost || self.is_retryable() && !self.is_closed()
    }

    pub(crate) fn invalid_response(method: &'static str, why: impl Into<String>) -> Self {
        LocalError::InvalidResponse {
            method,
            why: why.into(),
            mistakes: Vec::new(),
            result: None,
            body: String::new(),
        }
        .into()
    }

    /// The error of a call whose result, which is JSON, has these mistakes.
    pub(crate) fn invalid_result(
        method: &'static str,
        json: &[u8],
        mistakes: Vec<Mistake>,
    ) -> Self {
        LocalError::InvalidResponse {
            method,
            why: Mistake::list(&mistakes),
            mistakes,
            result: serde_json::from_slice(json).ok(),
            body: String::new(),
        }
        .into()
    }
}

impl From<LocalError> for Error {
    fn from(error: LocalError) -> Self {
        Self::Local(Arc::new(error))
    }
}

impl From<ProtocolError> for Error {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Protocol(error) => error.source(),
            Self::Local(error) => error.source(),
        }
    }
}

/// Whether a status is about the client's identity or rate, or from an intermediary. Such a status
/// is no evidence of the server's era, and means more than an ambiguous error code in the body.
pub(crate) fn is_of_the_way(code: u16) -> bool {
    matches!(code, 401 | 403 | 407 | 429 | 502..=504)
}

#[cfg(test)]
mod tests {
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
        assert!(size_of::<Result<CallToolResult>>() <= most);
        assert!(size_of::<std::result::Result<CallToolResult, ProtocolError>>() <= most);
    }

    #[test]
    fn each_error_is_one_line_and_keeps_its_cause_apart() {
        let closed =
            ConnectionEnd::without_words(CloseReason::Write(io::ErrorKind::BrokenPipe.into()));
        let cases: [(Error, &str, bool); 5] = [
            (
                LocalError::Closed(Arc::new(closed)).into(),
                "writing to the server failed",
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
                    instead: None,
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
    fn a_status_is_shown_with_what_it_asks_for_and_explained_by_the_error_beside_it() {
        let status = |status, body: &str, source| LocalError::HttpStatus {
            method: "ping",
            status,
            body: body.to_owned(),
            retry_after: None,
            location: None,
            challenges: Vec::new(),
            malformed: Vec::new(),
            source,
        };
        let page = status(502, "Bad Gateway\nnginx", None);
        assert_eq!(
            page.to_string(),
            "HTTP status 502 without an MCP reply to `ping`"
        );
        assert!(page.source().is_none());
        let error = status(
            401,
            "",
            Some(ProtocolError::invalid_request("who are you?")),
        );
        assert_eq!(
            error.to_string(),
            "HTTP status 401 in answer to `ping`; the server wants credentials in the header `Authorization`"
        );
        assert_eq!(error.source().unwrap().to_string(), "who are you?");
    }
}
