//! Validators that accept everything, for builds with the features that users get: a real one turns on more of serde_json.

use serde_json::Value;

#[derive(Default)]
pub(super) struct Compiled;

impl Compiled {
    pub(super) fn faults(&self, _: &str, _: impl FnOnce() -> Value, _: &Value) -> Vec<String> {
        Vec::new()
    }
}
