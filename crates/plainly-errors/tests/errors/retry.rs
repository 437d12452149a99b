//! Whether and when to send a request again.

use std::time::Duration;

use plainly_errors::problem::ProblemCode;
use plainly_errors::{
    ApplicationCode, Code, ErrorKind, Fault, Internal, InvalidParams, Problem, ProtocolError,
    Refusal, Retry, Unavailable, UrlElicitation, WireError,
};
use serde_json::{Map, json};

use crate::rows::kinds;

#[test]
fn each_error_is_retried_as_its_row_says() {
    let url = UrlElicitation::new("1", "https://a.example/", "Sign in");
    let unrecognised = |code| {
        ProtocolError::new(ErrorKind::Unrecognised {
            code: Code::new(code),
            data: None,
        })
    };
    #[rustfmt::skip]
    let cases = [
        (ProtocolError::parse_error("m"), Retry::AfterFix),
        (Refusal::TooLarge { limit: None }.into(), Retry::AfterFix),
        (ProtocolError::method_not_found("m"), Retry::Never),
        (InvalidParams::InvalidCursor.into(), Retry::AfterFix),
        (ProtocolError::resource_not_found("u"), Retry::Never),
        (ProtocolError::internal("m"), Retry::AfterDelay),
        (Internal::DeadlineExceeded { limit_ms: 1 }.into(), Retry::AfterDelay),
        (Internal::ReplyTooLarge { limit: 1 }.into(), Retry::Never),
        (Unavailable::Overloaded.into(), Retry::AfterDelay),
        (Unavailable::ShuttingDown.into(), Retry::AfterDelay),
        (Unavailable::CannotVerify.into(), Retry::AfterDelay),
        (ProtocolError::header_mismatch("m"), Retry::AfterFix),
        (ProtocolError::missing_client_capability(Map::new()), Retry::AfterFix),
        (ProtocolError::unsupported_version(["a"], "b"), Retry::AfterFix),
        (ProtocolError::url_elicitation_required([url]), Retry::AfterFix),
        (ProtocolError::application(ApplicationCode::of::<429>(), "m"), Retry::Never),
        (unrecognised(-32001), Retry::Never),
        (unrecognised(-32099), Retry::Never),
    ];
    for (error, retry) in cases {
        assert_eq!(error.retry(), retry, "{error:?}");
        let retryable = retry == Retry::AfterDelay;
        assert_eq!(error.is_retryable(), retryable, "{error:?}");
    }
}

#[test]
fn a_problem_says_it_itself_whatever_its_number() {
    for code in ProblemCode::all() {
        let problem = Problem::new(code.clone(), "m");
        for number in [-32603, -32602, -32003, 500] {
            let data = Some(json!({ "code": code.as_str() }));
            let error = WireError::received(Code::new(number), "m", data).recognise();
            assert_eq!(error.is_retryable(), code.is_recoverable(), "{code}");
            assert_eq!(error.retry_after(), None);
        }
        let hinted = problem
            .retry_in(Duration::from_millis(1))
            .to_protocol_error();
        assert!(hinted.is_retryable(), "{code}");
        assert_eq!(hinted.retry_after(), Some(Duration::from_millis(1)));
    }
}

#[test]
fn mending_helps_where_the_caller_can_mend() {
    let fixable: Vec<_> = ProblemCode::all()
        .iter()
        .filter(|code| code.retry() == Retry::AfterFix)
        .map(ProblemCode::as_str)
        .collect();
    assert_eq!(
        fixable,
        [
            "INSUFFICIENT_SCOPE",
            "ENTITY_IN_USE",
            "VALIDATION_ERROR",
            "INVALID_NAME",
            "INVALID_FILE_TYPE",
            "PAYLOAD_TOO_LARGE",
            "MISSING_REQUIRED",
            "CONFIRMATION_REQUIRED",
            "INVALID_TOOL",
        ]
    );
}

#[test]
fn an_overloaded_server_is_left_alone_for_a_second() {
    let after = |reason: Unavailable| ProtocolError::from(reason).retry_after();
    assert_eq!(after(Unavailable::Overloaded), Some(Duration::from_secs(1)));
    assert_eq!(after(Unavailable::ShuttingDown), None);
    assert_eq!(ProtocolError::internal("m").retry_after(), None);
}

#[test]
fn every_error_says_whose_fault_it_is_and_what_to_do() {
    for row in kinds() {
        let error = row.error;
        let advice = error.advice();
        assert!(!advice.is_empty() && !advice.ends_with('.'), "{advice}");
        // The fault is unknown only if the specification does not define the error.
        let is_known = error.condition().is_some();
        assert_eq!(error.fault() != Fault::Unknown, is_known, "{error:?}");
    }
    let problem = Problem::already_exists("user", "ada").suggest("Choose another name.");
    assert_eq!(problem.to_protocol_error().advice(), "Choose another name");
    for (code, fault) in [
        (ProblemCode::NotFound, Fault::Client),
        (ProblemCode::AccessDenied, Fault::Client),
        (ProblemCode::Timeout, Fault::Server),
        (ProblemCode::InternalError, Fault::Server),
        (ProblemCode::ConfirmationRequired, Fault::User),
        (ProblemCode::from("E_FULL"), Fault::Unknown),
    ] {
        assert_eq!(code.fault(), fault, "{code}");
    }
}

#[test]
fn a_wait_in_the_data_of_any_error_is_understood() {
    let cases = [
        (429, json!({ "retry_after": 61 }), Some(61)),
        (-32000, json!({ "retryAfter": 2.0, "more": 1 }), Some(2)),
        (-32603, json!({ "retry_after": 5 }), Some(5)),
        (429, json!({ "retry_after": "61" }), None),
        (429, json!({ "retry_after": -1 }), None),
        (429, json!({ "retry_after": 1e300 }), None),
        (429, json!(["retry_after", 61]), None),
    ];
    for (code, data, wait) in cases {
        let error = WireError::received(Code::new(code), "m", Some(data.clone())).recognise();
        assert_eq!(error.retry_after(), wait.map(Duration::from_secs), "{data}");
        if wait.is_some() {
            assert_eq!(error.retry(), Retry::AfterDelay, "{data}");
        }
    }
}
