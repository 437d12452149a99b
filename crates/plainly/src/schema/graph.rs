//! The subschemas of a schema, and which is applied to what: to the value that the schema itself is for, or to the values
//! inside of it. Knows where schemas stand in schemas, of every draft, and what a reference means; never what is valid.

use std::collections::HashMap;

use serde_json::{Map, Value};

/// A subschema by its number; the root is 0.
pub(super) type Id = usize;

/// What a subschema applies.
#[derive(Debug, Default)]
pub(super) struct Applied {
    /// To the same value.
    pub(super) here: Vec<Id>,
    /// Each to one property.
    pub(super) properties: Vec<Id>,
    /// To properties of any name.
    pub(super) any_property: Vec<Id>,
    /// Each to one item.
    pub(super) items: Vec<Id>,
    /// To items at any place.
    pub(super) any_item: Vec<Id>,
}

/// All subschemas that are applied.
#[derive(Debug)]
pub(super) struct Graph(pub(super) Vec<Applied>);

impl Graph {
    /// Of `root`, if it has at most `most` subschemas, and refers to nothing beyond itself.
    pub(super) fn of(root: &Value, most: usize) -> Result<Self, String> {
        let mut walk = Walk {
            root,
            anchors: anchors(root),
            ids: HashMap::new(),
            graph: Vec::new(),
            waiting: Vec::new(),
        };
        walk.id(root);
        while let Some((id, schema)) = walk.waiting.pop() {
            let applied = walk.applied(schema)?;
            if let Some(place) = walk.graph.get_mut(id) {
                *place = applied;
            }
            if walk.graph.len() > most {
                return Err(format!("has more than {most} subschemas"));
            }
        }
        Ok(Self(walk.graph))
    }
}

struct Walk<'a> {
    root: &'a Value,
    anchors: HashMap<&'a str, &'a Value>,
    /// By where the schema is in memory.
    ids: HashMap<usize, Id>,
    graph: Vec<Applied>,
    waiting: Vec<(Id, &'a Value)>,
}

impl<'a> Walk<'a> {
    fn id(&mut self, schema: &'a Value) -> Id {
        let next = self.graph.len();
        let id = *self.ids.entry(address(schema)).or_insert(next);
        if id == next {
            self.graph.push(Applied::default());
            self.waiting.push((id, schema));
        }
        id
    }

    fn applied(&mut self, schema: &'a Value) -> Result<Applied, String> {
        let mut applied = Applied::default();
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match keyword.as_str() {
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    let target = self.target(value)?;
                    applied.here.push(self.id(target));
                }
                "$id" | "id" if address(schema) != address(self.root) => {
                    check_base(self.root, keyword, value)?;
                }
                _ => self.apply(keyword, value, &mut applied),
            }
        }
        // What is not evaluated yet is found by evaluating the others once more.
        let is_late = |keyword: &str| schema.get(keyword).is_some();
        if is_late("unevaluatedProperties") || is_late("unevaluatedItems") {
            applied.here.extend_from_within(..);
        }
        Ok(applied)
    }

    fn apply(&mut self, keyword: &str, value: &'a Value, applied: &mut Applied) {
        let place = match keyword {
            "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" | "dependentSchemas"
            | "dependencies" => &mut applied.here,
            "properties" => &mut applied.properties,
            "patternProperties"
            | "additionalProperties"
            | "unevaluatedProperties"
            | "propertyNames" => &mut applied.any_property,
            "prefixItems" => &mut applied.items,
            "items" if value.is_array() => &mut applied.items,
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => &mut applied.any_item,
            _ => return,
        };
        place.extend(schemas(keyword, value).map(|schema| self.id(schema)));
    }

    /// What `reference` refers to, which is in this very schema (SEP-2106).
    fn target(&self, reference: &Value) -> Result<&'a Value, String> {
        let text = reference.as_str().unwrap_or_default();
        let own = ["$id", "id"].map(|name| self.root.get(name).and_then(Value::as_str));
        let mut own = own.into_iter().flatten();
        let fragment = text.strip_prefix('#').or_else(|| {
            let rest = own.find_map(|own| text.strip_prefix(own.trim_end_matches('#')))?;
            rest.strip_prefix('#').or(rest.is_empty().then_some(""))
        });
        let Some(fragment) = fragment else {
            return Err(format!(
                "refers to {reference}, which is not in it: nothing is ever fetched"
            ));
        };
        let found = match fragment {
            "" => Some(self.root),
            pointer if pointer.starts_with('/') => self.root.pointer(&decoded(pointer)),
            anchor => self.anchors.get(anchor).copied(),
        };
        found.ok_or_else(|| format!("refers to {reference}, which is not in it"))
    }
}

/// The schemas that stand under `keyword`: one, a list, or by name.
fn schemas<'a>(keyword: &str, value: &'a Value) -> impl Iterator<Item = &'a Value> {
    let is_by_name = matches!(
        keyword,
        "properties" | "patternProperties" | "dependentSchemas" | "dependencies"
    );
    let one = (!is_by_name && (value.is_object() || value.is_boolean())).then_some(value);
    let named = value.as_object().filter(|_| is_by_name);
    let listed = value.as_array().into_iter().flatten();
    // In `dependencies` a list has names in it.
    let named = named.into_iter().flat_map(Map::values);
    one.into_iter().chain(listed).chain(named)
}

/// By their names, what `$anchor` and the like name. One within a value that is no schema does no harm.
fn anchors(root: &Value) -> HashMap<&str, &Value> {
    let mut anchors = HashMap::new();
    let mut waiting = vec![root];
    while let Some(value) = waiting.pop() {
        for keyword in ["$anchor", "$dynamicAnchor"] {
            if let Some(name) = value.get(keyword).and_then(Value::as_str) {
                anchors.insert(name, value);
            }
        }
        for keyword in ["$id", "id"] {
            let id = value.get(keyword).and_then(Value::as_str);
            if let Some(name) = id.and_then(|id| id.strip_prefix('#')) {
                anchors.insert(name, value);
            }
        }
        match value {
            Value::Object(members) => waiting.extend(members.values()),
            Value::Array(items) => waiting.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    anchors
}

/// References inside of a schema with a base of its own would mean something else.
fn check_base(root: &Value, keyword: &str, value: &Value) -> Result<(), String> {
    let draft = root.get("$schema").and_then(Value::as_str);
    let is_draft_4 = draft.is_some_and(|draft| draft.contains("draft-04"));
    let is_keyword = (keyword == "id") == is_draft_4;
    match value.as_str() {
        Some(id) if is_keyword && !id.starts_with('#') => {
            Err(format!("has {keyword} below its root, {value}"))
        }
        _ => Ok(()),
    }
}

/// The fragment of a URI as what it stands for.
fn decoded(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, tail @ ..] = rest {
        let hex = |digits: &[u8]| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok();
        let coded = tail.get(..2).filter(|_| *first == b'%').and_then(hex);
        bytes.push(coded.unwrap_or(*first));
        rest = if coded.is_some() {
            tail.get(2..).unwrap_or_default()
        } else {
            tail
        };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn address(value: &Value) -> usize {
    std::ptr::from_ref(value).addr()
}
