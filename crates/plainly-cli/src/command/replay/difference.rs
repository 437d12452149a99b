//! Where two answers differ, value by value.

use plainly::errors::mistake::shortened;
use serde::Serialize;
use serde_json::Value;

use crate::visible::visible;

/// The most differences of one answer that are named.
const MOST: usize = 20;
/// The most bytes of a value that are shown.
const SHOWN: usize = 120;

/// Two values at the same place, or one where the other has none.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Difference {
    /// A JSON Pointer.
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    recorded: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<Value>,
}

impl Difference {
    /// A difference of the whole.
    pub(super) fn of_all(recorded: Value, live: Value) -> Self {
        Self {
            at: String::new(),
            recorded: Some(recorded),
            live: Some(live),
        }
    }

    /// The same in words.
    pub(super) fn told(&self) -> String {
        let shown = |value: &Option<Value>| {
            let value = value.as_ref().map(ToString::to_string);
            value.map_or_else(
                || "nothing".to_owned(),
                |json| visible(&shortened(&json, SHOWN)),
            )
        };
        let at = match &*self.at {
            "" => "the answer".to_owned(),
            at => visible(at),
        };
        format!(
            "{at}: recorded {}, now {}",
            shown(&self.recorded),
            shown(&self.live)
        )
    }
}

/// Where `live` differs from what was recorded.
pub(super) fn differences(recorded: &Value, live: &Value) -> Vec<Difference> {
    let mut found = Vec::new();
    compare(String::new(), Some(recorded), Some(live), &mut found);
    found
}

fn compare(
    at: String,
    recorded: Option<&Value>,
    live: Option<&Value>,
    found: &mut Vec<Difference>,
) {
    if found.len() == MOST || recorded == live {
        return;
    }
    match (recorded, live) {
        (Some(Value::Object(before)), Some(Value::Object(now))) => {
            let more = now.keys().filter(|name| !before.contains_key(*name));
            for name in before.keys().chain(more) {
                let below = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                compare(below, before.get(name), now.get(name), found);
            }
        }
        (Some(Value::Array(before)), Some(Value::Array(now))) => {
            for index in 0..before.len().max(now.len()) {
                let below = format!("{at}/{index}");
                compare(below, before.get(index), now.get(index), found);
            }
        }
        _ => found.push(Difference {
            at,
            recorded: recorded.cloned(),
            live: live.cloned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_are_told_where_they_are() {
        let cases = [
            (
                json!({"a": [1, {"b": 2}]}),
                json!({"a": [1, {"b": 2}]}),
                &[][..],
            ),
            (json!({"a": 1}), json!({"a": 2}), &["/a: recorded 1, now 2"]),
            (
                json!({"a/b": [1, 2], "c": null}),
                json!({"a/b": [1], "d~": 0}),
                &[
                    "/a~1b/1: recorded 2, now nothing",
                    "/c: recorded null, now nothing",
                    "/d~0: recorded nothing, now 0",
                ],
            ),
            (json!([1]), json!({}), &["the answer: recorded [1], now {}"]),
        ];
        for (recorded, live, expected) in cases {
            let told: Vec<String> = differences(&recorded, &live)
                .iter()
                .map(Difference::told)
                .collect();
            assert_eq!(told, expected);
        }
        let many = differences(&json!(vec![0; 99]), &json!(vec![1; 99]));
        assert_eq!(many.len(), MOST);
    }
}
