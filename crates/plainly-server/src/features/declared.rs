//! The problems that a handler declares, in the `_meta` of its definition, for clients and
//! documentation.

use plainly_errors::ProblemCode;
use plainly_protocol::types::Meta;
use serde_json::Value;

/// The member of a definition's `_meta` that lists the codes of its problems.
const PROBLEMS: &str = "dev.plainly/problems";

/// Adds these codes, if any are declared.
pub(super) fn declare(meta: &mut Option<Meta>, codes: &'static [ProblemCode]) {
    if codes.is_empty() {
        return;
    }
    let codes = codes.iter().map(|code| Value::from(code.as_str()));
    let meta = meta.get_or_insert_default();
    meta.insert(PROBLEMS.to_owned(), codes.collect());
}
