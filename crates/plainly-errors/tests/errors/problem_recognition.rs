//! Problems that make a round trip, and other errors of peers: any input is a problem or another
//! error, and never a panic.

use crate::cases;
use std::time::Duration;

use plainly_errors::problem::ProblemCode;
use plainly_errors::{
    Code, Dialect, ErrorKind, Internal, InvalidParams, Problem, ProblemBag, Problems,
    ProtocolError, Revision, WireError,
};
use proptest::option;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::everywhere;
use crate::strategies::{code, json_value, problem};

/// Sends an error over the wire as bytes.
fn carried(error: &ProtocolError, revision: Revision, dialect: Dialect) -> ProtocolError {
    let bytes = serde_json::to_vec(&dialect.encode(error, revision)).expect("an error is JSON");
    let wire: WireError = serde_json::from_slice(&bytes).expect("what was written can be read");
    wire.recognise()
}

/// Rounds the retry hint to what the wire carries.
fn in_seconds(problem: Problem) -> Problem {
    match problem.retry_after_seconds() {
        Some(seconds) => problem.retry_in(Duration::from_secs(seconds)),
        None => problem,
    }
}

/// Returns the message and the suggestion, which are sent together.
fn sentences(problem: &Problem) -> String {
    match problem.suggestion() {
        Some(suggestion) => format!("{} {suggestion}", problem.message()),
        None => problem.message().to_owned(),
    }
}

/// Joins the suggestion to the message, because the error object does not separate them.
fn in_one_sentence(problem: &Problem) -> Problem {
    let code = problem.code().clone();
    let whole = Problem::new(code, sentences(problem));
    let whole = problem
        .details()
        .iter()
        .fold(whole, |whole, (name, value)| {
            whole.detail(name.to_owned(), value.clone())
        });
    match problem.retry_after() {
        Some(time) => whole.retry_in(time),
        None => whole,
    }
}

fn received(code: i64, message: &str, data: Value) -> ProtocolError {
    WireError::received(Code::new(code), message.to_owned(), Some(data)).recognise()
}

#[test]
fn every_known_code_comes_back_under_any_number() {
    for code in ProblemCode::all() {
        let problem = Problem::new(code.clone(), "It did not work.")
            .suggest("Do better.")
            .detail("list", json!([1, { "deep": null }]))
            .retry_in(Duration::from_secs(3));
        for (revision, dialect) in everywhere() {
            let back = carried(&problem.to_protocol_error(), revision, dialect);
            assert_eq!(back.problem(), Some(&problem), "{revision} {dialect:?}");
        }
        let data = Dialect::default()
            .encode(&problem.to_protocol_error(), Revision::LATEST)
            .data
            .unwrap();
        let text = sentences(&problem);
        let numbers = (-32111..=-31990).chain([-32700, -32603, -32602, -32601, -32600, -1, 0, 404]);
        for number in numbers {
            let error = received(number, &text, data.clone());
            assert_eq!(error.problem(), Some(&problem), "{number}");
        }
    }
}

#[test]
fn the_number_says_the_kind_where_it_has_a_meaning_and_the_problem_where_it_has_none() {
    let denied = json!({ "code": "ACCESS_DENIED" });
    let kind = |number, data: Value| received(number, "m", data).kind().clone();
    let found = kind(-32602, denied.clone());
    assert_eq!(found, ErrorKind::InvalidParams(InvalidParams::MALFORMED));
    let found = kind(-32002, json!({ "code": "NOT_FOUND", "uri": "a:b" }));
    assert_eq!(
        found,
        ErrorKind::ResourceNotFound {
            uri: Some("a:b".into())
        }
    );
    let own = Problem::new(ProblemCode::AccessDenied, "m").to_protocol_error();
    for number in [-32001, -32003, -32010, -32021, -32042, -32099, -32500] {
        assert_eq!(&kind(number, denied.clone()), own.kind(), "{number}");
    }
    let found = kind(-32000, json!({ "code": "CRON_FAILED" }));
    assert_eq!(found, ErrorKind::Internal(Internal::Failed));
}

