//! Resolves references to targets in the same schema (SEP-2106). Nothing is ever fetched.

use std::collections::HashMap;

use percent_encoding::percent_decode_str;
use serde_json::Value;

use super::draft::Draft;

/// The possible targets of references.
#[derive(Debug)]
pub(super) struct References<'a> {
    root: &'a Value,
    base: &'a str,
    anchors: HashMap<&'a str, &'a Value>,
}

impl<'a> References<'a> {
    pub(super) fn of(root: &'a Value, draft: Draft) -> Self {
        let base = root.get(draft.id()).and_then(Value::as_str);
        Self {
            root,
            base: base.unwrap_or_default().trim_end_matches('#'),
            anchors: anchors(root, draft),
        }
    }

    pub(super) fn target(&self, reference: &str) -> Result<&'a Value, String> {
        let fragment = reference.strip_prefix('#').or_else(|| {
            let rest = reference
                .strip_prefix(self.base)
                .filter(|_| !self.base.is_empty())?;
            rest.strip_prefix('#').or(rest.is_empty().then_some(""))
        });
        let Some(fragment) = fragment else {
            return Err(format!(
                "it refers to {reference:?}, which is not in it: nothing is ever fetched"
            ));
        };
        let found = match fragment {
            "" => Some(self.root),
            pointer if pointer.starts_with('/') => {
                let pointer = percent_decode_str(pointer).decode_utf8_lossy();
                self.root.pointer(&pointer)
            }
            anchor => self.anchors.get(anchor).copied(),
        };
        found.ok_or_else(|| format!("it refers to {reference:?}, which is not in it"))
    }
}

/// The targets that `$anchor` and similar keywords name, by name. A name inside a value that is not
/// a schema is harmless.
fn anchors(root: &Value, draft: Draft) -> HashMap<&str, &Value> {
    let mut anchors = HashMap::new();
    // Searches all values, because only parsing shows which of them are schemas.
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        let text = |keyword: &str| value.get(keyword).and_then(Value::as_str);
        let names = match draft {
            Draft::Draft202012 => [text("$anchor"), text("$dynamicAnchor")],
            Draft::Draft201909 => [text("$anchor"), None],
            Draft::Draft4 | Draft::Draft6 | Draft::Draft7 => {
                [text(draft.id()).and_then(|id| id.strip_prefix('#')), None]
            }
        };
        anchors.extend(names.into_iter().flatten().map(|name| (name, value)));
        match value {
            Value::Object(members) => waiting.extend(members.values()),
            Value::Array(items) => waiting.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    anchors
}
