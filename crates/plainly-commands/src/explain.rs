//! The meaning of an error, the party at fault, and advice: without a network, for `plainly
//! explain` and for every command that fails.
//!
//! ```text
//! input ─┬► json ─┬► error_object ─► coded ─► kind
//!        │        └► local                            ► Explanation
//!        └► name ─► coded, oauth, status
//!
//! failure ─► text ─► prose, last_words                ► line
//!         └► asked, advice, local ─► phrases          ► advice
//! ```
//!
//! The library's tables contain codes, conditions and problems. The words of other programs are
//! here.

mod input;
mod json;
mod name;

mod coded;
mod error_object;
mod kind;
mod local;
mod oauth;
mod phrases;
mod status;

mod advice;
mod asked;
mod hint;
mod link;

mod last_words;
mod prose;
mod text;

use std::time::Duration;

use plainly::errors::problem::{wait_in_words, whole_seconds};
use plainly::errors::{Code, Fault, Mistake, Retry};
use serde_json::{Value, json};

pub(crate) use self::advice::{for_answer, for_tool, is_advised};
pub(crate) use self::asked::for_question;
pub(crate) use self::coded::{problems, stands_for};
pub(crate) use self::hint::Hint;
pub(crate) use self::input::read;
use self::link::Link;
pub(crate) use self::local::for_local;
pub(crate) use self::text::{LONGEST_CAUSE, of_answer, of_local, with_cause};

/// The explanation of one error.
#[derive(Debug)]
pub(crate) struct Explanation {
    /// The kind of the input, in one or two words.
    given: &'static str,
    /// The name of the error, with its code.
    name: String,
    code: Option<Code>,
    http_status: Option<u16>,
    /// The message that came with it.
    message: Option<String>,
    /// The mistakes in the request, each with its place.
    mistakes: Vec<Mistake>,
    means: String,
    /// The revisions that have it, or how the requested revision spells it.
    revision: Option<String>,
    fault: Fault,
    advice: String,
    retry: Retry,
    wait: Option<Duration>,
    hints: Vec<Hint>,
    /// The rules for errors that its sender broke.
    irregular: Vec<String>,
    link: Link,
}

impl Explanation {
    /// An explanation with only these facts.
    fn new(given: &'static str, name: impl Into<String>, means: impl Into<String>) -> Self {
        Self {
            given,
            name: name.into(),
            code: None,
            http_status: None,
            message: None,
            mistakes: Vec::new(),
            means: means.into(),
            revision: None,
            fault: Fault::Unknown,
            advice: String::new(),
            retry: Retry::Never,
            wait: None,
            hints: Vec::new(),
            irregular: Vec::new(),
            link: Link::to_problems(),
        }
    }

    /// Adds a rule that the sender broke.
    fn breaks(&mut self, rule: String) {
        self.irregular.push(rule);
    }

    /// Labels and lines, for users.
    pub(crate) fn lines(&self) -> Vec<(&'static str, String)> {
        let one = |label, line: &str| (label, line.to_owned());
        let mut lines = vec![one(self.given, &self.name)];
        lines.extend(self.message.iter().map(|message| one("message", message)));
        let mistakes = self.mistakes.iter();
        lines.extend(mistakes.map(|mistake| ("wrong", mistake.to_string())));
        let status = self.http_status.filter(|_| self.code.is_some());
        lines.extend(status.map(|status| ("http status", status.to_string())));
        lines.push(one("means", &self.means));
        lines.extend(self.irregular.iter().map(|why| one("irregular", why)));
        lines.extend(
            self.revision
                .iter()
                .map(|revision| one("revision", revision)),
        );
        lines.push(one("fault", fault(self.fault)));
        lines.push(one("do", &self.advice));
        lines.push(("retry", self.retry_line()));
        lines.extend(self.hints.iter().map(|hint| ("hint", hint.to_string())));
        lines.push(("more", self.link.path()));
        lines
    }

    fn retry_line(&self) -> String {
        match (self.retry, self.wait, self.fault) {
            (Retry::Never, _, Fault::Unknown) => "not known: nothing says that it helps".to_owned(),
            (Retry::Never, ..) => "no: the same request would fail again".to_owned(),
            (Retry::AfterFix, ..) => "not before that is done".to_owned(),
            (Retry::AfterDelay, Some(wait), _) => {
                format!(
                    "yes, after {}, if the request is safe to repeat",
                    wait_in_words(wait)
                )
            }
            (Retry::Immediately, ..) => "yes, at once".to_owned(),
            (Retry::AfterDelay | _, ..) => {
                "yes, after a pause, if the request is safe to repeat".to_owned()
            }
        }
    }

    /// The explanation as JSON, for scripts.
    pub(crate) fn json(&self) -> Value {
        json!({
            "given": self.given,
            "name": self.name,
            "code": self.code,
            "httpStatus": self.http_status,
            "message": self.message,
            "problems": self.mistakes,
            "means": self.means,
            "irregular": self.irregular,
            "revision": self.revision,
            "fault": self.fault.as_str(),
            "advice": self.advice,
            "retry": self.retry.as_str(),
            "retryAfter": self.wait.map(whole_seconds),
            "hints": self.hints.iter().map(Hint::json).collect::<Vec<_>>(),
            "link": self.link.path(),
        })
    }
}

/// The side at fault, in words.
fn fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Client => "the client's, which sent the request",
        Fault::Server => "the server's, or its operator's",
        Fault::User => "none: the user has to act first",
        Fault::Unknown | _ => "not known from the error alone",
    }
}
