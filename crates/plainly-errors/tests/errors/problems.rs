//! Problems: the table of their codes as literals, and the exact bytes that each factory and each
//! builder method writes.

use std::error::Error;
use std::time::Duration;

use plainly_errors::problem::{Category, ProblemCode};
use plainly_errors::{Dialect, Problem, Revision};
use serde_json::{Value, json};

use crate::everywhere;

/// The name, category, recoverability, HTTP status and protocol code of each problem. The first
/// three are those of `mcp-error-codes`, and so is the status, except for 424 and 428, for which
/// `mcp-error-codes` has no status of its own.
const TABLE: [(&str, &str, bool, u16, i64); 29] = [
    ("INSUFFICIENT_SCOPE", "access", false, 403, 403),
    ("ADMIN_REQUIRED", "access", false, 403, 403),
    ("ACCESS_DENIED", "access", false, 403, 403),
    ("RATE_LIMIT_EXCEEDED", "access", true, 429, 429),
    ("READ_ONLY_MODE", "access", false, 403, 403),
    ("NOT_FOUND", "resource", false, 404, -32602),
    ("ALREADY_EXISTS", "resource", false, 409, 409),
    ("ENTITY_IN_USE", "resource", false, 409, 409),
    ("ENTITY_PROTECTED", "resource", false, 409, 409),
    ("MISSING_DEPENDENCY", "resource", false, 424, 424),
    ("VALIDATION_ERROR", "validation", false, 400, -32602),
    ("INVALID_NAME", "validation", false, 400, -32602),
    ("INVALID_FILE_TYPE", "validation", false, 400, -32602),
    ("PAYLOAD_TOO_LARGE", "validation", false, 413, -32602),
    ("MISSING_REQUIRED", "validation", false, 400, -32602),
    ("INTERNAL_ERROR", "operation", true, 500, -32603),
    ("OPERATION_FAILED", "operation", false, 500, -32603),
    ("TIMEOUT", "operation", true, 408, 408),
    ("CONFIRMATION_REQUIRED", "operation", false, 428, 428),
    ("INVALID_TOOL", "operation", false, 400, -32602),
    ("EXECUTION_FAILED", "operation", false, 500, -32603),
    ("INSTANTIATION_FAILED", "operation", false, 500, -32603),
    ("TEMPLATE_NOT_FOUND", "domain", false, 404, -32602),
    ("CRON_FAILED", "domain", false, 500, -32603),
    ("MIGRATION_FAILED", "domain", false, 500, -32603),
    ("RECIPE_FAILED", "domain", false, 500, -32603),
    ("CONFIG_ERROR", "domain", false, 500, -32603),
    ("MEDIA_ERROR", "domain", false, 500, -32603),
    ("SERVICE_UNAVAILABLE", "domain", true, 503, 503),
];

#[test]
fn the_codes_are_these() {
    let rows: Vec<_> = ProblemCode::all()
        .iter()
        .map(|code| {
            (
                code.as_str(),
                code.category().as_str(),
                code.is_recoverable(),
                code.http_status(),
                code.protocol_code().get(),
            )
        })
        .collect();
    assert_eq!(rows, TABLE);
}

#[test]
fn each_code_is_known_by_its_name_alone() {
    for code in ProblemCode::all() {
        assert_eq!(&ProblemCode::from(code.as_str()), code);
        assert_eq!(&ProblemCode::from(code.to_string()), code);
        let lower = code.as_str().to_lowercase();
        assert_eq!(
            ProblemCode::from(&*lower),
            ProblemCode::Custom(lower.into())
        );
    }
    for name in ["", "NOT_FOUND ", "TEAPOT"] {
        assert_eq!(ProblemCode::from(name), ProblemCode::Custom(name.into()));
    }
}

#[test]
fn a_custom_code_is_of_the_domain_and_failed_inside() {
    let code = ProblemCode::from("TEAPOT");
    assert_eq!(code.to_string(), "TEAPOT");
    assert_eq!(code.category(), Category::Domain);
    assert!(!code.is_recoverable());
    assert_eq!(code.http_status(), 500);
    assert_eq!(code.protocol_code().get(), -32603);
}

#[test]
fn each_code_is_written_with_its_number_everywhere_and_never_with_its_http_status() {
    for (name, _, _, _, number) in TABLE {
        for (revision, dialect) in everywhere() {
            let problem = Problem::custom(name, "m");
            let wire = dialect.encode(&problem.to_protocol_error(), revision);
            assert_eq!(wire.code.get(), number, "{name} {revision}");
            assert_eq!(wire.http_status, 200, "{name} {revision}");
            let expected = json!({ "code": number, "message": "m", "data": { "code": name } });
            assert_eq!(serde_json::to_value(&wire).unwrap(), expected);
        }
    }
}

