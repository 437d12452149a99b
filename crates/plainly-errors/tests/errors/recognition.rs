//! The recognition of errors that peers send, by code and shape of data alone. Any input is some
//! error, and `data` of unknown shape is never lost.

use crate::cases;
use plainly_errors::{
    ApplicationCode, Code, ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError,
    Refusal, Unavailable, UrlElicitation, WireError,
};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::strategies::{code, json_value};

fn recognise(code: i64, data: Value) -> ProtocolError {
    let data = (!data.is_null()).then_some(data);
    WireError::received(Code::new(code), "m", data).recognise()
}

fn check(code: i64, data: Value, expected: ErrorKind) {
    let error = recognise(code, data.clone());
    assert_eq!(error.kind(), &expected, "{code} {data}");
    assert_eq!(error.message(), "m");
}

#[test]
fn a_missing_resource_is_known_by_its_data_or_by_its_old_code() {
    let found = |uri: &str| ErrorKind::ResourceNotFound {
        uri: Some(uri.to_owned()),
    };
    check(-32602, json!({ "uri": "note://a" }), found("note://a"));
    check(-32602, json!({ "uri": "" }), found(""));
    check(-32002, json!({ "uri": "note://a" }), found("note://a"));
    check(
        -32002,
        json!({ "uri": "note://a", "more": 1 }),
        found("note://a"),
    );
    check(
        -32002,
        Value::Null,
        ErrorKind::ResourceNotFound { uri: None },
    );
    check(
        -32002,
        json!({ "uri": 1 }),
        ErrorKind::ResourceNotFound { uri: None },
    );
}

#[test]
fn data_with_more_than_the_uri_is_not_a_missing_resource() {
    let malformed = ErrorKind::InvalidParams(InvalidParams::MALFORMED);
    for data in cases::<Value>("not a missing resource") {
        check(-32602, data, malformed.clone());
    }
    check(
        -32602,
        json!({ "uri": "note://a", "kind": "not_a_collection" }),
        ErrorKind::InvalidParams(InvalidParams::NotACollection {
            uri: "note://a".into(),
        }),
    );
    check(
        -32603,
        json!({ "uri": "note://a" }),
        Internal::Failed.kind(),
    );
    check(
        -32600,
        json!({ "uri": "note://a" }),
        InvalidRequest::Malformed.kind(),
    );
}

#[test]
fn a_known_detail_is_read_with_members_that_we_do_not_know() {
    check(
        -32602,
        json!({ "kind": "unknown_tool", "name": "t", "did_you_mean": ["u"] }),
        InvalidParams::UnknownTool { name: "t".into() }.kind(),
    );
    check(
        -32602,
        json!({ "kind": "unknown_prompt", "name": "p", "prompts": [] }),
        InvalidParams::UnknownPrompt { name: "p".into() }.kind(),
    );
    check(
        -32602,
        json!({ "kind": "invalid_cursor", "cursor": "c" }),
        InvalidParams::InvalidCursor.kind(),
    );
    check(
        -32602,
        json!({ "kind": "unknown_task", "taskId": "t" }),
        InvalidParams::UnknownTask.kind(),
    );
    check(
        -32600,
        json!({ "kind": "refused", "refusal": "too_large", "limit": 1 }),
        InvalidRequest::Refused {
            refusal: Refusal::TooLarge { limit: Some(1) },
        }
        .kind(),
    );
    check(
        -32603,
        json!({ "kind": "deadline_exceeded", "limitMs": 5, "spent": 6 }),
        Internal::DeadlineExceeded { limit_ms: 5 }.kind(),
    );
    check(
        503,
        json!({ "kind": "overloaded", "retryAfter": 1 }),
        ErrorKind::Unavailable(Unavailable::Overloaded),
    );
    for code in [-32600, -32602] {
        for data in [
            json!({ "kind": "malformed" }),
            json!({ "kind": "malformed", "at": "/params/name" }),
        ] {
            assert_eq!(recognise(code, data).own_data(), None, "{code}");
        }
    }
    let with_more = json!({ "supported": ["a"], "requested": "b", "more": 1 });
    let unsupported = ErrorKind::UnsupportedProtocolVersion {
        supported: vec!["a".into()],
        requested: "b".into(),
    };
    check(-32022, with_more.clone(), unsupported.clone());
    check(-32602, with_more, unsupported);
}

/// Checks that `data` is not part of the kind and is still stored.
fn check_kept(code: i64, data: Value, expected: ErrorKind) {
    check(code, data.clone(), expected);
    let found = recognise(code, data.clone());
    assert_eq!(found.own_data(), Some(&data), "{code}");
}

#[test]
fn a_detail_that_is_not_quite_ours_is_a_peer_s_own_and_kept() {
    for data in cases::<Value>("details not quite ours") {
        check_kept(-32602, data, InvalidParams::MALFORMED.kind());
    }
    for data in [
        json!({ "kind": "refused", "refusal": "teapot" }),
        json!("bad"),
    ] {
        check_kept(-32600, data, InvalidRequest::Malformed.kind());
    }
    for data in [
        json!({ "kind": "deadline_exceeded", "limitMs": "5" }),
        json!([1]),
    ] {
        check_kept(-32603, data, Internal::Failed.kind());
    }
}

