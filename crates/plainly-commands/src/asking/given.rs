//! Answers that the command line gave before a question was asked.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plainly::protocol::types::{ElicitAction, ElicitResult, FormSchema};

use super::form::{fields, named};
use super::shown::short;
use crate::args::GivenAnswer;

/// The answers on the command line.
#[derive(Debug)]
pub(crate) struct GivenAnswers {
    answers: Vec<GivenAnswer>,
    /// The names of the answers that a form had a field for.
    used: Mutex<HashSet<String>>,
}

impl GivenAnswers {
    pub(crate) fn new(answers: &[GivenAnswer]) -> Self {
        Self {
            answers: answers.to_vec(),
            used: Mutex::default(),
        }
    }

    /// The action for each question.
    pub(super) fn action(&self) -> ElicitAction {
        match self.answers.first() {
            Some(GivenAnswer::Action(action)) => *action,
            Some(_) | None => ElicitAction::Accept,
        }
    }

    /// Whether no form is filled in.
    pub(super) fn is_refusal(&self) -> bool {
        self.action() != ElicitAction::Accept
    }

    /// The form, filled in with the answers, and with its defaults where there are none. `option`
    /// precedes an answer on the command line.
    pub(crate) fn fill(&self, schema: &FormSchema, option: &str) -> Result<ElicitResult, String> {
        if self.is_refusal() {
            return Ok(ElicitResult::new(self.action()));
        }
        let mut content = schema.defaults();
        for field in fields(schema) {
            let given = self.answers.iter().find(|it| it.name() == Some(field.name));
            let value = match given {
                Some(GivenAnswer::Text(_, text)) => Some(field.read(text)),
                Some(GivenAnswer::Json(_, value)) => {
                    Some(field.check(value).map(|()| value.clone()))
                }
                Some(GivenAnswer::Action(_)) | None => None,
            };
            if let Some(value) = value {
                let value = value.map_err(|why| {
                    let name = short(field.name);
                    format!(
                        "invalid {option}{name}: {why}; the server asks for {}",
                        named(schema)
                    )
                })?;
                content.insert(field.name.to_owned(), value);
                self.used().insert(field.name.to_owned());
            }
        }
        // An answer to another question is no consent to this one.
        let is_for_this = |answer: &GivenAnswer| {
            let name = answer.name();
            name.is_none_or(|name| fields(schema).any(|field| field.name == name))
        };
        match fields(schema).find(|field| field.is_required && !content.contains_key(field.name)) {
            None if self.answers.iter().any(is_for_this) => Ok(ElicitResult::accept(content)),
            None => Err(match schema.properties.is_empty() {
                true => format!("no answer is for this question: agree with {option}accept"),
                false => format!(
                    "no answer is for this question: agree with {option}accept; the server asks for {}",
                    named(schema)
                ),
            }),
            Some(missing) => Err(format!(
                "no answer for {}: give it as {option}{}=…; the server asks for {}",
                short(missing.name),
                short(missing.name),
                named(schema),
            )),
        }
    }

    /// The names of the answers that no form had a field for.
    pub(super) fn unused(&self) -> Vec<String> {
        let used = self.used();
        let names = self.answers.iter().filter_map(GivenAnswer::name);
        names
            .filter(|name| !used.contains(*name))
            .map(str::to_owned)
            .collect()
    }

    fn used(&self) -> MutexGuard<'_, HashSet<String>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use plainly::protocol::types::{BooleanField, NumberField, TextField};
    use serde_json::{Value, json};

    use super::*;

    fn filled(answers: &[GivenAnswer]) -> Result<Value, String> {
        let form = FormSchema::new()
            .field("delete", BooleanField::new())
            .field("age", NumberField::integer().minimum(18).default_value(36))
            .optional("name", TextField::new());
        let answer = GivenAnswers::new(answers).fill(&form, "--answer ")?;
        Ok(serde_json::to_value(answer).unwrap())
    }

    fn text(name: &str, text: &str) -> GivenAnswer {
        GivenAnswer::Text(name.to_owned(), text.to_owned())
    }

    #[test]
    fn answers_are_taken_by_the_type_of_the_field() {
        let yes = filled(&[text("delete", "yes")]).unwrap();
        let content = json!({ "action": "accept", "content": { "age": 36, "delete": true } });
        assert_eq!(yes, content);
        let exact = GivenAnswer::Json("age".to_owned(), json!(40));
        let both = filled(&[text("delete", "no"), exact, text("name", "40")]).unwrap();
        assert_eq!(
            both["content"],
            json!({ "age": 40, "delete": false, "name": "40" })
        );
        let refused = GivenAnswer::Action(ElicitAction::Decline);
        assert_eq!(filled(&[refused]), Ok(json!({ "action": "decline" })));
    }

    #[test]
    fn an_answer_that_does_not_fit_says_what_would() {
        let consent = FormSchema::new();
        let filled_in = |answers: &[GivenAnswer]| {
            let answer = GivenAnswers::new(answers).fill(&consent, "--answer ");
            answer.map(|answer| answer.is_accepted())
        };
        let accept = GivenAnswer::Action(ElicitAction::Accept);
        let why = "no answer is for this question: agree with --answer accept";
        assert_eq!(filled_in(&[text("confirm", "yes")]), Err(why.to_owned()));
        assert_eq!(filled_in(&[text("a", "b"), accept.clone()]), Ok(true));
        let asks = "the server asks for delete (yes or no, required), age (whole number, at least 18, required), name (text)";
        for (answers, why) in [
            (
                vec![accept],
                "no answer for delete: give it as --answer delete=…; ",
            ),
            (
                vec![text("delete", "perhaps")],
                "invalid --answer delete: it must be yes or no; ",
            ),
            (
                vec![
                    text("delete", "y"),
                    GivenAnswer::Json("age".to_owned(), json!("x")),
                ],
                "invalid --answer age: \"x\" is not of type \"integer\"; ",
            ),
        ] {
            assert_eq!(filled(&answers), Err(format!("{why}{asks}")));
        }
    }
}
