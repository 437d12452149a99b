//! The JSON Schemas of each side's messages: parameters, results, and a server's errors. They
//! explain why a type rejects a value. One table serves all revisions, as the types do. Messages
//! are not parsed with the schemas.

use std::sync::LazyLock;

use serde_json::{Map, Value, json};

use crate::method::{Method, methods};

/// The schemas of clients' messages, by method.
static CLIENT: LazyLock<Value> = LazyLock::new(|| read(include_str!("schemas/client.json")));
/// The schemas of servers' messages. The schemas of both sides refer to each other's definitions.
static SERVER: LazyLock<Value> = LazyLock::new(|| read(include_str!("schemas/server.json")));

/// The methods that have a schema of the kind that `schema` returns, such as [`params`], each with
/// its schema.
pub fn each(schema: impl Fn(Method) -> Option<Value>) -> impl Iterator<Item = (Method, Value)> {
    let methods = methods().iter().map(|row| row.method);
    methods.filter_map(move |method| Some((method, schema(method)?)))
}

/// The schema of the parameters of `method`; `None` if a server reads none. Unknown members are
/// allowed, and optional members may be `null`.
#[must_use]
pub fn params(method: Method) -> Option<Value> {
    find(&CLIENT, "params", method)
}

/// Like [`params`], with the optional `_meta` of a request.
#[must_use]
pub fn params_with_meta(method: Method) -> Value {
    with_meta(Some(method), "meta", json!([]))
}

/// Like [`params`], with the `_meta` that every request must have since 2026-07-28 and that
/// identifies its sender.
#[must_use]
pub fn params_with_introduction(method: Option<Method>) -> Value {
    with_meta(method, "introduction", json!(["_meta"]))
}

fn with_meta(method: Option<Method>, definition: &str, required: Value) -> Value {
    let params = method.and_then(params);
    let mut schema = params.unwrap_or_else(|| defined(json!({})));
    let meta = json!({ "$ref": format!("#/$defs/{definition}") });
    schema["allOf"] = json!([{ "properties": { "_meta": meta }, "required": required }]);
    schema
}

/// The schema of a client's answer to a request of this method.
#[must_use]
pub fn result(method: Method) -> Option<Value> {
    find(&CLIENT, "results", method)
}

/// The schema of the parameters of a server's request or notification; `None` if a client reads
/// none.
#[must_use]
pub fn told(method: Method) -> Option<Value> {
    find(&SERVER, "params", method)
}

/// The schema of a server's final result of `method`. It accepts any result if the method has no
/// schema.
#[must_use]
pub fn reply(method: Method) -> Value {
    let own = find(&SERVER, "results", method);
    with_fields(own.unwrap_or_else(|| defined(json!({}))))
}

/// The schema of a result that requests input first (2026-07-28).
#[must_use]
pub fn input_required() -> Value {
    with_fields(defined(SERVER["inputRequired"].clone()))
}

/// The schema of a task handle, which replaces a result (extension
/// `io.modelcontextprotocol/tasks`).
#[must_use]
pub fn task_handle() -> Value {
    with_fields(defined(SERVER["taskHandle"].clone()))
}

/// The schema of a JSON-RPC error.
#[must_use]
pub fn error() -> Value {
    defined(SERVER["error"].clone())
}

/// Adds the fields that any result may have.
fn with_fields(mut schema: Value) -> Value {
    schema["type"] = "object".into();
    schema["allOf"] = json!([{ "$ref": "#/$defs/result" }]);
    schema
}

fn find(side: &Value, table: &str, method: Method) -> Option<Value> {
    side[table].get(method.name()).cloned().map(defined)
}

/// Adds all definitions that the schema may refer to.
fn defined(mut schema: Value) -> Value {
    let sides = [&*CLIENT, &*SERVER].into_iter();
    let definitions = sides.filter_map(|side| side["$defs"].as_object());
    schema["$defs"] = definitions
        .flatten()
        .map(owned)
        .collect::<Map<_, _>>()
        .into();
    schema
}

fn owned((name, definition): (&String, &Value)) -> (String, Value) {
    (name.clone(), definition.clone())
}

fn read(side: &str) -> Value {
    serde_json::from_str(side).expect("the file is JSON")
}
