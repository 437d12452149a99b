//! The advice where a server asks a question that the options did not allow.

use plainly::client::{Error, LocalError};
use plainly::errors::UrlElicitation;

use super::advice::NAMED;
use super::phrases::{Phrase, Speaker};

/// The capabilities for questions of the server.
const QUESTIONS: [&str; 3] = ["elicitation", "sampling", "roots"];
const VISIT: &str = "the server asks to open a page in a browser: run the command on a terminal, where you can agree";

/// The advice for the error of a server that may not ask.
pub(crate) fn for_question(error: &Error) -> Option<String> {
    if let Some(LocalError::Unanswered { asked, .. }) = error.local() {
        let mut questions = QUESTIONS.iter();
        let question = questions.find(|word| asked.starts_with(**word))?;
        return Phrase::lacking(question).map(|phrase| phrase.advice.to_owned());
    }
    if let Some(required) = error.url_elicitations() {
        let urls = required.iter().take(NAMED).map(|one| one.url.as_str());
        let urls: Vec<_> = urls.collect();
        // The user should open no page that is not on the web.
        return required.iter().all(UrlElicitation::is_web).then(|| {
            format!(
                "open {} in a browser, then run the command again; on a terminal, the command \
                 opens it once you agree",
                urls.join(", ")
            )
        });
    }
    if error.is_method_not_found() {
        let message = error.protocol()?.message();
        return Phrase::within(&message, Speaker::Server).map(|phrase| phrase.advice.to_owned());
    }
    let required = error.required_capabilities()?;
    let questions = QUESTIONS.iter().filter_map(|word| {
        let is_visit = required.get(*word)?.get("url").is_some();
        let phrase = Phrase::lacking(word)?;
        Some(if is_visit { VISIT } else { phrase.advice })
    });
    let all: Vec<_> = questions.collect();
    (!all.is_empty()).then(|| all.join("; "))
}
