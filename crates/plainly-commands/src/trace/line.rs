//! A message in one line for users: its sender, its method or the request that it answers, and its
//! JSON.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The members that determine the kind of a message.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    method: Option<String>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    error: Option<Refusal>,
}

#[derive(Deserialize)]
struct Refusal {
    code: i64,
}

/// The kind of the message, in one or two words.
pub(super) fn summary(json: &str) -> String {
    if let Ok(batch) = serde_json::from_str::<Vec<&RawValue>>(json) {
        return format!("batch of {}", batch.len());
    }
    let Ok(head) = serde_json::from_str::<Head<'_>>(json) else {
        return "not a message".to_owned();
    };
    let what = match (head.method, head.error, head.result) {
        (Some(method), ..) => method,
        (None, Some(error), _) => format!("error {}", error.code),
        (None, None, Some(_)) => "result".to_owned(),
        (None, None, None) => "not a message".to_owned(),
    };
    match head.id {
        Some(id) => format!("#{} {what}", id.get()),
        None => what,
    }
}

#[cfg(test)]
mod tests {
    use super::summary;

    #[test]
    fn a_summary_has_the_id_and_what_it_is() {
        let cases = [
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
                "#1 tools/list",
            ),
            (
                r#"{"method":"notifications/progress","params":{}}"#,
                "notifications/progress",
            ),
            (r#"{"result":{},"id":"a-1"}"#, "#\"a-1\" result"),
            (
                r#"{"id":7,"error":{"code":-32602,"message":""}}"#,
                "#7 error -32602",
            ),
            (
                r#"{"id":null,"error":{"code":-32700,"message":""}}"#,
                "error -32700",
            ),
            ("[1,2]", "batch of 2"),
            ("{}", "not a message"),
            ("17", "not a message"),
        ];
        for (json, expected) in cases {
            assert_eq!(summary(json), expected, "{json}");
        }
    }
}
