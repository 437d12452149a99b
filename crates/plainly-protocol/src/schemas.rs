//! The JSON Schemas of what clients say: the parameters of their requests, and their answers to a server's. What a type
//! refuses, they explain. One table for all revisions, as the types are; nothing is read by them.

use serde_json::{Value, json};

use crate::meta::META;
use crate::method::Method;

/// All of them, by method.
const SCHEMAS: &str = include_str!("schemas.json");

/// The schema of the parameters of `method`; `None` if a server reads none. What is not known is allowed, and what is not
/// required may be `null`.
#[must_use]
pub fn params(method: Method) -> Option<Value> {
    find("params", method)
}

/// The same with the `_meta` that a request may have.
#[must_use]
pub fn params_with_meta(method: Method) -> Value {
    with_meta(Some(method), "meta", json!([]))
}

/// The same with the `_meta` that every request must have since 2026-07-28, which introduces its sender.
#[must_use]
pub fn params_with_introduction(method: Option<Method>) -> Value {
    with_meta(method, "introduction", json!([META]))
}

fn with_meta(method: Option<Method>, definition: &str, required: Value) -> Value {
    let params = method.and_then(params);
    let mut schema = params.unwrap_or_else(|| json!({ "$defs": all()["$defs"] }));
    let meta = json!({ "$ref": format!("#/$defs/{definition}") });
    schema["allOf"] = json!([{ "properties": { META: meta }, "required": required }]);
    schema
}

/// The schema of a client's answer to a request of this method.
#[must_use]
pub fn result(method: Method) -> Option<Value> {
    find("results", method)
}

fn find(table: &str, method: Method) -> Option<Value> {
    let mut all = all();
    let mut schema = all[table].get_mut(method.name())?.take();
    schema["$defs"] = all["$defs"].take();
    Some(schema)
}

fn all() -> Value {
    serde_json::from_str(SCHEMAS).expect("the file is JSON")
}
