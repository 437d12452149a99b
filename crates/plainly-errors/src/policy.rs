//! The codes that may be sent: the allocation policy of error codes (specification 2026-07-28, "Error Codes") and the
//! [registry](mod@crate::registry), as one function.

use crate::code::{Code, CodeRange};
use crate::registry::{Dialect, Emit, lookup};
use crate::revision::Revision;

/// Whether policy lets us send `code` to a peer of `revision` in `dialect`: the allocation policy of the specification
/// and the table, as one function. What the dialects write is tested against it over all integers.
pub fn may_emit(code: Code, revision: Revision, dialect: Dialect) -> bool {
    match (code.range(), lookup(code)) {
        (CodeRange::Application, _) => true,
        // No implementation may define its own codes in the ranges of JSON-RPC and MCP.
        (_, None) => false,
        (_, Some(entry)) => {
            entry.defined_in(revision)
                && (entry.emit != Emit::PerRevision || dialect == Dialect::PerRevision)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::table::RESOURCE_NOT_FOUND;

    #[test]
    fn the_legacy_range_is_closed_but_for_minus_32002_on_the_revisions_that_defined_it() {
        for code in (-32019..=-32000).map(Code::new) {
            for revision in Revision::ALL {
                assert!(
                    !may_emit(code, revision, Dialect::Uniform),
                    "{code} {revision}"
                );
                let allowed = code == RESOURCE_NOT_FOUND && revision != Revision::V2026_07_28;
                assert_eq!(
                    may_emit(code, revision, Dialect::PerRevision),
                    allowed,
                    "{code} {revision}"
                );
            }
        }
    }

    #[test]
    fn the_specification_s_range_holds_what_each_revision_defines() {
        for revision in Revision::ALL {
            let emitted: Vec<_> = (-32099..=-32020)
                .filter(|code| may_emit(Code::new(*code), revision, Dialect::Uniform))
                .collect();
            let expected: &[i64] = match revision {
                Revision::V2024_11_05 | Revision::V2025_03_26 | Revision::V2025_06_18 => &[],
                Revision::V2025_11_25 => &[-32042],
                Revision::V2026_07_28 => &[-32022, -32021, -32020],
            };
            assert_eq!(emitted, expected, "{revision}");
        }
    }
}
