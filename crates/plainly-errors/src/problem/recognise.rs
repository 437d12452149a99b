//! Recognises problems in received JSON by the names of codes and members, whatever the number. It
//! never fails: a member of the wrong type counts as missing, and without a code there is no
//! problem.

use std::borrow::Cow;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Details, Problem, ProblemCode, Problems};

impl Problem {
    /// The problem that the object of a tool result states: `success` is false, and `error` and
    /// `code` are texts. Custom codes are recognised too.
    ///
    /// The object does not show where the message ends and the suggestion begins, so both become
    /// the message.
    ///
    /// ```
    /// use plainly_errors::Problem;
    /// use serde_json::json;
    ///
    /// let problem = Problem::not_found("user", "user-123");
    /// assert_eq!(Problem::from_object(&problem.to_object()), Some(problem));
    /// assert_eq!(Problem::from_object(&json!({ "success": true, "user": "ada" })), None);
    /// ```
    pub fn from_object(object: &Value) -> Option<Self> {
        let members = failed(object)?;
        let error = members.get("error")?.as_str()?;
        let code = members.get("code")?.as_str()?.into();
        Some(read(code, error, members))
    }

    /// The problem in a protocol error, if its `data.code` is a known one.
    pub(crate) fn from_error_data(message: &str, data: Option<&Value>) -> Option<Self> {
        let members = data?.as_object()?;
        // Only known codes, because in data of other peers any other word under `code` may have
        // another meaning.
        let code = ProblemCode::known(members.get("code")?.as_str()?)?;
        Some(read(code, message, members))
    }
}

impl Problems {
    /// The problems that the object of a tool result states, each with message, code, suggestion
    /// and details. The object has one waiting time for all, which the first problem gets. Invalid
    /// entries are left out.
    ///
    /// ```
    /// use plainly_errors::problem::{Problem, ProblemBag, Problems};
    ///
    /// let bag = ProblemBag::from_iter([Problem::missing_required("name"), Problem::timeout("save")]);
    /// let problems = bag.into_result().unwrap_err();
    /// assert_eq!(Problems::from_object(&problems.to_object()), Some(problems));
    /// ```
    pub fn from_object(object: &Value) -> Option<Self> {
        Self::from_members(failed(object)?)
    }

    /// The problems in the data of a protocol error.
    pub(crate) fn from_error_data(data: &Value) -> Option<Self> {
        let members = data.as_object()?;
        // Recognised by a shape that is unlikely to occur by chance: a code for all problems, and
        // their number.
        members.get("code")?.as_str()?;
        members.get("error_count")?.as_u64()?;
        Self::from_members(members)
    }

    fn from_members(members: &Map<String, Value>) -> Option<Self> {
        let entries = members.get("errors")?.as_array()?;
        let mut problems: Vec<Problem> = entries.iter().filter_map(entry).collect();
        let first = problems.first_mut()?;
        first.0.retry_after = members.get("retry_after").and_then(seconds);
        Self::new(problems)
    }
}

fn failed(object: &Value) -> Option<&Map<String, Value>> {
    let members = object.as_object()?;
    // Without `success: false` it is a tool's ordinary object, which may also have members named
    // `error` and `code`.
    (members.get("success")? == false).then_some(members)
}

fn entry(entry: &Value) -> Option<Problem> {
    let members = entry.as_object()?;
    let message = members.get("message")?.as_str()?;
    let code = members.get("code")?.as_str()?.into();
    Some(read(code, message, members))
}

/// Reads a problem. `text` is the message, followed by the suggestion if `members` has one.
fn read(code: ProblemCode, text: &str, members: &Map<String, Value>) -> Problem {
    let suggestion = members.get("suggestion").and_then(Value::as_str);
    // The text contains both, so that peers that do not know problems show the suggestion too.
    let message = suggestion
        .and_then(|suggestion| text.strip_suffix(suggestion)?.strip_suffix(' '))
        .unwrap_or(text);
    let mut problem = Problem::new(code, message.to_owned());
    problem.0.suggestion = suggestion.map(|text| Cow::Owned(text.to_owned()));
    if let Some(details) = members.get("details").and_then(Value::as_object) {
        problem.0.details = Details::from(details);
    }
    problem.0.retry_after = members.get("retry_after").and_then(seconds);
    problem
}

/// A duration that JSON states in seconds.
pub(crate) fn seconds(json: &Value) -> Option<Duration> {
    match json.as_u64() {
        Some(seconds) => Some(Duration::from_secs(seconds)),
        // This crate writes whole seconds; others may not.
        None => Duration::try_from_secs_f64(json.as_f64()?).ok(),
    }
}
