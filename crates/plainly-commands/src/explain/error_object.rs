//! The error object of JSON-RPC. If it violates rules, its text is preserved, and each violated
//! rule is named.

use plainly::errors::number::integer;
use plainly::errors::{Code, Fault, Problem, ProblemCode, Revision, WireError};
use serde_json::{Map, Value};

use super::{Explanation, coded};
use crate::json::kind;

/// Explains a value in the place of an error object.
pub(super) fn explain(value: &Value, revision: Option<Revision>) -> Explanation {
    let Value::Object(members) = value else {
        let mut explained = without_code(words(value));
        explained.breaks("`error` must be an object with `code` and `message`".to_owned());
        return explained;
    };
    let mut broken = Vec::new();
    let message = message(members.get("message"), &mut broken);
    let code = match members.get("code") {
        // A problem in a list has its name here.
        Some(Value::String(name)) if ProblemCode::all().iter().any(|it| it.as_str() == name) => {
            return coded::problem(&Problem::new(name.as_str().into(), message));
        }
        value => code(value, &mut broken),
    };
    let data = members.get("data").cloned();
    let mut explained = match code {
        Some(code) => coded::error(&WireError::received(code, message, data), revision),
        None => without_code(message),
    };
    broken.into_iter().for_each(|rule| explained.breaks(rule));
    explained
}

/// Adds the rules that the response around an error breaks.
pub(super) fn envelope(members: &Map<String, Value>, explained: &mut Explanation) {
    if members.get("jsonrpc") != Some(&Value::from("2.0")) {
        explained.breaks("`jsonrpc` must be \"2.0\"".to_owned());
    }
    if members.contains_key("result") {
        explained.breaks("a response has a `result` or an `error`, never both".to_owned());
    }
    match members.get("id") {
        Some(Value::String(_) | Value::Number(_)) | None => {}
        Some(Value::Null) => explained.breaks(
            "`id` is null: the server could not read the id of the request, so the client can't \
             tell which one failed"
                .to_owned(),
        ),
        Some(other) => explained.breaks(format!("`id` is {}, not text or a number", kind(other))),
    }
}

fn message(value: Option<&Value>, broken: &mut Vec<String>) -> String {
    match value {
        Some(Value::String(message)) => message.clone(),
        Some(other) => {
            broken.push(format!("`message` is {}, not text", kind(other)));
            words(other)
        }
        None => {
            broken.push("`message` is missing".to_owned());
            String::new()
        }
    }
}

/// The code, even if it is not written as an integer.
fn code(value: Option<&Value>, broken: &mut Vec<String>) -> Option<Code> {
    let Some(value) = value else {
        broken.push("`code` is missing".to_owned());
        return None;
    };
    if let Some(code) = integer(value) {
        return Some(Code::new(code));
    }
    broken.push(format!("`code` is {value}, not an integer"));
    value.as_str()?.parse().ok().map(Code::new)
}

/// The explanation of an error without a code, from its text.
fn without_code(message: String) -> Explanation {
    Explanation {
        message: Some(message).filter(|message| !message.is_empty()),
        fault: Fault::Server,
        advice: "read its message, and report it to the server's author: the server violates the \
                 protocol"
            .to_owned(),
        ..Explanation::new("error", "no code", "unknown: the error has no code")
    }
}

fn words(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
