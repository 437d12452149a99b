//! The text of an error in one line: the failure, and the most useful text about its cause from a
//! server, its process or the system.

use plainly::client::{CloseReason, ConnectionEnd, LocalError};
use plainly::errors::mistake::shortened;
use plainly::errors::{Code, ProtocolError};
use serde_json::Value;

use super::last_words::reason;
use super::prose::{words, words_of_body};
use crate::visible::visible;

/// The most bytes of a cause that are shown, because a server may send any text.
pub(crate) const LONGEST_CAUSE: usize = 1_024;
/// The most bytes of text that is found in data.
const LONGEST_WORDS: usize = 512;
/// The most problems that are named.
const NAMED: usize = 20;

/// Messages that only mean that there was an error.
const EMPTY: [&str; 11] = [
    "",
    "bad request",
    "error",
    "failed",
    "internal",
    "internal error",
    "internal server error",
    "invalid params",
    "invalid request",
    "server error",
    "unknown error",
];

/// The error and its innermost cause, because the causes in between are less useful.
pub(crate) fn with_cause(error: &dyn std::error::Error) -> String {
    let causes = || std::iter::successors(error.source(), |cause| cause.source());
    // A server's error is the best known cause, even if it has a cause itself.
    let cause = causes().find(|cause| cause.is::<ProtocolError>());
    let cause = cause.or_else(|| causes().last());
    joined(&error.to_string(), cause.map(ToString::to_string))
}

/// A failure on this side, with the text of the other side.
pub(crate) fn of_local(error: &LocalError) -> String {
    if let LocalError::Closed(closed) = error {
        return joined(&closed.to_string(), last_words(closed));
    }
    let text = with_cause(error);
    let words = words_beside(error).map(|words| visible(&shortened(&words, LONGEST_WORDS)));
    match words {
        Some(words) if !says(&text, &words) => format!("{text}; it says: {words}"),
        Some(_) | None => text,
    }
}

/// A server's error: its message, without parts that mean nothing, and the text in its data.
pub(crate) fn of_answer(error: &ProtocolError) -> String {
    let message = error.message();
    let message = message.trim();
    let message = prefixed(message).map_or(message, |(_, rest)| rest);
    let data = error.received().and_then(|it| it.data.as_ref());
    let is_empty = error.kind().is_vague()
        && EMPTY.contains(&message.trim_end_matches('.').to_lowercase().as_str());
    let mut beside: Vec<String> = match data.filter(|_| is_empty) {
        Some(data) => vec![
            words(data)
                .unwrap_or_else(|| data.to_string().into())
                .into_owned(),
        ],
        None => Vec::new(),
    };
    let problems = error.problems();
    let problems = problems.iter().flatten().take(NAMED);
    let problems = problems.filter(|problem| !says(message, sentence(problem.message())));
    beside.extend(problems.map(|problem| {
        let parts = [Some(problem.message()), problem.suggestion()];
        let parts = parts.into_iter().flatten().map(sentence);
        parts.collect::<Vec<_>>().join(". ")
    }));
    let beside: Vec<_> = beside
        .iter()
        .map(|it| shortened(it, LONGEST_WORDS))
        .collect();
    let text = match (message, beside.is_empty()) {
        ("", true) => "no reason was given".to_owned(),
        ("", false) => beside.join("; "),
        (_, true) => shortened(message, LONGEST_CAUSE).into_owned(),
        (_, false) => format!(
            "{}: {}",
            shortened(message.trim_end_matches('.'), LONGEST_CAUSE),
            beside.join("; ")
        ),
    };
    let code = error.named_code().map(|code| format!(" ({code})"));
    visible(&text) + &code.unwrap_or_default()
}

/// The code and the rest of a message, which version 1 of the TypeScript SDK starts with its code.
pub(super) fn prefixed(message: &str) -> Option<(Code, &str)> {
    let (code, rest) = message.strip_prefix("MCP error ")?.split_once(": ")?;
    Some((Code::new(code.parse().ok()?), rest))
}

