//! Errors that other implementations send with a meaning other than the specification's, or with
//! none: a code of their own, or the right code without its data. The [table](habits) lists the
//! senders and the most likely meanings.
//!
//! An error is recognised for certain by its code and the shape of its data, as the specification
//! defines them. A habit is also recognised by the text of the message, and only in responses to
//! the method for which it is known. The result is marked as [likely](Certainty::Likely).

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
    /// The meaning follows from a [habit](Habit) of the implementation that probably sent the
    /// error.
    #[default]
    Likely,
    /// The code and the shape of the data determine the meaning.
    Certain,
}

/// The request that an error responds to, because the same code has different meanings in responses
/// to different methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a method, and the one thing that it is about"
)]
pub struct AnsweredRequest<'a> {
    /// The method.
    pub method: &'a str,
    /// The tool, prompt or URI that the request named, if any.
    pub subject: Option<&'a str>,
}

impl AnsweredRequest<'_> {
    /// Whether a code that can only mean a missing resource may mean one in a response to this
    /// request, because the request names a resource.
    pub(crate) fn is_about_resources(&self) -> bool {
        let is_of_resources = self.method.starts_with("resources/") && self.subject.is_some();
        is_of_resources || matches!(self.method, "completion/complete" | "subscriptions/listen")
    }

    /// Whether the request precedes any request for a resource.
    pub(crate) fn is_introduction(&self) -> bool {
        matches!(self.method, "initialize" | "server/discover" | "ping")
    }
}

/// An error that an implementation sends, and its meaning there.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Habit {
    /// The implementation that sends the error, with the versions that were examined.
    pub sender: &'static str,
    /// The methods in whose responses the error has this meaning; empty for all methods.
    pub methods: &'static [&'static str],
    /// The code of the error.
    pub code: Code,
    /// The patterns of the message, case-insensitive; `*` matches any text.
    pub messages: &'static [&'static str],
    /// A description of the data that the error needs for this meaning.
    pub data: &'static str,
    /// The HTTP status of the response, if the error has this meaning only with it.
    pub http_status: Option<u16>,
    /// The meaning, as one sentence.
    pub meaning: &'static str,
    /// The source in which the habit was found.
    pub source: &'static str,
    /// Returns the meaning for the request's subject and the data; `None` if the data does not fit.
    pub(crate) read: fn(Option<&str>, Option<&Value>) -> Option<Meaning>,
}

/// The meaning of a habit.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// An error of the protocol.
    Kind(ErrorKind),
    /// A problem of the application.
    Problem(ProblemCode),
}

/// All known habits. If an error matches several, the first applies.
pub fn habits() -> &'static [Habit] {
    &HABITS
}

impl Habit {
    /// Whether the error matches this habit in a response to `method`, or to any of the habit's
    /// methods if that is not known.
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
    /// The habits that the error may follow from, the likeliest first. If `method` is not known,
    /// there may be more.
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

/// Whether `text` matches the pattern `form`, in which `*` matches any text. Case is ignored.
fn is_like(text: &str, form: &str) -> bool {
    // A peer can send a message of any length. Its beginning is enough to recognise it.
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

// The meanings that the rows of the table refer to.

/// The requested resource does not exist.
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

/// The requested prompt does not exist.
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
