//! The problems that a tool or prompt declares.

use plainly::protocol::types::Meta;
use serde_json::Value;

/// The member of `_meta` that lists the codes of declared problems.
const PROBLEMS: &str = "dev.plainly/problems";

/// The codes of the problems that a tool or prompt declares.
pub(super) fn problems(meta: Option<&Meta>) -> Option<String> {
    let codes = meta?.get(PROBLEMS)?.as_array()?.iter();
    let codes: Vec<_> = codes.filter_map(Value::as_str).collect();
    (!codes.is_empty()).then(|| codes.join(", "))
}
