//! The official JSON Schema Test Suite, which is not part of this project. The environment variable
//! `JSON_SCHEMA_TEST_SUITE` names its directory `tests`.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::compile;

const DRAFTS: [(&str, &str); 5] = [
    ("draft4", "http://json-schema.org/draft-04/schema#"),
    ("draft6", "http://json-schema.org/draft-06/schema#"),
    ("draft7", "http://json-schema.org/draft-07/schema#"),
    (
        "draft2019-09",
        "https://json-schema.org/draft/2019-09/schema",
    ),
    (
        "draft2020-12",
        "https://json-schema.org/draft/2020-12/schema",
    ),
];

/// The features of schemas that are rejected: references beyond the schema, bases within it,
/// unknown dialects.
const REFUSED: [&str; 4] = [
    "it refers to",
    "it has $id below its root",
    "it has id below its root",
    "is not a known draft",
];

/// The results of the suite.
#[derive(Default)]
struct Findings {
    held: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Findings {
    /// Adds a schema, with values that are valid or invalid.
    fn add(&mut self, draft: &str, group: &Value) {
        let mut schema = group["schema"].clone();
        if let Some(members) = schema.as_object_mut() {
            members.entry("$schema").or_insert(draft.into());
        }
        let description = &group["description"];
        let schema = match compile(schema) {
            Ok(schema) => schema,
            Err(why) if REFUSED.iter().any(|it| why.contains(it)) => return self.refused += 1,
            Err(why) => return self.wrong.push(format!("{draft}: {description}: {why}")),
        };
        for test in group["tests"].as_array().unwrap() {
            let failures = schema.failures(&test["data"].to_string());
            self.held += 1;
            if failures.is_empty() != test["valid"] {
                let test = &test["description"];
                let wrong = format!("{draft}: {description}: {test}: {failures:?}");
                self.wrong.push(wrong);
            }
        }
    }
}

#[test]
fn the_official_suite_has_the_same_values_valid() {
    let Some(suite) = std::env::var_os("JSON_SCHEMA_TEST_SUITE") else {
        eprintln!("skipped: JSON_SCHEMA_TEST_SUITE names no directory");
        return;
    };
    let mut found = Findings::default();
    for (directory, draft) in DRAFTS {
        for entry in fs::read_dir(Path::new(&suite).join(directory)).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let groups: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
                let groups = groups.as_array().unwrap().iter();
                groups.for_each(|group| found.add(draft, group));
            }
        }
    }
    assert!(found.wrong.is_empty(), "{}", found.wrong.join("\n"));
    assert!(
        found.held > 4_000 && found.refused < 200,
        "{} values held, {} schemas refused",
        found.held,
        found.refused
    );
}