#[test]
fn data_where_we_have_none_is_kept() {
    let nameless = ErrorKind::MethodNotFound { method: None };
    check_kept(
        -32601,
        json!({ "reason": "no prompts capability" }),
        nameless,
    );
    check_kept(-32700, json!({ "position": 3 }), ErrorKind::Parse);
    check_kept(
        -32020,
        json!({ "header": "Mcp-Name" }),
        ErrorKind::HeaderMismatch,
    );
    check_kept(
        -32002,
        json!({ "path": "a" }),
        ErrorKind::ResourceNotFound { uri: None },
    );
}

#[test]
fn errors_that_differ_in_such_data_differ() {
    let with = |reason: &str| recognise(-32601, json!({ "reason": reason }));
    assert_eq!(with("a"), with("a"));
    assert_ne!(with("a"), with("b"));
    assert_ne!(with("a"), recognise(-32601, Value::Null));
}

#[test]
fn a_code_without_the_data_that_it_must_have_is_not_recognised() {
    let cases = cases::<(i64, Value)>("codes without their data");
    for (code, data) in cases {
        let kind = ErrorKind::Unrecognised {
            code: Code::new(code),
            data: Some(data.clone()),
        };
        check(code, data, kind);
    }
}

#[test]
fn the_legacy_range_means_nothing_but_for_minus_32002() {
    let release_candidate =
        json!({ "requiredCapabilities": {}, "supported": [], "requested": "x", "uri": "u" });
    for code in (-32019..=-32000).filter(|code| *code != -32002) {
        let kind = ErrorKind::Unrecognised {
            code: Code::new(code),
            data: Some(release_candidate.clone()),
        };
        check(code, release_candidate.clone(), kind);
    }
}

#[test]
fn the_urls_are_found_on_every_revision() {
    let data = json!({ "elicitations": [
        { "mode": "url", "elicitationId": "1", "url": "https://a.example/", "message": "Sign in", "_meta": {} },
    ] });
    let kind = ErrorKind::UrlElicitationRequired {
        elicitations: vec![UrlElicitation::new("1", "https://a.example/", "Sign in")],
    };
    check(-32042, data.clone(), kind.clone());
    check(-32603, data, kind);
}

#[test]
fn a_missing_capability_is_found_on_every_revision() {
    let data = json!({ "requiredCapabilities": { "sampling": {} } });
    let required = Map::from_iter([("sampling".to_owned(), json!({}))]);
    for code in [-32021, -32602] {
        let required = required.clone();
        let kind = ErrorKind::MissingRequiredClientCapability { required };
        check(code, data.clone(), kind);
    }
}

#[test]
fn every_other_code_outside_the_reserved_range_is_an_application_s() {
    for code in [0, 1, -1, 404, 503, i64::MIN, i64::MAX, -31999, -32769] {
        let kind = ErrorKind::Application {
            code: ApplicationCode::try_from(code).unwrap(),
            data: Some(json!({ "kind": "teapot" })),
        };
        check(code, json!({ "kind": "teapot" }), kind);
    }
}

#[test]
fn an_error_object_without_data_or_with_null_is_read_alike() {
    let without: WireError =
        serde_json::from_value(json!({ "code": -32602, "message": "m" })).unwrap();
    let null: WireError =
        serde_json::from_value(json!({ "code": -32602, "message": "m", "data": null })).unwrap();
    assert_eq!(without, null);
    let found = WireError::received(Code::new(-32602), "m", Some(Value::Null));
    assert_eq!(found, null);
    assert_eq!(without.recognise(), ProtocolError::invalid_params("m"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

    #[test]
    fn whatever_comes_is_some_error_and_keeps_its_message(code in code(), message: String, data in option::of(json_value())) {
        let error = WireError::received(Code::new(code), message.clone(), data).recognise();
        prop_assert_eq!(error.message(), message);
    }

    #[test]
    fn data_is_either_understood_or_kept(
        code in proptest::sample::select(vec![-32700, -32600, -32601, -32602, -32603]),
        data in json_value().prop_filter("null is no data", |data| !data.is_null()),
    ) {
        let error = recognise(code, data.clone());
        let bare = [
            ErrorKind::Parse,
            InvalidRequest::Malformed.kind(),
            ErrorKind::MethodNotFound { method: None },
            InvalidParams::MALFORMED.kind(),
            Internal::Failed.kind(),
        ];
        let understood = !bare.contains(error.kind());
        prop_assert_eq!(error.own_data(), (!understood).then_some(&data));
    }
}

/// The details of an error, each of one kind.
trait Detail {
    fn kind(self) -> ErrorKind;
}

impl Detail for InvalidRequest {
    fn kind(self) -> ErrorKind {
        ErrorKind::InvalidRequest(self)
    }
}

impl Detail for InvalidParams {
    fn kind(self) -> ErrorKind {
        ErrorKind::InvalidParams(self)
    }
}

impl Detail for Internal {
    fn kind(self) -> ErrorKind {
        ErrorKind::Internal(self)
    }
}
