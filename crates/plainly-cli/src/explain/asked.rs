//! The advice where a server asks a question that the options did not allow.

use plainly::client::{Error, LocalError};
use plainly::errors::UrlElicitation;

use super::advice::NAMED;
use super::phrases::{INPUT_REQUIRED, MODEL_REQUIRED, Phrase, ROOTS_REQUIRED, TASK_REQUIRED};

/// The capabilities for questions of the server.
const QUESTIONS: [(&str, Phrase); 3] = [
    ("elicitation", INPUT_REQUIRED),
    ("sampling", MODEL_REQUIRED),
    ("roots", ROOTS_REQUIRED),
];
const VISIT: &str = "the server asks to open a page in a browser: run the command on a terminal, where you can agree";

/// The advice for the error of a server that may not ask.
pub(crate) fn for_question(error: &Error) -> Option<String> {
    if let Some(LocalError::Unanswered { asked, .. }) = error.local() {
        let mut questions = QUESTIONS.iter();
        let (_, phrase) = questions.find(|(word, _)| asked.starts_with(word))?;
        return Some(phrase.advice.to_owned());
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
        let is_task = TASK_REQUIRED.is_in(&message);
        return is_task.then(|| TASK_REQUIRED.advice.to_owned());
    }
    let required = error.required_capabilities()?;
    let questions = QUESTIONS.iter().filter_map(|(word, phrase)| {
        let is_visit = required.get(*word)?.get("url").is_some();
        Some(if is_visit { VISIT } else { phrase.advice })
    });
    let all: Vec<_> = questions.collect();
    (!all.is_empty()).then(|| all.join("; "))
}

#[cfg(test)]
mod tests {
    use plainly::errors::{Code, WireError};

    use super::*;

    #[test]
    fn a_missing_method_is_no_question_unless_it_needs_a_task() {
        for (message, advice) in [
            ("Method not found", None),
            ("Method not found: roots/list", None),
            ("Internal error", None),
            (
                "Tool scan requires task augmentation",
                Some(TASK_REQUIRED.advice),
            ),
        ] {
            let error = WireError::received(Code::new(-32601), message, None).recognise();
            let found = for_question(&error.into());
            assert_eq!(found.as_deref(), advice, "{message}");
        }
    }
}