fn check(problem: Problem, object: &str) {
    assert_eq!(serde_json::to_string(&problem).expect("it is JSON"), object);
    let as_value: Value = serde_json::from_str(object).expect("a literal is JSON");
    assert_eq!(problem.to_object(), as_value);
    assert_eq!(as_value["error"], sentences(&problem));
    assert_eq!(problem.to_string(), problem.text());
}

/// Returns the sentences of a problem whose retry time is a separate member.
fn sentences(problem: &Problem) -> String {
    match problem.suggestion() {
        Some(suggestion) => format!("{} {suggestion}", problem.message()),
        None => problem.message().to_owned(),
    }
}

#[test]
fn the_text_says_once_when_to_try_again() {
    let (moment, minute) = (Duration::from_millis(1), Duration::from_secs(60));
    for (problem, text) in [
        (
            Problem::timeout("export").retry_in(moment),
            "The operation timed out: export. Try again in 1 second.",
        ),
        (
            Problem::timeout("export")
                .suggest("Export less.")
                .retry_in(minute),
            "The operation timed out: export. Export less. Try again in 60 seconds.",
        ),
        (
            Problem::internal("It failed.")
                .suggest("Try again in a minute.")
                .retry_in(minute),
            "It failed. Try again in a minute.",
        ),
        (
            Problem::rate_limited("calls", minute).suggest("Ask for more."),
            "Rate limit exceeded for calls. Try again in 60 seconds. Ask for more.",
        ),
        (
            Problem::rate_limited("calls", minute).retry_in(moment),
            "Rate limit exceeded for calls. Try again in 1 second.",
        ),
        (
            Problem::validation("age", "Not a number")
                .suggest("Write it in digits")
                .retry_in(minute),
            "Invalid value for 'age': Not a number. Write it in digits. Try again in 60 seconds.",
        ),
        (
            Problem::timeout("export"),
            "The operation timed out: export.",
        ),
    ] {
        assert_eq!(problem.text(), text);
        assert_eq!(problem.to_object()["error"], sentences(&problem));
        let error = problem.to_protocol_error();
        let found = error.message();
        assert_eq!(found, sentences(&problem), "the time is in its data");
        assert_eq!(error.problem(), Some(&problem));
    }
}

#[test]
fn the_factories_about_things_write_these_objects() {
    check(
        Problem::not_found("user", "user-123"),
        r#"{"success":false,"error":"The user 'user-123' was not found.","code":"NOT_FOUND","details":{"entity_type":"user","identifier":"user-123"}}"#,
    );
    check(
        Problem::already_exists("user", "ada"),
        r#"{"success":false,"error":"The user 'ada' already exists.","code":"ALREADY_EXISTS","details":{"entity_type":"user","identifier":"ada"}}"#,
    );
    check(
        Problem::entity_protected("role", "admin", "It is a system role."),
        r#"{"success":false,"error":"The role 'admin' is protected. It is a system role.","code":"ENTITY_PROTECTED","details":{"entity_type":"role","identifier":"admin","reason":"It is a system role."}}"#,
    );
    check(
        Problem::entity_protected("role", "admin", None),
        r#"{"success":false,"error":"The role 'admin' is protected.","code":"ENTITY_PROTECTED","details":{"entity_type":"role","identifier":"admin"}}"#,
    );
    check(
        Problem::entity_in_use("tag", "rust", 5, true),
        r#"{"success":false,"error":"Cannot delete tag 'rust': used in 5 places. Use force=true to delete it anyway.","code":"ENTITY_IN_USE","details":{"entity_type":"tag","identifier":"rust","usage_count":5,"force_available":true}}"#,
    );
    check(
        Problem::entity_in_use("tag", "rust", 1, false),
        r#"{"success":false,"error":"Cannot delete tag 'rust': used in 1 place.","code":"ENTITY_IN_USE","details":{"entity_type":"tag","identifier":"rust","usage_count":1,"force_available":false}}"#,
    );
    assert_eq!(
        Problem::entity_in_use("tag", "rust", 0, false).message(),
        "Cannot delete tag 'rust': used in 0 places."
    );
    check(
        Problem::missing_dependency("search", "indexing"),
        r#"{"success":false,"error":"Missing dependency: 'search' is required for indexing.","code":"MISSING_DEPENDENCY","details":{"dependency":"search","required_for":"indexing"}}"#,
    );
}

