//! Errors that other implementations send with another meaning than the specification's, or with
//! none: a code from their own vocabulary, or the right code without its data. Their
//! [table](habits) lists the senders and the most likely meanings.
//!
//! An error is recognised for certain by its code and the shape of its data, as the specification has them. A habit is
//! recognised by the words of a message too, and only in answer to the method that it is known from: what follows from
//! it is [likely](Certainty::Likely), and says so.

mod base;
mod table;

use serde_json::Value;

use self::table::HABITS;

use crate::code::Code;
use crate::kind::{ErrorKind, InvalidParams, InvalidRequest, Unavailable};
use crate::problem::ProblemCode;
use crate::wire_error::WireError;

/// The certainty of a received error's meaning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "either the specification says it, or experience does"
)]
pub enum Certainty {
    /// It follows from a [habit](Habit) of the implementation that seems to have sent it.
    #[default]
    Likely,
    /// Its code and the shape of its data determine the meaning.
    Certain,
}

/// The request that an error answers: the same code has different meanings in answer to different methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a method, and the one thing that it is about"
)]
pub struct AnsweredRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// The tool, the prompt or the URI that it was about, if it was about one.
    pub subject: Option<&'a str>,
}

impl AnsweredRequest<'_> {
    /// Whether a code that means nothing but a missing resource can be meant so in answer to this request: one that names
    /// a resource.
    pub(crate) fn is_about_resources(&self) -> bool {
        let is_of_resources = self.method.starts_with("resources/") && self.subject.is_some();
        is_of_resources || matches!(self.method, "completion/complete" | "subscriptions/listen")
    }

    /// Whether the request comes before any resource can be asked for.
    pub(crate) fn is_introduction(&self) -> bool {
        matches!(self.method, "initialize" | "server/discover" | "ping")
    }
}

/// One thing that some implementation sends, and what it means by it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Habit {
    /// The implementation that sends it, with the versions that were looked at.
    pub sender: &'static str,
    /// The methods in whose answers it has this meaning; none: all of them.
    pub methods: &'static [&'static str],
    /// The code.
    pub code: Code,
    /// The forms of its message, in any case; `*` stands for any text.
    pub messages: &'static [&'static str],
    /// The data that it needs to have this meaning, in words.
    pub data: &'static str,
    /// The HTTP status beside it, if it has this meaning only there.
    pub http_status: Option<u16>,
    /// The meaning, as one sentence.
    pub meaning: &'static str,
    /// The place where it was found.
    pub source: &'static str,
    /// The meaning, of the subject and the data; `None` with data that does not fit.
    pub(crate) read: fn(Option<&str>, Option<&Value>) -> Option<Meaning>,
}

/// The meaning of a habit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// An error of the protocol.
    Kind(ErrorKind),
    /// A failure in the application's own terms.
    Problem(ProblemCode),
}

/// Every known habit. Of several that an error matches, the first counts.
pub fn habits() -> &'static [Habit] {
    &HABITS
}

impl Habit {
    /// Whether the error is what this habit sends in answer to `method`; to any of its methods if that is not known.
    pub fn matches(&self, error: &WireError, method: Option<&str>) -> bool {
        let is_of_method =
            self.methods.is_empty() || method.is_none_or(|method| self.methods.contains(&method));
        let has_status = self
            .http_status
            .is_none_or(|status| method.is_none() || status == error.http_status);
        error.code == self.code
            && is_of_method
            && has_status
            && self
                .messages
                .iter()
                .any(|form| is_like(&error.message, form))
            && (self.read)(None, error.data.as_ref()).is_some()
    }
}

impl WireError {
    /// The habits that it may follow from, the likeliest first; more of them if the `method` is not known.
    ///
    /// ```
    /// use plainly_errors::{Code, WireError};
    ///
    /// let error = WireError::received(Code::new(0), "Unknown resource: a:b", None);
    /// let habit = error.habits(Some("resources/read")).next().unwrap();
    /// assert!(habit.sender.starts_with("Python SDK 1"));
    /// assert_eq!(habit.meaning, "the resource does not exist");
    /// ```
    pub fn habits(&self, method: Option<&str>) -> impl Iterator<Item = &'static Habit> {
        let habits = HABITS.iter();
        habits.filter(move |habit| habit.matches(self, method))
    }
}

/// Whether `text` has this form, in which `*` stands for any text. Case does not count.
fn is_like(text: &str, form: &str) -> bool {
    // A message may be as long as a peer likes, and says at its beginning what it is about.
    let text: String = text.chars().take(1024).collect();
    let text = text.to_lowercase();
    let pieces: Vec<_> = form.split('*').collect();
    let [first, middle @ .., last] = pieces.as_slice() else {
        return text == form;
    };
    let within = text.strip_prefix(first);
    let Some(mut left) = within.and_then(|text| text.strip_suffix(last)) else {
        return false;
    };
    middle.iter().all(|piece| match left.split_once(piece) {
        Some((_, rest)) => {
            left = rest;
            true
        }
        None => false,
    })
}

// The meanings that the rows of the table name.

/// The resource that was asked for does not exist.
pub(crate) fn no_resource(subject: Option<&str>, data: Option<&Value>) -> Option<Meaning> {
    let named = data.and_then(|data| data.get("uri")?.as_str());
    let uri = subject.or(named).map(str::to_owned);
    Some(Meaning::Kind(ErrorKind::ResourceNotFound { uri }))
}

/// The tool that was called does not exist.
pub(crate) fn no_tool(subject: Option<&str>, _data: Option<&Value>) -> Option<Meaning> {
    let name = subject.unwrap_or_default().to_owned();
    Some(invalid(InvalidParams::UnknownTool { name }))
}

/// The prompt that was asked for does not exist.
pub(crate) fn no_prompt(subject: Option<&str>, _data: Option<&Value>) -> Option<Meaning> {
    let name = subject.unwrap_or_default().to_owned();
    Some(invalid(InvalidParams::UnknownPrompt { name }))
}

pub(crate) fn invalid(detail: InvalidParams) -> Meaning {
    Meaning::Kind(ErrorKind::InvalidParams(detail))
}

pub(crate) fn refused(detail: InvalidRequest) -> Meaning {
    Meaning::Kind(ErrorKind::InvalidRequest(detail))
}

pub(crate) const GOING_AWAY: Meaning =
    Meaning::Kind(ErrorKind::Unavailable(Unavailable::ShuttingDown));

#[cfg(test)]
mod tests {
    use super::is_like;

    #[test]
    fn a_message_has_a_form_as_a_whole() {
        for (text, form, expected) in [
            ("Unknown resource: a:b", "unknown resource: *", true),
            ("unknown resource: ", "unknown resource: *", true),
            ("unknown resource", "unknown resource: *", false),
            (
                "MCP error -1: Resource a:b not found",
                "*resource * not found",
                true,
            ),
            (
                "Resource a:b not found here",
                "*resource * not found",
                false,
            ),
            ("Resource not found", "*resource * not found", false),
            ("session not found", "session not found", true),
            ("a session not found", "session not found", false),
            ("anything", "*", true),
            ("", "*", true),
            ("", "", true),
            ("é", "*", true),
        ] {
            assert_eq!(is_like(text, form), expected, "{text:?} {form:?}");
        }
    }
}