/// Checks errors that `mcp-error-codes` 1.2.3 writes: codes of the legacy range, and `[]` for no
/// details.
#[test]
fn what_the_php_library_writes_is_read() {
    let message = "Rate limit exceeded for calls. Try again in 60 seconds.";
    let limited = Problem::rate_limited("calls", Duration::from_secs(60));
    let data = json!({ "code": "RATE_LIMIT_EXCEEDED", "details": { "limit_type": "calls" }, "retry_after": 60 });
    assert_eq!(received(-32003, message, data).problem(), Some(&limited));
    let object = json!({ "success": false, "error": message, "code": "RATE_LIMIT_EXCEEDED",
        "details": { "limit_type": "calls" }, "retry_after": 60 });
    assert_eq!(Problem::from_object(&object), Some(limited));

    let bag = json!({ "success": false, "error": "Failed", "code": "INTERNAL_ERROR", "error_count": 1,
        "errors": [{ "message": "Failed", "code": "INTERNAL_ERROR", "details": [] }] });
    let expected = Problem::internal("Failed");
    assert_eq!(Problems::from_object(&bag), Some(expected.clone().into()));
    assert_eq!(Problem::from_object(&bag), Some(expected));

    let missing =
        json!({ "code": "NOT_FOUND", "details": { "entity_type": "user", "identifier": "ada" } });
    let error = received(-32002, "The user 'ada' was not found.", missing);
    assert!(error.is_resource_not_found());
    assert_eq!(error.problem(), Some(&Problem::not_found("user", "ada")));
}

#[test]
fn a_code_that_is_not_in_the_table_is_an_error_s_own_data() {
    let data = json!({ "code": "ECONNRESET" });
    let error = received(-32603, "m", data.clone());
    assert_eq!(error.problem(), None);
    assert_eq!(error.own_data(), Some(&data));
}

#[test]
fn data_of_other_types_is_as_good_as_none() {
    let plain = Problem::new(ProblemCode::Timeout, "m");
    for data in [
        json!({ "code": "TIMEOUT", "details": 1, "retry_after": "1", "suggestion": [] }),
        json!({ "code": "TIMEOUT", "details": [], "retry_after": -1, "suggestion": null }),
        json!({ "code": "TIMEOUT", "details": "x", "retry_after": 1e300, "suggestion": {} }),
        json!({ "code": "TIMEOUT", "details": null, "retry_after": null, "more": 1 }),
        json!({ "code": "TIMEOUT", "details": true, "retry_after": -0.5 }),
    ] {
        let error = received(408, "m", data.clone());
        assert_eq!(error.problem(), Some(&plain), "{data}");
    }
    for data in cases::<Value>("data as good as none") {
        assert_eq!(received(408, "m", data.clone()).problem(), None, "{data}");
    }
}

#[test]
fn a_time_is_read_as_seconds_whole_or_not() {
    for (json, time) in [
        (json!(0), Duration::ZERO),
        (json!(60), Duration::from_secs(60)),
        (json!(0.25), Duration::from_millis(250)),
        (json!(u64::MAX), Duration::from_secs(u64::MAX)),
    ] {
        let data = json!({ "code": "TIMEOUT", "retry_after": json });
        let error = received(408, "m", data);
        assert_eq!(error.problem().unwrap().retry_after(), Some(time));
        assert_eq!(error.retry_after(), Some(time));
    }
}

#[test]
fn a_suggestion_is_cut_off_the_message_where_it_stands_there() {
    let read = |message: &str, suggestion: &str| {
        let data = json!({ "code": "TIMEOUT", "suggestion": suggestion });
        let problem = received(408, message, data).problem().unwrap().clone();
        let suggested = problem.suggestion().unwrap().to_owned();
        (problem.message().to_owned(), suggested)
    };
    let pair = |message: &str, suggestion: &str| (message.to_owned(), suggestion.to_owned());
    assert_eq!(read("a b", "b"), pair("a", "b"));
    assert_eq!(read("ab", "b"), pair("ab", "b"));
    assert_eq!(read("a", "b"), pair("a", "b"));
    assert_eq!(read("b", "b"), pair("b", "b"));
    assert_eq!(read(" b", "b"), pair("", "b"));
    assert_eq!(read("a ", ""), pair("a", ""));
    assert_eq!(read("", ""), pair("", ""));
}

