//! Bags of problems and the errors that they become: their contents, and their JSON to the byte.

use std::error::Error;
use std::time::Duration;

use plainly_errors::problem::Category;
use plainly_errors::{Dialect, Problem, ProblemBag, Problems, ProtocolError, Revision};
use serde_json::{Value, json};

fn mixed() -> ProblemBag {
    ProblemBag::from_iter([
        Problem::not_found("user", "ada").suggest("Ask for bob."),
        Problem::rate_limited("calls", Duration::from_millis(1500)),
        Problem::internal("It failed.").retry_in(Duration::from_secs(1)),
    ])
}

fn invalid() -> ProblemBag {
    let mut bag = ProblemBag::new();
    bag.invalid("email", "Required")
        .invalid("name", "Too short")
        .add(Problem::missing_required("email"));
    bag
}

fn problems(bag: ProblemBag) -> Problems {
    bag.into_result().expect_err("there are some")
}

fn check(problems: &Problems, object: &str) {
    assert_eq!(serde_json::to_string(problems).expect("it is JSON"), object);
    let as_value: Value = serde_json::from_str(object).expect("a literal is JSON");
    assert_eq!(problems.to_object(), as_value);
}

#[test]
fn the_objects_are_these() {
    check(
        &Problem::internal("It failed.").suggest("Wait.").into(),
        r#"{"success":false,"error":"It failed. Wait.","code":"INTERNAL_ERROR","error_count":1,"errors":[{"message":"It failed.","code":"INTERNAL_ERROR","suggestion":"Wait.","details":{}}]}"#,
    );
    check(
        &problems(mixed()),
        concat!(
            r#"{"success":false,"error":"3 errors occurred.","code":"NOT_FOUND","error_count":3,"errors":["#,
            r#"{"message":"The user 'ada' was not found.","code":"NOT_FOUND","suggestion":"Ask for bob.","details":{"entity_type":"user","identifier":"ada"}},"#,
            r#"{"message":"Rate limit exceeded for calls. Try again in 2 seconds.","code":"RATE_LIMIT_EXCEEDED","details":{"limit_type":"calls"}},"#,
            r#"{"message":"It failed.","code":"INTERNAL_ERROR","details":{}}],"retry_after":2}"#,
        ),
    );
}

#[test]
fn the_summary_counts_and_the_text_lists() {
    assert_eq!(
        problems(invalid()).summary(),
        "3 validation errors occurred."
    );
    let mixed = problems(mixed());
    assert_eq!(mixed.summary(), "3 errors occurred.");
    assert_eq!(
        mixed.text(),
        "3 errors occurred.\n\
         - The user 'ada' was not found. Ask for bob.\n\
         - Rate limit exceeded for calls. Try again in 2 seconds.\n\
         - It failed. Try again in 1 second."
    );
    assert_eq!(mixed.to_string(), mixed.text());
    let only = Problems::from(Problem::internal("It failed.").suggest("Wait."));
    assert_eq!(only.text(), "It failed. Wait.");
    let only = Problems::from(Problem::internal("It failed.").retry_in(Duration::from_secs(1)));
    assert_eq!(only.text(), "It failed. Try again in 1 second.");
    assert_eq!(only.summary(), "It failed.");
}

#[test]
fn the_first_numbers_the_protocol_error_and_all_are_in_its_data() {
    let mixed = problems(mixed());
    let error = mixed.to_protocol_error();
    let wire = Dialect::default().encode(&error, Revision::LATEST);
    let read = Problems::from_object(&mixed.to_object()).expect("it is what was written");
    assert_eq!(read.retry_after_seconds(), Some(2));
    let mut data = mixed.to_object();
    let members = data.as_object_mut().unwrap();
    members.remove("success");
    members.remove("error");
    let expected = json!({ "code": -32602, "message": "3 errors occurred.", "data": data });
    assert_eq!(json!(wire), expected);
    let received = wire.recognise();
    assert_eq!(received, error);
    let problem = received.problem().unwrap();
    assert_eq!(problem.code().as_str(), "NOT_FOUND");
    assert_eq!(problem.retry_after_seconds(), Some(2));
}

#[test]
fn the_http_body_is_the_first_one_s_with_all_in_it() {
    assert_eq!(
        Problems::from(Problem::timeout("save").retry_in(Duration::from_millis(1))).to_http_body(),
        r#"{"title":"Request Timeout","status":408,"detail":"The operation timed out: save.","code":"TIMEOUT","error_count":1,"errors":[{"message":"The operation timed out: save.","code":"TIMEOUT","details":{"operation":"save"}}],"retry_after":1}"#,
    );
    let mixed = problems(mixed());
    assert_eq!(mixed.http_status(), 404);
    assert_eq!(mixed.retry_after_seconds(), Some(2));
    assert_eq!(mixed.retry_after(), Some(Duration::from_millis(1500)));
}

