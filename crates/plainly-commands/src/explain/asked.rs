//! The advice for a server that asks a question which the options did not allow.

use plainly::client::{Error, LocalError};
use plainly::errors::UrlElicitation;
use plainly::errors::registry::capability_names;
use serde_json::Map;

use super::advice::some;
use super::phrases::{INPUT_REQUIRED, MODEL_REQUIRED, Phrase, ROOTS_REQUIRED, TASK_REQUIRED};

/// The capabilities for questions of the server.
const QUESTIONS: [(&str, Phrase); 3] = [
    ("elicitation", INPUT_REQUIRED),
    ("sampling", MODEL_REQUIRED),
    ("roots", ROOTS_REQUIRED),
];
const VISIT: &str = "the server asks to open a page in a browser: run the command on a terminal, \
    where you can agree";

/// The advice for the error of a server that may not ask questions.
pub(crate) fn for_question(error: &Error) -> Option<String> {
    if let Some(LocalError::Unanswered { asked, .. }) = error.local() {
        let mut questions = QUESTIONS.iter();
        let (_, phrase) = questions.find(|(word, _)| asked.starts_with(word))?;
        return Some(phrase.advice.to_owned());
    }
    if let Some(required) = error.url_elicitations() {
        let urls = some(required.iter().map(|one| one.url.as_str()));
        // The user should only open web pages.
        return required.iter().all(UrlElicitation::is_web).then(|| {
            format!(
                "open {urls} in a browser, then run the command again; on a terminal, the command \
                 opens it once you agree"
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
    let mut all: Vec<_> = questions.map(str::to_owned).collect();
    if all.is_empty() {
        return None;
    }
    let others = required.iter().filter(|(name, _)| !is_question(name));
    let others: Map<_, _> = others
        .map(|(name, it)| (name.clone(), it.clone()))
        .collect();
    let others = capability_names(&others);
    if !others.is_empty() {
        let names = some(others.iter().map(String::as_str));
        all.push(format!(
            "the server requires the client capability {names} too"
        ));
    }
    Some(all.join("; "))
}

/// Whether a capability is for questions of the server.
fn is_question(capability: &str) -> bool {
    QUESTIONS.iter().any(|(name, _)| *name == capability)
}

#[cfg(test)]
mod tests {
    use plainly::errors::{Code, WireError};
    use serde_json::json;

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

    #[test]
    fn a_capability_that_is_no_question_is_named_too() {
        for (required, advice) in [
            (json!({"roots": {}}), Some(ROOTS_REQUIRED.advice.to_owned())),
            (json!({"a": {"b": {}}}), None),
            (
                json!({"a": {"b": {}}, "c": {}, "roots": {"listChanged": true}}),
                Some(format!(
                    "{}; the server requires the client capability a.b, c too",
                    ROOTS_REQUIRED.advice
                )),
            ),
        ] {
            let data = json!({"requiredCapabilities": required});
            let error = WireError::received(Code::new(-32021), "no", Some(data)).recognise();
            assert_eq!(for_question(&error.into()), advice);
        }
    }
}
