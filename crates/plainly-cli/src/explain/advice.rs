//! The advice about an error, in one line, with the names and the waiting time in it.

use plainly::errors::problem::wait_in_words;
use plainly::errors::registry::capability_names;
use plainly::errors::{ErrorKind, Problem, ProtocolError};

use super::phrases::{Phrase, Speaker};

/// The most URLs, versions or capabilities of an error that are named.
pub(super) const NAMED: usize = 20;

/// The advice for the user of a command whose tool failed with these words.
pub(crate) fn for_tool(text: &str) -> Option<&'static str> {
    Phrase::within(text, Speaker::Server).map(|phrase| phrase.advice)
}

/// The advice for a server's error.
pub(crate) fn for_answer(error: &ProtocolError) -> String {
    if let ErrorKind::MissingRequiredClientCapability { required } = error.kind() {
        let names = capability_names(required);
        let names: Vec<String> = names.into_iter().take(NAMED).collect();
        let names = names.join(", ");
        return format!("declare the client capability {names}, and send the request again");
    }
    if let ErrorKind::UnsupportedProtocolVersion { supported, .. } = error.kind() {
        let versions = supported.iter().take(NAMED).map(String::as_str);
        let versions = versions.collect::<Vec<_>>().join(", ");
        return format!("use a version that the server supports: {versions}");
    }
    if let ErrorKind::UrlElicitationRequired { elicitations } = error.kind() {
        let urls = elicitations.iter().filter(|one| one.is_web());
        let urls = urls.take(NAMED).map(|one| one.url.as_str());
        let urls = urls.collect::<Vec<_>>().join(", ");
        return match urls.is_empty() {
            true => {
                "visit nothing: the server names no URL that begins with http or https".to_owned()
            }
            false => format!("let the user visit {urls}, then send the request again"),
        };
    }
    let suggestion = error.problem().and_then(Problem::suggestion);
    match (error.retry_after().map(wait_in_words), suggestion) {
        (Some(wait), None) => format!("wait {wait}, then send the request again"),
        (Some(wait), Some(_)) => format!("wait {wait}; {}", error.advice()),
        (None, _) => error.advice().into_owned(),
    }
}
