//! The schemas that explain mistakes agree with the spec, as far as its revisions have a schema.

use std::collections::BTreeSet;

use plainly_protocol::method::{MessageKind, Method, Sender, methods};
use plainly_protocol::schemas;
use serde_json::Value;

use crate::spec::{parse, spec};

const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

/// The members that only later revisions or an extension have.
const NEWER: [&str; 7] = [
    "capabilities",
    "inputResponses",
    "isCollection",
    "requestState",
    "taskIds",
    "tasks",
    "uri",
];

/// The members that only the newest revision requires in results; a client reads the results of all
/// revisions.
const FIELDS: [&str; 4] = ["_meta", "resultType", "ttlMs", "cacheScope"];

/// A schema of plainly, and the spec's schema for the same method.
type Pair = (
    fn(Method) -> Option<Value>,
    for<'a> fn(&'a Value, &str) -> Option<&'a Value>,
);

/// Compares the schemas on each revision, and returns the methods for which there was a pair.
fn compared((ours_of, theirs_of): Pair) -> BTreeSet<&'static str> {
    let mut compared = BTreeSet::new();
    let Some(spec) = spec() else {
        return compared;
    };
    for revision in REVISIONS {
        let theirs = parse(&spec.join(revision).join("schema.json"));
        for row in methods() {
            let is_there = row.revisions.has(revision.parse().unwrap());
            let Some(ours) = ours_of(row.method).filter(|_| is_there) else {
                continue;
            };
            if let Some(schema) = theirs_of(&theirs, row.name) {
                let place = format!("{revision} {}", row.name);
                compare(&ours, &ours, &theirs, schema, &place);
                compared.insert(row.name);
            }
        }
    }
    compared
}

#[test]
fn the_schemas_of_parameters_are_those_of_the_spec() {
    if spec().is_none() {
        return;
    }
    let compared = compared((schemas::params, params_of));
    let requests = methods()
        .iter()
        .filter(|row| row.kind == MessageKind::Request);
    let ours = requests.filter(|row| schemas::params(row.method).is_some());
    let missing: Vec<_> = ours.filter(|row| !compared.contains(row.name)).collect();
    let names: Vec<_> = missing.iter().map(|row| row.name).collect();
    // The extensions have no schema in the spec.
    let extensions = [
        "resources/metadata",
        "resources/directory/read",
        "tasks/get",
        "tasks/update",
        "tasks/cancel",
        "skills/list",
        "skills/get",
    ];
    assert_eq!(names, extensions);
}

#[test]
fn the_schemas_of_what_servers_say_are_those_of_the_spec() {
    if spec().is_none() {
        return;
    }
    let told = compared((told_of, params_of));
    let ours = methods().iter().filter(|row| told_of(row.method).is_some());
    let missing = ours.clone().filter(|row| !told.contains(row.name));
    let names: Vec<_> = missing.map(|row| row.name).collect();
    // The extension has no schema in the spec.
    assert_eq!(names, ["notifications/tasks"]);
    let results = compared((reply_of, result_of));
    let listed = [
        "initialize",
        "server/discover",
        "tools/call",
        "tools/list",
        "resources/read",
        "prompts/get",
    ];
    assert!(
        listed.iter().all(|name| results.contains(name)),
        "{results:?}"
    );
}

/// Returns the schema of a server's message, except where its required members depend on the mode,
/// or on whether a task is cancelled.
fn told_of(method: Method) -> Option<Value> {
    let depends = [Method::Elicit, Method::Cancelled];
    schemas::told(method).filter(|_| !depends.contains(&method))
}

/// Returns the schema of a server's final result.
fn reply_of(method: Method) -> Option<Value> {
    let is_a_servers = method.row().sender != Sender::Server;
    is_a_servers.then(|| schemas::reply(method))
}

/// Returns the spec's schema of the result of `method`, which is named after its request.
fn result_of<'a>(schema: &'a Value, method: &str) -> Option<&'a Value> {
    let definitions = schema.get("$defs").or(schema.get("definitions"))?;
    let mut named = definitions.as_object()?.iter();
    let (name, _) = named.find(|(_, it)| it["properties"]["method"]["const"] == method)?;
    definitions.get(name.strip_suffix("Request")?.to_owned() + "Result")
}

/// Returns the spec's schema of the parameters of `method`.
fn params_of<'a>(schema: &'a Value, method: &str) -> Option<&'a Value> {
    let definitions = schema.get("$defs").or(schema.get("definitions"))?;
    let definitions = definitions.as_object()?.values();
    let mut requests = definitions.filter(|it| it["properties"]["method"]["const"] == method);
    let params = requests.find_map(|it| it["properties"].get("params"))?;
    Some(resolved(schema, params))
}

fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(reference) => resolved(root, root.pointer(&reference[1..]).unwrap()),
        None => schema,
    }
}

fn names(schema: &Value) -> BTreeSet<&str> {
    let names = schema["required"].as_array().into_iter().flatten();
    names
        .filter_map(Value::as_str)
        .filter(|name| !FIELDS.contains(name))
        .collect()
}

/// Compares types, values and required members, if both schemas have them.
fn compare(root: &Value, ours: &Value, their_root: &Value, theirs: &Value, place: &str) {
    let (ours, theirs) = (resolved(root, ours), resolved(their_root, theirs));
    // `true` means that the value is not read.
    if *ours == Value::Bool(true) {
        return;
    }
    for keyword in ["type", "enum"] {
        if let (Some(ours), Some(theirs)) = (ours.get(keyword), theirs.get(keyword)) {
            let sorted = |value: &Value| {
                let mut texts: Vec<_> = value.as_array().into_iter().flatten().collect();
                texts.sort_by_key(|text| text.to_string());
                texts.into_iter().cloned().collect::<Vec<_>>()
            };
            assert!(
                ours == theirs || sorted(ours) == sorted(theirs),
                "{place}: {ours} {theirs}"
            );
        }
    }
    if theirs.get("properties").is_some() {
        assert_eq!(names(ours), names(theirs), "{place}");
    }
    for (name, ours) in ours["properties"].as_object().into_iter().flatten() {
        match theirs["properties"].get(name) {
            Some(theirs) => compare(root, ours, their_root, theirs, &format!("{place}/{name}")),
            None => {
                let is_older = !place.starts_with("2026-07-28") || NEWER.contains(&name.as_str());
                assert!(is_older || theirs.get("anyOf").is_some(), "{place}/{name}");
            }
        }
    }
    if let (Some(ours), Some(theirs)) = (ours.get("items"), theirs.get("items")) {
        compare(root, ours, their_root, theirs, &format!("{place}/0"));
    }
}