#[test]
fn an_object_is_a_problem_if_it_says_so() {
    for object in cases::<Value>("objects that are problems") {
        assert_eq!(Problem::from_object(&object), None, "{object}");
    }
    let object = json!({ "success": false, "error": "m", "code": "TEAPOT", "details": [], "retry_after": {} });
    let found = Problem::from_object(&object);
    assert_eq!(found, Some(Problem::custom("TEAPOT", "m")));
}

/// Returns every form in which a problem, or a bag of two, is written.
fn renderings(problem: &Problem) -> Vec<String> {
    let bag = ProblemBag::from_iter([problem.clone(), problem.clone()]);
    let bag = bag.into_result().expect_err("there are two");
    let errors = [
        problem.to_protocol_error(),
        problem.clone().for_resource("a:b"),
        bag.to_protocol_error(),
        problem.to_protocol_error().with_source(bag.clone()),
    ];
    let wires = errors.iter().flat_map(|error| {
        everywhere().map(|(revision, dialect)| json!(dialect.encode(error, revision)).to_string())
    });
    let mut all: Vec<_> = wires.collect();
    all.extend([
        problem.text().into_owned(),
        problem.to_string(),
        problem.to_object().to_string(),
        json!(problem).to_string(),
        problem.to_http_body(),
        bag.text().into_owned(),
        bag.summary().into_owned(),
        bag.to_string(),
        bag.to_object().to_string(),
        bag.to_http_body(),
    ]);
    all.extend(errors.iter().map(ToString::to_string));
    all
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn what_is_stated_is_recognised_on_every_revision(problem in problem()) {
        let known = !matches!(problem.code(), ProblemCode::Custom(_));
        let error = problem.to_protocol_error();
        for (revision, dialect) in everywhere() {
            let back = carried(&error, revision, dialect);
            prop_assert_eq!(&back, &error);
            let expected = known.then(|| in_seconds(problem.clone()));
            prop_assert_eq!(back.problem(), expected.as_ref(), "{} {:?}", revision, dialect);
        }
    }

    #[test]
    fn what_a_tool_states_is_recognised(problem in problem()) {
        let text = serde_json::to_string(&problem).unwrap();
        let object: Value = serde_json::from_str(&text).unwrap();
        let expected = in_one_sentence(&in_seconds(problem));
        prop_assert_eq!(Problem::from_object(&object), Some(expected));
    }

    #[test]
    fn what_was_recognised_is_written_as_it_came(problem in problem()) {
        let back = Problem::from_object(&problem.to_object()).unwrap();
        prop_assert_eq!(back.to_object(), problem.to_object());
    }

    #[test]
    fn context_and_source_are_in_no_rendering(problem in problem()) {
        let secret = "hunter2 in the context";
        let problem = problem.context(secret, secret).context("more", json!([secret])).with_source(secret);
        for rendering in renderings(&problem) {
            prop_assert!(!rendering.contains("hunter2"), "{rendering}");
        }
        let debugged = format!("{problem:?}");
        prop_assert!(debugged.contains(secret));
    }

    #[test]
    fn whatever_comes_is_read_without_a_panic(
        number in code(),
        message: String,
        name in proptest::sample::select(ProblemCode::all().to_vec()),
        parts in any::<[bool; 5]>(),
        json in proptest::array::uniform5(option::of(json_value())),
    ) {
        let mut data = json!({ "success": false, "error": "m", "errors": [], "code": name.as_str() });
        let names = ["code", "details", "retry_after", "suggestion", "errors"];
        for ((name, value), replace) in names.into_iter().zip(json).zip(parts) {
            if let Some(value) = value.filter(|_| replace) {
                data[name] = value;
            }
        }
        let known = data["code"] == name.as_str();
        let error = received(number, &message, data.clone());
        if known {
            prop_assert_eq!(error.problem().map(Problem::code), Some(&name));
        }
        let _ = (error.retry(), error.retry_after(), format!("{error:?}"));
        let _ = (Problem::from_object(&data), Problems::from_object(&data));
    }

    #[test]
    fn any_json_is_read_without_a_panic(json in json_value()) {
        let _ = (Problem::from_object(&json), Problems::from_object(&json));
    }
}
