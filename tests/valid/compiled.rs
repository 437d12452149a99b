//! The validators of a schema's definitions, each compiled at its first use.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use jsonschema::Validator;
use serde_json::Value;

#[derive(Default)]
pub(super) struct Compiled(Mutex<HashMap<String, Arc<Validator>>>);

impl Compiled {
    pub(super) fn faults(
        &self,
        definition: &str,
        schema: impl FnOnce() -> Value,
        instance: &Value,
    ) -> Vec<String> {
        let mut compiled = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let compile = || {
            let validator = jsonschema::validator_for(&schema());
            Arc::new(validator.expect("a specification's schema is valid"))
        };
        let validator = compiled
            .entry(definition.to_owned())
            .or_insert_with(compile);
        let validator = Arc::clone(validator);
        drop(compiled);
        let faults = validator.iter_errors(instance);
        faults.map(|fault| fault.to_string()).collect()
    }
}
