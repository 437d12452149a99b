//! The JSON Schema of each revision, read once from the directory in `PLAINLY_SPEC` and compiled by
//! definition. The names of definitions come from the schemas, too, so that nothing here must be
//! updated with them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use plainly::errors::Revision;
use serde_json::{Map, Value, json};

use super::compiled::Compiled;

/// The schema of one revision.
pub(super) struct Schemas {
    pub(super) revision: Revision,
    dialect: Value,
    key: &'static str,
    definitions: Map<String, Value>,
    compiled: Compiled,
}

/// Returns the schema of this revision, if there is a specification.
pub(super) fn schemas(revision: Revision) -> Option<&'static Schemas> {
    static ALL: OnceLock<Option<Vec<Schemas>>> = OnceLock::new();
    let all = ALL.get_or_init(|| Some(Schemas::all(&specification()?)));
    all.as_ref()?.iter().find(|of| of.revision == revision)
}

#[expect(
    clippy::print_stdout,
    reason = "whoever runs the tests must see what was not tested"
)]
fn specification() -> Option<PathBuf> {
    let directory = std::env::var_os("PLAINLY_SPEC").map(PathBuf::from);
    if directory.is_none() {
        println!("not validated by the schemas: PLAINLY_SPEC is not set");
    }
    directory
}

impl Schemas {
    fn all(specification: &Path) -> Vec<Self> {
        let read = |revision: Revision| {
            let path = specification.join(revision.as_str()).join("schema.json");
            let text = fs::read_to_string(&path).expect("each revision has a schema");
            Self::new(
                revision,
                serde_json::from_str(&text).expect("a schema is JSON"),
            )
        };
        Revision::ALL.map(read).into()
    }

    fn new(revision: Revision, mut document: Value) -> Self {
        let key = match document.get("$defs") {
            Some(_) => "$defs",
            None => "definitions",
        };
        let Value::Object(definitions) = document[key].take() else {
            panic!("{revision} has no definitions")
        };
        Self {
            revision,
            dialect: document["$schema"].take(),
            key,
            definitions,
            compiled: Compiled::default(),
        }
    }

    pub(super) fn has(&self, definition: &str) -> bool {
        self.definitions.contains_key(definition)
    }

    /// Returns the faults of `instance` by this definition; none without the feature `schemas`.
    pub(super) fn faults(&self, definition: &str, instance: &Value) -> Vec<String> {
        assert!(
            self.has(definition),
            "{} has no {definition}",
            self.revision
        );
        let schema = || {
            json!({
                "$schema": self.dialect,
                self.key: self.definitions,
                "$ref": format!("#/{}/{definition}", self.key),
            })
        };
        self.compiled.faults(definition, schema, instance)
    }

    /// Returns the definition of the request or notification of this method, unless an extension
    /// defines it.
    pub(super) fn message(&self, method: &str) -> Option<&str> {
        let is_called = |definition: &Value| {
            let name = definition.pointer("/properties/method/const");
            name.is_some_and(|name| name == method)
        };
        self.named(|_, definition| is_called(definition))
    }

    /// Returns the definition of the result of `method`, unless an extension defines it.
    pub(super) fn result(&self, method: &str) -> Option<String> {
        let stem = self.message(method)?.strip_suffix("Request")?;
        let result = format!("{stem}Result");
        Some(match self.has(&result) {
            true => result,
            false => "EmptyResult".to_owned(),
        })
    }

    /// Returns the definition of an error with this code, and whether it describes the whole
    /// response.
    pub(super) fn error(&self, code: &Value) -> Option<(&str, bool)> {
        let bare = |_: &str, definition: &Value| {
            definition.pointer("/properties/code/const") == Some(code)
        };
        let whole = |_: &str, definition: &Value| {
            let parts = definition.pointer("/properties/error/allOf");
            parts.and_then(Value::as_array).is_some_and(|parts| {
                let is_of_code =
                    |part: &Value| part.pointer("/properties/code/const") == Some(code);
                parts.iter().any(is_of_code)
            })
        };
        let bare = self.named(bare).map(|name| (name, false));
        bare.or_else(|| self.named(whole).map(|name| (name, true)))
    }

    fn named(&self, is_it: impl Fn(&str, &Value) -> bool) -> Option<&str> {
        let mut definitions = self.definitions.iter();
        let found = definitions.find(|(name, definition)| is_it(name, definition));
        found.map(|(name, _)| name.as_str())
    }
}
