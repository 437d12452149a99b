//! Validators that accept every message, for builds with the published features: a real validator
//! would enable more features of serde_json.

use serde_json::Value;

#[derive(Default)]
pub(super) struct Compiled;

impl Compiled {
    pub(super) fn faults(&self, _: &str, _: impl FnOnce() -> Value, _: &Value) -> Vec<String> {
        Vec::new()
    }
}
