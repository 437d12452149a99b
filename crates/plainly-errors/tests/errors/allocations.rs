//! The allocations of errors. Creating and encoding an error without data allocates only its box,
//! and reading an error allocates at most a constant times the size of its JSON.

use allocation_counter::measure;
use plainly_errors::{InvalidParams, Problem, ProtocolError, WireError};

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

/// Hostile input can be small and expensive: an object with one member takes 8 bytes of JSON and
/// 632 bytes of memory. The limit is a constant factor, so twice the input costs at most twice as
/// much.
#[test]
fn reading_an_error_allocates_no_more_than_a_constant_times_its_size() {
    const MOST: u64 = 512;
    let units = [r#"{"a":0},"#, "{},", "[],", "0,", r#""","#, r#""\u0001","#];
    let around = [
        ("[", "0]"),
        (r#"{"uri":["#, "0]}"),
        (r#"{"requiredCapabilities":{"a":["#, "0]}}"),
        (r#"{"requested":"","supported":["#, r#"""]}"#),
        (r#"{"elicitations":["#, "0]}"),
        (r#"{"kind":"unknown_tool","name":["#, "0]}"),
        (r#"{"code":"TIMEOUT","details":{"a":["#, "0]}}"),
    ];
    for (before, behind) in around {
        for unit in units {
            for code in [
                -32700, -32600, -32602, -32603, -32022, -32042, -32000, 503, 7,
            ] {
                for count in [30, 3_000] {
                    let data = format!("{before}{}{behind}", unit.repeat(count));
                    let json = format!(r#"{{"code":{code},"message":"m","data":{data}}}"#);
                    let read = measure(|| {
                        let wire: WireError = serde_json::from_str(&json).unwrap();
                        drop(wire.recognise());
                    });
                    let times = read.bytes_total / json.len() as u64;
                    assert!(times <= MOST, "{times} times {before}{unit}… under {code}");
                }
            }
        }
    }
}

/// Long text is stored in its own size, with one more copy for each value that contains it.
#[test]
fn reading_long_text_allocates_a_few_copies() {
    for length in [1_000, 1_000_000] {
        let text = "x".repeat(length);
        for json in [
            format!(r#"{{"code":-32602,"message":"{text}"}}"#),
            format!(r#"{{"code":-32602,"message":"m","data":{{"uri":"{text}"}}}}"#),
            format!(r#"{{"code":408,"message":"{text}","data":{{"code":"TIMEOUT"}}}}"#),
        ] {
            let read = measure(|| {
                let wire: WireError = serde_json::from_str(&json).unwrap();
                drop(wire.recognise());
            });
            let most = 6 * json.len() as u64 + 4096;
            assert!(read.bytes_total <= most, "{} of {length}", read.bytes_total);
        }
    }
}