#[test]
fn the_factories_about_requests_and_callers_write_these_objects() {
    let invalid = r#"{"success":false,"error":"Invalid value for 'email': Invalid format","code":"VALIDATION_ERROR","details":{"field":"email","reason":"Invalid format"}}"#;
    check(Problem::validation("email", "Invalid format"), invalid);
    check(Problem::invalid_input("email", "Invalid format"), invalid);
    check(
        Problem::missing_required("email"),
        r#"{"success":false,"error":"Missing required field: 'email'.","code":"MISSING_REQUIRED","details":{"field":"email"}}"#,
    );
    check(
        Problem::access_denied("delete", "Only admins may."),
        r#"{"success":false,"error":"Access denied for operation: delete. Only admins may.","code":"ACCESS_DENIED","details":{"operation":"delete"}}"#,
    );
    check(
        Problem::access_denied("delete", None),
        r#"{"success":false,"error":"Access denied for operation: delete.","code":"ACCESS_DENIED","details":{"operation":"delete"}}"#,
    );
    check(
        Problem::insufficient_scope("write", ["read", "list"]),
        r#"{"success":false,"error":"Insufficient scope. Required: 'write'. Current: read, list.","code":"INSUFFICIENT_SCOPE","details":{"required_scope":"write","current_scopes":["read","list"]}}"#,
    );
    check(
        Problem::insufficient_scope("write", [] as [&str; 0]),
        r#"{"success":false,"error":"Insufficient scope. Required: 'write'. Current: none.","code":"INSUFFICIENT_SCOPE","details":{"required_scope":"write","current_scopes":[]}}"#,
    );
    check(
        Problem::rate_limited("tool_calls", Duration::from_millis(59_001)),
        r#"{"success":false,"error":"Rate limit exceeded for tool_calls. Try again in 60 seconds.","code":"RATE_LIMIT_EXCEEDED","details":{"limit_type":"tool_calls"},"retry_after":60}"#,
    );
    check(
        Problem::rate_limited("tool_calls", Duration::from_millis(1)),
        r#"{"success":false,"error":"Rate limit exceeded for tool_calls. Try again in 1 second.","code":"RATE_LIMIT_EXCEEDED","details":{"limit_type":"tool_calls"},"retry_after":1}"#,
    );
    check(
        Problem::read_only(None),
        r#"{"success":false,"error":"Write operations are disabled: the system is in read-only mode.","code":"READ_ONLY_MODE"}"#,
    );
    check(
        Problem::read_only("/admin"),
        r#"{"success":false,"error":"Write operations are disabled: the system is in read-only mode. Configure it at /admin.","code":"READ_ONLY_MODE"}"#,
    );
    check(
        Problem::confirmation_required("delete all"),
        r#"{"success":false,"error":"Confirmation required for: delete all.","code":"CONFIRMATION_REQUIRED","details":{"action":"delete all"}}"#,
    );
}

#[test]
fn the_factories_about_failures_write_these_objects() {
    check(
        Problem::internal("It failed."),
        r#"{"success":false,"error":"It failed.","code":"INTERNAL_ERROR"}"#,
    );
    check(
        Problem::from_error("Query", "no connection"),
        r#"{"success":false,"error":"Query: no connection","code":"INTERNAL_ERROR"}"#,
    );
    check(
        Problem::from_error(None, "no connection"),
        r#"{"success":false,"error":"no connection","code":"INTERNAL_ERROR"}"#,
    );
    check(
        Problem::operation_failed("It failed."),
        r#"{"success":false,"error":"It failed.","code":"OPERATION_FAILED"}"#,
    );
    check(
        Problem::timeout("export"),
        r#"{"success":false,"error":"The operation timed out: export.","code":"TIMEOUT","details":{"operation":"export"}}"#,
    );
    check(
        Problem::service_unavailable("mail"),
        r#"{"success":false,"error":"The service 'mail' is unavailable.","code":"SERVICE_UNAVAILABLE","details":{"service":"mail"}}"#,
    );
    check(
        Problem::custom("TEAPOT", "Short and stout."),
        r#"{"success":false,"error":"Short and stout.","code":"TEAPOT"}"#,
    );
}

fn sources(error: &dyn Error) -> Vec<String> {
    std::iter::successors(error.source(), |&cause| cause.source())
        .map(ToString::to_string)
        .collect()
}

