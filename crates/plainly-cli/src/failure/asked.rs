//! The advice where a server asks a question that the options did not allow.

use plainly::client::{Error, LocalError};
use plainly::errors::UrlElicitation;

/// The word for what a server asks for, and how to let it.
const ASKED: [(&str, &str); 3] = [
    (
        "elicitation",
        "the server asks for input: run the command on a terminal, or give the answer with --answer NAME=TEXT",
    ),
    (
        "sampling",
        "the server asks a model: --sample-with COMMAND names a command that answers",
    ),
    (
        "roots",
        "the server asks for directories to work in: name one with --root DIR",
    ),
];
const VISIT: &str = "the server asks to open a page in a browser: run the command on a terminal, where you can agree";
const REQUIRED: &str = "open it in a browser, then run the command again; on a terminal, the command opens it once you agree";
/// The SDKs' text about a tool that can only be called as a task, and the answer to it.
const ONLY_AS_TASK: &str = "task augmentation";
const NO_SUCH_TASKS: &str =
    "this tool runs only as a task of 2025-11-25, and plainly has tasks from 2026-07-28 on";
/// The text of plainly's servers for a hidden error, in small letters, and the place of its
/// details.
const MASKED: &str = "internal error";
const IN_ITS_LOG: &str =
    "the server's log says why; if the command starts the server, --server-log debug shows it";
/// FastMCP's text if it can ask only in the way of older revisions, and the remedy.
const BY_REQUEST: &str = "via server-initiated requests is unavailable";
const OLDER: &str =
    "this server can ask questions in an older revision only: add --revision 2025-11-25";

/// The advice for the error of a server that may not ask.
pub(super) fn by(error: &Error) -> Option<&'static str> {
    if let Some(LocalError::Unanswered { asked, .. }) = error.local() {
        return named(|word| asked.starts_with(word));
    }
    if let Some(required) = error.url_elicitations() {
        // What is of no page on the web, nobody should open.
        return required
            .iter()
            .all(UrlElicitation::is_web)
            .then_some(REQUIRED);
    }
    if error.is_method_not_found() {
        let message = error.protocol()?.message();
        return message.contains(ONLY_AS_TASK).then_some(NO_SUCH_TASKS);
    }
    let required = error.required_capabilities()?;
    let visit = required.get("elicitation").and_then(|it| it.get("url"));
    match visit {
        Some(_) => Some(VISIT),
        None => named(|word| required.contains_key(word)),
    }
}

/// The advice for the text of a tool that could not ask.
pub(super) fn by_tool(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    if text.contains(BY_REQUEST) {
        return Some(OLDER);
    }
    if text.contains(ONLY_AS_TASK) {
        return Some(NO_SUCH_TASKS);
    }
    if text.starts_with(MASKED) {
        return Some(IN_ITS_LOG);
    }
    let is_lacking = ["support", "not found", "capabilit"]
        .iter()
        .any(|word| text.contains(word));
    named(|word| is_lacking && text.contains(word))
}

fn named(is_asked: impl Fn(&str) -> bool) -> Option<&'static str> {
    let mut all = ASKED.iter();
    all.find(|(word, _)| is_asked(word)).map(|(_, help)| *help)
}

#[cfg(test)]
mod tests {
    use super::by_tool;

    #[test]
    fn a_tool_that_could_not_ask_is_recognised_by_its_words() {
        for (text, help) in [
            ("Method not found: elicitation/create", Some("--answer")),
            (
                "Client does not support form elicitation.",
                Some("--answer"),
            ),
            ("Client does not support sampling", Some("--sample-with")),
            ("the client has no capability roots", Some("--root")),
            (
                "elicitation via server-initiated requests is unavailable on 2026-07-28 connections.",
                Some("--revision"),
            ),
            (
                "MCP error -32601: Tool scan requires task augmentation",
                Some("2025-11-25"),
            ),
            ("Internal error", Some("--server-log")),
            ("Elicitation was cancelled", None),
            ("the roots of this tree", None),
            ("note not found", None),
        ] {
            let told = by_tool(text);
            assert_eq!(told.is_some(), help.is_some(), "{text}");
            assert!(
                told.unwrap_or_default().contains(help.unwrap_or_default()),
                "{told:?}"
            );
        }
    }
}
