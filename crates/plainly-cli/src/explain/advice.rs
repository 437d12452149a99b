//! What to do about an error, in one line: with what it asks for by name, and how long it asks to wait.

use plainly::errors::problem::wait_in_words;
use plainly::errors::registry::{capability_names, lookup};
use plainly::errors::revision::Revisions;
use plainly::errors::{Code, ErrorKind, ProtocolError};

/// The most versions or capabilities that an error names.
const NAMED: usize = 20;

/// A code with its name, where a revision defines it.
pub(crate) fn named(code: Code) -> String {
    let entry = lookup(code).filter(|entry| entry.revisions != Revisions::NONE);
    let name = entry.map_or("code", |entry| entry.name);
    format!("{name} {code}")
}

/// What to do about a server's error.
pub(crate) fn advice(error: &ProtocolError) -> String {
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
    let wait = match error.problem() {
        // What its author suggests says more than the time, which stands beside it.
        Some(problem) if problem.suggestion().is_some() => None,
        _ => error.retry_after(),
    };
    match wait {
        Some(wait) => format!("wait {}, then send the request again", wait_in_words(wait)),
        None => error.advice().into_owned(),
    }
}
