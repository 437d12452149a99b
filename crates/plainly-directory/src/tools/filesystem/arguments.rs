//! Renames arguments.

use serde_json::{Map, Value};

/// Pairs of names of an argument or of a member of one: the name for the model, and the name of the
/// tool.
pub(super) type Names = &'static [(&'static str, &'static str)];

/// A renaming of arguments by pairs of names.
pub(super) struct Renamed(pub(super) Names);

impl Renamed {
    /// The tool's name for the model's.
    fn ours(&self, name: &str) -> Option<&'static str> {
        let mut pairs = self.0.iter();
        pairs.find_map(|(theirs, ours)| (*theirs == name).then_some(*ours))
    }

    /// The model's name for the tool's.
    fn theirs(&self, name: &str) -> Option<&'static str> {
        let mut pairs = self.0.iter();
        pairs.find_map(|(theirs, ours)| (*ours == name).then_some(*theirs))
    }

    /// The tool's arguments for the model's.
    pub(super) fn given(&self, value: Value) -> Value {
        match value {
            Value::Object(members) => {
                let renamed = members.into_iter().map(|(name, value)| {
                    let ours = self.ours(&name).map(str::to_owned);
                    (ours.unwrap_or(name), self.given(value))
                });
                renamed.collect::<Map<_, _>>().into()
            }
            Value::Array(items) => items.into_iter().map(|item| self.given(item)).collect(),
            value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => value,
        }
    }

    /// The schema of the model's arguments for that of the tool. Arguments that are not in the
    /// pairs are left out.
    pub(super) fn schema(&self, schema: Value) -> Value {
        let Value::Object(members) = schema else {
            return schema;
        };
        let renamed = members.into_iter().map(|(keyword, value)| {
            let value = match (&*keyword, value) {
                ("properties", Value::Object(properties)) => self.properties(properties),
                ("required", Value::Array(names)) => {
                    let names = names.iter().filter_map(Value::as_str);
                    names.filter_map(|name| self.theirs(name)).collect()
                }
                ("items", items) => self.schema(items),
                (_, value) => value,
            };
            (keyword, value)
        });
        renamed.collect::<Map<_, _>>().into()
    }

    /// The properties in the order of the pairs, because models read them in order.
    fn properties(&self, mut properties: Map<String, Value>) -> Value {
        let pairs = self.0.iter();
        let kept = pairs.filter_map(|(theirs, ours)| {
            let schema = properties.remove(*ours)?;
            Some(((*theirs).to_owned(), self.schema(schema)))
        });
        kept.collect::<Map<_, _>>().into()
    }

    /// Replaces the tool's names in a sentence by the model's, where they are quoted or the whole
    /// sentence.
    pub(super) fn words(&self, sentence: &str) -> String {
        if let Some(theirs) = self.theirs(sentence) {
            return theirs.to_owned();
        }
        let pairs = self.0.iter();
        pairs.fold(sentence.to_owned(), |sentence, (theirs, ours)| {
            sentence
                .replace(&format!("'{ours}'"), &format!("'{theirs}'"))
                .replace(&format!("`{ours}`"), &format!("`{theirs}`"))
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const EDITS: Renamed = Renamed(&[
        ("path", "uri"),
        ("edits", "edits"),
        ("oldText", "old"),
        ("dryRun", "dry_run"),
    ]);

    #[test]
    fn names_change_at_any_depth_and_values_never() {
        let given = json!({"path": "path", "edits": [{"oldText": "path"}], "dryRun": true});
        let expected = json!({"uri": "path", "edits": [{"old": "path"}], "dry_run": true});
        assert_eq!(EDITS.given(given), expected);
    }

    #[test]
    fn a_schema_has_what_has_a_pair() {
        let schema = json!({
            "type": "object",
            "properties": {
                "uri": {"type": "string"},
                "if_tag": {"type": "string"},
                "edits": {"type": "array", "items": {"properties": {"old": {}}, "required": ["old"]}},
            },
            "required": ["uri", "edits"],
        });
        let expected = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string"},
                "edits": {"type": "array", "items": {"properties": {"oldText": {}}, "required": ["oldText"]}},
            },
            "required": ["path", "edits"],
        });
        assert_eq!(EDITS.schema(schema), expected);
    }

    #[test]
    fn names_in_sentences_are_in_quotation_marks() {
        for (sentence, expected) in [
            ("uri", "path"),
            (
                "Invalid value for 'uri': no uri.",
                "Invalid value for 'path': no uri.",
            ),
            ("Copy `old` from it.", "Copy `oldText` from it."),
        ] {
            assert_eq!(EDITS.words(sentence), expected);
        }
    }
}