/// The reason in the standard error of a process, unless this client determined the reason. If a
/// signal ended the process, only an error counts.
fn last_words(closed: &ConnectionEnd) -> Option<String> {
    let is_by_signal = closed.exit.is_some_and(|exit| exit.code().is_none());
    match &closed.reason {
        CloseReason::LineTooLong { .. } | CloseReason::NotMessages => None,
        CloseReason::Read(error) | CloseReason::Write(error) => {
            reason(&closed.stderr, true).or_else(|| Some(error.to_string()))
        }
        CloseReason::Ours | CloseReason::Peer | _ => reason(&closed.stderr, is_by_signal),
    }
}

/// The server's text in an unreadable reply, because a tool may have explained its failure there.
fn words_beside(error: &LocalError) -> Option<String> {
    if let LocalError::IrregularError { error, .. } = error {
        let error: Value = error.decode().ok()?;
        return words(&error).map(Into::into);
    }
    if let LocalError::InvalidResponse {
        result: Some(result),
        ..
    } = error
    {
        let result: Value = result.decode().ok()?;
        return words(result.get("content")?).map(Into::into);
    }
    if let LocalError::HttpStatus { body, .. } | LocalError::InvalidResponse { body, .. } = error {
        return words_of_body(body);
    }
    None
}

/// A sentence without its full stop.
fn sentence(text: &str) -> &str {
    text.trim_end_matches('.')
}

/// Whether a text contains these words as whole words.
fn says(text: &str, words: &str) -> bool {
    words.is_empty()
        || text.match_indices(words).any(|(at, _)| {
            let (before, rest) = text.split_at(at);
            let after = rest.strip_prefix(words).unwrap_or_default();
            !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
        })
}

fn joined(text: &str, cause: Option<String>) -> String {
    let text = visible(text);
    match cause.map(|cause| visible(&shortened(&cause, LONGEST_CAUSE))) {
        // Some libraries repeat the cause in the error.
        Some(cause) if !text.ends_with(&cause) => format!("{text}: {cause}"),
        Some(_) | None => text,
    }
}

#[cfg(test)]
mod tests {
    use plainly::errors::WireError;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_has_the_words_that_mean_something_and_its_code() {
        let problem = |text: &str| json!({"message": text, "code": "TIMEOUT", "details": {}});
        let problems = json!({
            "code": "TIMEOUT", "error_count": 2, "errors": [problem("Too slow."), problem("No")],
        });
        let advised = json!({
            "code": "TIMEOUT", "error_count": 2, "errors": [
                {"message": "Too slow.", "code": "TIMEOUT", "suggestion": "Ask for less."},
                problem("a"),
            ],
        });
        #[rustfmt::skip]
        let cases = [
            (-32603, "The disk is full", json!({"detail": "sda"}), "The disk is full (InternalError -32603)"),
            (-32603, "MCP error -32603: boom", json!(null), "boom (InternalError -32603)"),
            (-32603, "MCP error x: boom", json!(null), "MCP error x: boom (InternalError -32603)"),
            (-32603, " ", json!(null), "no reason was given (InternalError -32603)"),
            (-32603, "", json!({"a": [1]}), "{\"a\":[1]} (InternalError -32603)"),
            (-32603, "Internal error", json!("disk full"), "Internal error: disk full (InternalError -32603)"),
            (-32000, "Internal.", json!({"detail": "x\u{7}"}), "Internal: x\\u{7} (code -32000)"),
            (429, "2 errors.", advised, "2 errors: Too slow. Ask for less; a (code 429)"),
            (429, "2 errors occurred.", problems, "2 errors occurred: Too slow; No (code 429)"),
        ];
        for (code, message, data, text) in cases {
            let data = Some(data).filter(|data| !data.is_null());
            let error = WireError::received(Code::new(code), message, data).recognise();
            assert_eq!(of_answer(&error), text);
        }
        let long = WireError::received(Code::new(1), "é".repeat(9_000), None).recognise();
        assert!(of_answer(&long).len() < 1_100);
    }

    #[test]
    fn words_count_as_said_only_if_they_are_whole() {
        for (text, words, is_said) in [
            ("HTTP status 404 Not Found", "4", false),
            ("HTTP status 404 Not Found", "404", true),
            ("no reply to `tools/list`: noted", "no", true),
            ("nothing: noted", "no", false),
            ("it failed: disk full", "disk full", true),
            ("it failed", "", true),
        ] {
            assert_eq!(says(text, words), is_said, "{text}: {words}");
        }
    }
}