#[test]
fn what_is_built_on_is_written_behind_the_code_in_order() {
    let problem = Problem::custom("TIMEOUT", "Too late.")
        .suggest("Try less.")
        .detail("zone", json!({ "id": 1 }))
        .detail("age", Value::Null)
        .detail("zone", "eu")
        .retry_in(Duration::from_millis(1500))
        .context("shard", 7)
        .with_source("the disk is full");
    check(
        problem.clone(),
        r#"{"success":false,"error":"Too late. Try less.","code":"TIMEOUT","details":{"zone":"eu","age":null},"retry_after":2}"#,
    );
    assert_eq!(problem.message(), "Too late.");
    assert_eq!(problem.suggestion(), Some("Try less."));
    assert_eq!(problem.details().get("zone"), Some(&json!("eu")));
    assert_eq!(problem.details().len(), 2);
    assert_eq!(problem.retry_after(), Some(Duration::from_millis(1500)));
    assert_eq!(problem.log_context().get("shard"), Some(&json!(7)));
    assert_eq!(sources(&problem), ["TIMEOUT", "the disk is full"]);
    assert_eq!(
        problem.to_http_body(),
        r#"{"title":"Request Timeout","status":408,"detail":"Too late. Try less.","code":"TIMEOUT","suggestion":"Try less.","details":{"zone":"eu","age":null},"retry_after":2}"#,
    );
    let wire = Dialect::default().encode(&problem.to_protocol_error(), Revision::LATEST);
    assert_eq!(
        json!(wire),
        json!({ "code": 408, "message": "Too late. Try less.", "data": {
            "code": "TIMEOUT",
            "suggestion": "Try less.",
            "details": { "zone": "eu", "age": null },
            "retry_after": 2,
        } })
    );
}

#[test]
fn each_code_has_the_phrase_of_its_http_status() {
    let phrase = |status| match status {
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        413 => "Content Too Large",
        424 => "Failed Dependency",
        428 => "Precondition Required",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        503 => "Service Unavailable",
        other => panic!("no code has {other}"),
    };
    for (name, _, _, status, _) in TABLE {
        let body: Value = Problem::custom(name, "m")
            .to_http_body()
            .parse()
            .expect("the body is JSON");
        assert_eq!(
            body,
            json!({ "title": phrase(status), "status": status, "detail": "m", "code": name })
        );
    }
}

#[test]
fn a_missing_thing_is_a_missing_resource_where_a_resource_was_asked_for() {
    let problem = Problem::not_found("note", "7").suggest("Known ids: 8, 9.");
    let error = problem.for_resource("note://7");
    for (revision, dialect) in everywhere() {
        let wire = dialect.encode(&error, revision);
        let old = revision != Revision::LATEST && dialect == Dialect::PerRevision;
        assert_eq!(wire.code.get(), if old { -32002 } else { -32602 });
        assert_eq!(wire.data, Some(json!({ "uri": "note://7" })));
        assert_eq!(wire.message, "The note '7' was not found. Known ids: 8, 9.");
        assert!(wire.recognise().is_resource_not_found());
    }
}

#[test]
fn every_other_problem_with_a_resource_stays_what_it_is() {
    for code in ProblemCode::all() {
        let problem = Problem::new(code.clone(), "m");
        let error = problem.clone().for_resource("note://7");
        let is_missing = *code == ProblemCode::NotFound;
        assert_eq!(error.is_resource_not_found(), is_missing, "{code}");
        assert_eq!(error == problem.to_protocol_error(), !is_missing, "{code}");
        assert_eq!(error.problem(), Some(&problem));
    }
}

#[test]
fn a_protocol_error_keeps_what_logs_may_know_of_its_problem() {
    let problem = Problem::internal("It failed.")
        .context("shard", "db-7")
        .with_source("the disk is full");
    let error = problem.to_protocol_error();
    assert!(format!("{error:?}").contains("db-7"));
    let [_stated, code, cause] = &*sources(&error) else {
        panic!("{error:?}");
    };
    assert_eq!([&**code, cause], ["INTERNAL_ERROR", "the disk is full"]);
    assert_eq!(sources(&error.with_source("another"))[1], "another");
}

#[test]
fn problems_differ_by_what_they_say_alone() {
    let problem = || Problem::timeout("export");
    assert_eq!(problem(), problem().context("a", 1).with_source("b"));
    assert_ne!(problem(), problem().suggest("Try less."));
    assert_ne!(problem(), problem().detail("a", 1));
    assert_ne!(problem(), problem().retry_in(Duration::ZERO));
    assert_ne!(problem(), Problem::timeout("import"));
    let found = problem().detail("a", 1).detail("b", 2);
    assert_eq!(found, problem().detail("b", 2).detail("a", 1));
}
