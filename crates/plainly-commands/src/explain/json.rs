//! Errors in JSON, distinguished by their members: of JSON-RPC, of a tool's result, of this
//! program, or of an HTTP API.

use std::time::Duration;

use plainly::errors::{Problem, Problems, Retry, Revision};
use serde_json::{Map, Value};

use super::link::Link;
use super::phrases::{Phrase, Speaker};
use super::{Explanation, coded, error_object, kind, local, oauth, status};

type Explained = Result<Vec<Explanation>, Vec<String>>;

/// The errors in a value, or all reasons why it has none.
pub(super) fn explain(value: &Value, revision: Option<Revision>) -> Explained {
    match value {
        Value::Object(members) => object(value, members, revision),
        Value::Array(values) => several(values, revision),
        // JSON inside JSON, as in logs. Each level is shorter, so this ends.
        Value::String(text) => match serde_json::from_str(text) {
            Ok(within) => explain(&within, revision),
            Err(_) => Err(vec!["it is text, and the text is not JSON".to_owned()]),
        },
        Value::Number(_) | Value::Null | Value::Bool(_) => {
            Err(vec![format!("{value} is no error")])
        }
    }
}

/// The messages of a batch, or the problems of a list.
fn several(values: &[Value], revision: Option<Revision>) -> Explained {
    let (mut found, mut why) = (Vec::new(), Vec::new());
    for (at, value) in values.iter().enumerate() {
        match explain(value, revision) {
            Ok(more) => found.extend(more),
            Err(reasons) => why.extend(reasons.iter().map(|reason| format!("/{at}: {reason}"))),
        }
    }
    match found.is_empty() {
        false => Ok(found),
        true if why.is_empty() => Err(vec!["the list is empty".to_owned()]),
        true => Err(why),
    }
}

fn object(value: &Value, members: &Map<String, Value>, revision: Option<Revision>) -> Explained {
    if let Some(bag) = Problems::from_object(value) {
        return Ok(bag.iter().map(coded::problem).collect());
    }
    if let Some(problem) = Problem::from_object(value) {
        return Ok(vec![coded::problem(&problem)]);
    }
    if let Some(error) = members.get("error").filter(|error| !error.is_null()) {
        return Ok(vec![error_member(error, members, revision)]);
    }
    if let Some(result) = members.get("result") {
        return tool_result(result);
    }
    if members.contains_key("isError") {
        return tool_result(value);
    }
    if let Some(status) = members.get("status").and_then(Value::as_u64)
        && let Ok(status) = u16::try_from(status)
        && ["title", "detail", "type"]
            .iter()
            .any(|it| members.contains_key(*it))
    {
        return Ok(vec![http_body(members, status)]);
    }
    if members.contains_key("code") || members.contains_key("message") {
        return Ok(vec![error_object::explain(value, revision)]);
    }
    // This may be only the data of an error.
    let mut kinds = kind::explain(text(members, "kind").unwrap_or_default(), revision);
    for explained in &mut kinds {
        explained.mistakes = coded::mistakes(Some(value));
    }
    match kinds.is_empty() {
        true => Err(no_error(members)),
        false => Ok(kinds),
    }
}

/// The member `error`, which has different contents in JSON-RPC, in OAuth and in this program.
fn error_member(
    error: &Value,
    members: &Map<String, Value>,
    revision: Option<Revision>,
) -> Explanation {
    let responds = members.contains_key("jsonrpc") || members.contains_key("id");
    let mut explained = if let Some(local) = local_of(error) {
        local::explain(local)
    } else if let Some(word) = error.as_str().filter(|_| !responds) {
        let said = text(members, "error_description").unwrap_or(word);
        oauth::in_body(word, said)
    } else {
        error_object::explain(error, revision)
    };
    if responds {
        error_object::envelope(members, &mut explained);
    }
    explained
}

/// The error, if this program reported it and no server sent it.
fn local_of(error: &Value) -> Option<&Map<String, Value>> {
    let members = error.as_object()?;
    (text(members, "from")? == "local").then_some(members)
}

/// The result of a failed tool: its problem if it states one, otherwise its text for the model.
fn tool_result(result: &Value) -> Explained {
    if result.get("isError") != Some(&Value::Bool(true)) {
        return Err(vec![
            "it is a result, not an error: the request succeeded".to_owned(),
        ]);
    }
    let stated = [
        result.get("structuredContent"),
        result.pointer("/_meta/dev.plainly~1problem"),
    ];
    let stated = stated.into_iter().flatten().find_map(|stated| {
        let one = || Problem::from_object(stated).map(|problem| vec![problem]);
        let bag = Problems::from_object(stated).map(|bag| bag.iter().cloned().collect());
        bag.or_else(one)
    });
    let blocks = result.get("content").and_then(Value::as_array);
    let said = blocks
        .into_iter()
        .flatten()
        .filter_map(|block| block.get("text")?.as_str());
    let said = said.collect::<Vec<_>>().join("\n");
    let in_text = || {
        let object = serde_json::from_str(&said).ok()?;
        Problem::from_object(&object).map(|problem| vec![problem])
    };
    match stated
        .or_else(in_text)
        .filter(|problems: &Vec<Problem>| !problems.is_empty())
    {
        Some(problems) => Ok(problems.iter().map(coded::problem).collect()),
        None => Ok(vec![told(said)]),
    }
}

/// The error of a tool with only a text.
fn told(said: String) -> Explanation {
    if let Some(phrase) = Phrase::within(&said, Speaker::Server) {
        return phrase.explain(&said);
    }
    Explanation {
        message: Some(said).filter(|said| !said.is_empty()),
        advice: "let the model read the message and correct its call; the host should not hide it"
            .to_owned(),
        retry: Retry::AfterFix,
        link: Link::to_problems(),
        ..Explanation::new(
            "tool result",
            "isError",
            "the tool failed, or refused its arguments: the protocol itself worked",
        )
    }
}

/// The body of an HTTP API (RFC 9457), which may also state a problem.
fn http_body(members: &Map<String, Value>, status: u16) -> Explanation {
    let said = ["detail", "title"]
        .into_iter()
        .find_map(|it| text(members, it));
    let said = said.map(str::to_owned);
    let Some(code) = text(members, "code") else {
        return Explanation {
            message: said,
            ..status::failure(status)
        };
    };
    let problem = Problem::new(code.into(), said.unwrap_or_default());
    let problem = match members.get("retry_after").and_then(Value::as_u64) {
        Some(seconds) => problem.retry_in(Duration::from_secs(seconds)),
        None => problem,
    };
    Explanation {
        http_status: Some(status),
        ..coded::problem(&problem)
    }
}

/// The reason why an object is no error.
fn no_error(members: &Map<String, Value>) -> Vec<String> {
    let what = match members.contains_key("method") {
        true => "it is a request or a notification, not an error: explain what answered it",
        false => "this object has no `error`, `result`, `isError`, `code` or `success: false`",
    };
    vec![what.to_owned()]
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name)?.as_str()
}
