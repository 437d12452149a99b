//! An error without data costs its box and nothing else, to state and to write.

use allocation_counter::measure;
use plainly_errors::{InvalidParams, Problem, ProtocolError};

use crate::everywhere;

#[test]
fn an_error_without_data_allocates_its_box() {
    let stated = measure(|| drop(ProtocolError::internal("It failed.")));
    assert_eq!(stated.count_total, 1);
    let stated = measure(|| drop(ProtocolError::from(InvalidParams::InvalidCursor)));
    assert_eq!(stated.count_total, 1);
    let stated = measure(|| drop(Problem::internal("It failed.").suggest("Wait.")));
    assert_eq!(stated.count_total, 1);
}

#[test]
fn writing_an_error_without_data_allocates_nothing() {
    let errors = [
        ProtocolError::internal("It failed."),
        ProtocolError::header_mismatch("Mcp-Name is missing"),
        ProtocolError::parse_error("expected value at line 1"),
    ];
    for error in &errors {
        for (revision, dialect) in everywhere() {
            let written = measure(|| drop(dialect.encode(error, revision)));
            assert_eq!(written.count_total, 0, "{error:?} {revision}");
        }
    }
}
