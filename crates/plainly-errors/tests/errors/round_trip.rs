//! Property: an error written for any revision in any dialect is recognised as the same error,
//! message included. [`reads_back`] names every exception, and there is no other.

use plainly_errors::{
    Code, CodeRange, Dialect, Era, ErrorKind, ProtocolError, Revision, Unavailable, WireError,
};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::everywhere;
use crate::strategies::{error, received};

/// Sends an error over the wire as bytes.
fn carried(error: &ProtocolError, revision: Revision, dialect: Dialect) -> ProtocolError {
    let bytes = serde_json::to_vec(&dialect.encode(error, revision)).expect("an error is JSON");
    let wire: WireError = serde_json::from_slice(&bytes).expect("what was written can be read");
    wire.recognise()
}

/// Returns the error that is read back: `error` itself, with the exceptions below.
fn reads_back(error: &ProtocolError, revision: Revision, dialect: Dialect) -> ProtocolError {
    let as_if = |code: i64, data: Option<&Value>| {
        WireError::received(Code::new(code), error.message().into_owned(), data.cloned())
            .recognise()
    };
    let kind = |kind| ProtocolError::new(kind).with_message(error.message().into_owned());
    match (error.kind(), revision.era()) {
        // The older revisions have no code for mismatched headers.
        (ErrorKind::HeaderMismatch, Era::Legacy) => as_if(-32600, error.own_data()),
        // Without a URI, only -32002 identifies this error: -32602 needs the URI.
        (ErrorKind::ResourceNotFound { uri: None }, era)
            if era == Era::Modern || dialect == Dialect::Uniform =>
        {
            as_if(-32602, error.own_data())
        }
        // An unavailable server's 503 is recognised by its data.
        (ErrorKind::Application { code, data }, _) if code.get() == 503 => {
            match unavailable(data.as_ref()) {
                Some(reason) => kind(ErrorKind::Unavailable(reason)),
                None => as_if(503, data.as_ref()),
            }
        }
        // `null` is read as no data.
        (
            ErrorKind::Application {
                code,
                data: Some(Value::Null),
            },
            _,
        ) => kind(ErrorKind::Application {
            code: *code,
            data: None,
        }),
        // A reserved code that no rule recognises must not be sent. Other codes belong to
        // applications.
        (ErrorKind::Unrecognised { code, data }, _) => match code.range() {
            CodeRange::Application => as_if(code.get(), data.as_ref()),
            CodeRange::Standard
            | CodeRange::Reserved
            | CodeRange::Legacy
            | CodeRange::Specification => as_if(-32603, None),
        },
        _ => error.clone(),
    }
}

fn unavailable(data: Option<&Value>) -> Option<Unavailable> {
    match data?.get("kind")?.as_str()? {
        "overloaded" => Some(Unavailable::Overloaded),
        "shutting_down" => Some(Unavailable::ShuttingDown),
        "cannot_verify" => Some(Unavailable::CannotVerify),
        _ => None,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn what_we_state_is_recognised(error in error()) {
        for (revision, dialect) in everywhere() {
            let expected = reads_back(&error, revision, dialect);
            prop_assert_eq!(carried(&error, revision, dialect), expected, "{} {:?}", revision, dialect);
        }
    }

    #[test]
    fn what_a_peer_stated_is_recognised_when_it_is_passed_on(wire in received()) {
        let error = wire.recognise();
        for (revision, dialect) in everywhere() {
            let expected = reads_back(&error, revision, dialect);
            prop_assert_eq!(carried(&error, revision, dialect), expected, "{} {:?}", revision, dialect);
        }
    }
}

/// Lists the exceptions once more as a table, so that each one is also stated outside of the rule.
#[test]
fn the_exceptions_are_these() {
    let legacy = Revision::V2025_11_25;
    let cases = [
        (
            ErrorKind::HeaderMismatch,
            json!({ "code": -32600, "message": "m" }),
        ),
        (
            ErrorKind::ResourceNotFound { uri: None },
            json!({ "code": -32602, "message": "m" }),
        ),
        (
            ErrorKind::Unrecognised {
                code: Code::new(-32001),
                data: Some(json!({ "timeout": 1 })),
            },
            json!({ "code": -32603, "message": "m" }),
        ),
        (
            ErrorKind::Unrecognised {
                code: Code::new(7),
                data: Some(json!({ "timeout": 1 })),
            },
            json!({ "code": 7, "message": "m", "data": { "timeout": 1 } }),
        ),
        (
            ErrorKind::Unrecognised {
                code: Code::new(7),
                data: Some(Value::Null),
            },
            json!({ "code": 7, "message": "m" }),
        ),
    ];
    for (kind, expected) in cases {
        let error = ProtocolError::new(kind).with_message("m");
        let wire = Dialect::Uniform.encode(&error, legacy);
        assert_eq!(serde_json::to_value(&wire).unwrap(), expected);
    }
}