#[test]
fn problems_are_found_by_field_and_by_category() {
    let mut bag = invalid();
    bag.merge(mixed());
    assert_eq!(bag.len(), 6);
    let all = problems(bag.clone());
    assert_eq!(Some(all.first()), invalid().iter().next());
    let messages: Vec<_> = all.by_field("email").map(Problem::message).collect();
    let expected = [
        "Invalid value for 'email': Required",
        "Missing required field: 'email'.",
    ];
    assert_eq!(messages, expected);
    assert_eq!(all.by_field("Email").count(), 0);
    let counts = [
        Category::Access,
        Category::Resource,
        Category::Validation,
        Category::Operation,
        Category::Domain,
    ]
    .map(|category| all.by_category(category).count());
    assert_eq!(counts, [1, 1, 3, 1, 0]);
    assert!(bag.clear().is_empty());
}

#[test]
fn a_bag_is_a_collection() {
    let mut bag = ProblemBag::new();
    bag.extend(invalid());
    bag.extend(mixed());
    assert_eq!(bag.iter().len(), 6);
    assert_eq!((&bag).into_iter().count(), 6);
    let back: ProblemBag = bag.clone().into_iter().collect();
    assert_eq!(back, bag);
}

#[test]
fn a_handler_ends_with_all_that_was_found() {
    fn handler(bag: ProblemBag) -> Result<u8, Box<dyn Error + Send + Sync>> {
        bag.into_result()?;
        Ok(1)
    }
    assert_eq!(handler(ProblemBag::new()).unwrap(), 1);
    let error = handler(invalid()).unwrap_err();
    assert_eq!(error.downcast_ref(), Some(&problems(invalid())));
}

#[test]
fn results_are_collected_to_all_values_or_all_problems() {
    let collect = |numbers: &[u8]| {
        ProblemBag::collect_results(numbers.iter().map(|number| match number {
            0 => Err(Problem::validation("number", "Zero")),
            other => Ok(other * 2),
        }))
    };
    assert_eq!(collect(&[]), Ok(vec![]));
    assert_eq!(collect(&[1, 2]), Ok(vec![2, 4]));
    assert_eq!(collect(&[1, 0]).unwrap_err().iter().len(), 1);
    assert_eq!(collect(&[0, 1, 0]).unwrap_err().iter().len(), 2);
}

#[test]
fn a_protocol_error_keeps_the_bag_for_logs() {
    let problems = Problems::from(Problem::internal("It failed.").context("shard", "db-7"));
    let error = problems.to_protocol_error();
    let cause = error.source().and_then(Error::source).unwrap();
    assert_eq!(cause.downcast_ref(), Some(&problems));
    assert!(format!("{error:?}").contains("db-7"));
}

#[test]
fn a_single_problem_is_the_same_protocol_error_but_for_the_list() {
    let problem = Problem::access_denied("delete", None);
    let alone: ProtocolError = problem.clone().into();
    let bagged = Problems::from(problem).to_protocol_error();
    let encode = |error| Dialect::default().encode(error, Revision::LATEST);
    assert_eq!(encode(&alone).code, encode(&bagged).code);
    assert_eq!(alone.message(), bagged.message());
}

#[test]
fn what_is_no_bag_is_none_and_what_is_no_problem_is_left_out() {
    for object in [
        json!(null),
        json!([]),
        json!({}),
        json!({ "success": true, "errors": [] }),
        json!({ "success": false }),
        json!({ "success": false, "errors": {} }),
        json!({ "success": "false", "errors": [] }),
        json!({ "success": false, "errors": [] }),
        json!({ "success": false, "errors": [1, {}] }),
    ] {
        assert_eq!(Problems::from_object(&object), None, "{object}");
    }
    let object = json!({ "success": false, "errors": [
        1, null, [], {}, { "message": "m" }, { "code": "TIMEOUT" }, { "message": 1, "code": "TIMEOUT" },
        { "message": "m", "code": 1 }, { "message": "m", "code": "TEAPOT", "details": [] },
    ] });
    let expected = Problems::from(Problem::custom("TEAPOT", "m"));
    assert_eq!(Problems::from_object(&object), Some(expected));
}
