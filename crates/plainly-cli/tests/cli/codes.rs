//! `plainly codes`: error codes explained, without a server.

use serde_json::{Value, json};

use crate::support::{REVISIONS, run};

/// What stands beside a label.
fn value<'a>(text: &'a str, label: &str) -> Option<&'a str> {
    let line = text.lines().find(|line| {
        line.get(..14)
            .is_some_and(|start| start.trim_end() == label)
    })?;
    line.get(14..)
}

fn explained(word: &str) -> Value {
    run(&["codes", word, "--json"]).succeeded().json()
}

#[test]
fn a_number_is_a_value_and_no_option() {
    let run = run(&["codes", "-32042"]).succeeded();
    for (label, expected) in [
        ("name", "UrlElicitationRequired"),
        ("revisions", "2025-11-25"),
        ("sent", "on 2025-11-25"),
        ("retry", "after-fix"),
        ("data", "{ elicitations }"),
    ] {
        assert_eq!(value(run.text(), label), Some(expected), "{}", run.text());
    }
    let advice = value(run.text(), "advice").unwrap();
    assert!(advice.contains("data.elicitations"), "{advice}");
}

#[test]
fn a_number_that_nobody_defined_is_explained_by_its_range() {
    let every = json!(REVISIONS);
    let never = json!([]);
    for (number, range, emit, receive) in [
        ("-32017", "legacy", &never, "assume nothing: "),
        ("-32050", "specification", &never, "assume nothing: "),
        ("-32500", "reserved", &never, "assume nothing: "),
        ("1234", "application", &every, "assume only what the "),
        ("-32769", "application", &every, "assume only what the "),
        ("1000000000000000000", "application", &every, "assume only "),
    ] {
        let object = explained(number);
        assert_eq!(object["name"], Value::Null, "{number}");
        assert_eq!(object["range"]["name"], range, "{number}");
        assert_eq!(&object["mayEmit"]["uniform"], emit, "{number}");
        assert_eq!(&object["mayEmit"]["perRevision"], emit, "{number}");
        let said = object["receive"].as_str().unwrap();
        assert!(said.starts_with(receive), "{number}: {said}");
        let text = run(&["codes", number]).succeeded();
        assert_eq!(value(text.text(), "code"), Some(number));
    }
}

#[test]
fn the_old_code_of_missing_resources_is_for_pinned_clients_only() {
    let object = explained("-32002");
    assert_eq!(object["mayEmit"]["uniform"], json!([]));
    assert_eq!(object["mayEmit"]["perRevision"], json!(REVISIONS[..4]));
}

#[test]
fn a_name_is_found_however_it_is_written() {
    for word in ["HeaderMismatch", "HEADER_MISMATCH", "header-mismatch"] {
        assert_eq!(explained(word)["code"], -32020, "{word}");
    }
    for word in ["NOT_FOUND", "not_found", "NotFound"] {
        let problem = explained(word);
        assert_eq!(problem["kind"], "problem", "{word}");
        assert_eq!(problem["code"], -32602, "{word}");
        assert_eq!(problem["httpStatus"], 404, "{word}");
    }
    let problem = run(&["codes", "rate_limit_exceeded"]).succeeded();
    assert_eq!(value(problem.text(), "retry"), Some("after-delay"));
}

#[test]
fn a_code_and_a_problem_of_one_name_are_both_explained() {
    let both = run(&["codes", "internal_error", "--json"]).succeeded();
    let kinds: Vec<Value> = both
        .json_lines()
        .iter()
        .map(|it| it["kind"].clone())
        .collect();
    assert_eq!(kinds, ["code", "problem"]);
}

#[test]
fn a_number_that_others_use_has_hints_at_what_they_mean() {
    for (number, meaning) in [
        ("-32000", "shutting down"),
        ("-32001", "took too long"),
        ("-32013", "a limit of the server"),
        ("0", "resource"),
    ] {
        let hints = explained(number)["hints"].clone();
        let hints = hints.as_array().unwrap();
        assert!(hints.iter().all(|hint| hint["certainty"] == "likely"));
        let is_meant = |hint: &Value| hint["means"].as_str().unwrap().contains(meaning);
        assert!(hints.iter().any(is_meant), "{number}: {hints:?}");
        let text = run(&["codes", number]).succeeded();
        assert!(value(text.text(), "hint").is_some(), "{}", text.text());
    }
}

#[test]
fn a_number_names_the_problems_that_are_written_with_it() {
    assert_eq!(explained("429")["problems"], json!(["RATE_LIMIT_EXCEEDED"]));
}

#[test]
fn each_condition_is_listed_as_the_revision_writes_it() {
    let codes = |revision: &str, condition: &str| -> Vec<i64> {
        let listed = run(&["codes", "--revision", revision]).succeeded();
        let rows = listed.text().lines().map(|line| line.split('\t'));
        rows.map(Iterator::collect::<Vec<_>>)
            .filter(|row| row.last().is_some_and(|it| it.contains(condition)))
            .map(|row| row[0].parse().unwrap())
            .collect()
    };
    for (condition, written) in [
        ("visit a URL", [-32603, -32603, -32603, -32042, -32603]),
        (
            "lacks a capability",
            [-32602, -32602, -32602, -32602, -32021],
        ),
        (
            "version is not supported",
            [-32602, -32602, -32602, -32602, -32022],
        ),
    ] {
        for (revision, code) in REVISIONS.into_iter().zip(written) {
            let found = codes(revision, condition);
            assert_eq!(found, [code], "{revision}: {condition}");
        }
    }
    let expected = [-32602, -32002];
    assert_eq!(codes("2025-11-25", "resource does not exist"), expected);
    assert_eq!(codes("2026-07-28", "resource does not exist"), [-32602]);
    assert!(codes("2025-11-25", "headers contradict").is_empty());
}

#[test]
fn a_code_on_another_revision_says_what_stands_in_its_place() {
    let run = run(&["codes", "-32042", "--revision", "2025-06-18"]).succeeded();
    assert_eq!(value(run.text(), "2025-06-18"), Some("not defined"));
    let last = run.text().lines().last().unwrap();
    let expected = "-32603, HTTP 200: ";
    assert!(last.trim_start().starts_with(expected), "{last}");
}

#[test]
fn all_are_listed_as_fields_or_as_objects() {
    let text = run(&["codes"]).succeeded();
    let objects = run(&["codes", "--json"]).succeeded().json_lines();
    assert_eq!(text.text().lines().count(), objects.len());
    for (line, object) in text.text().lines().zip(&objects) {
        let fields: Vec<_> = line.split('\t').collect();
        assert_eq!(fields.len(), 5, "{line}");
        assert_eq!(fields[0], object["code"].to_string());
        assert_eq!(fields[1], object["name"]);
        assert_ne!(object["advice"], "");
    }
    let problems = objects.iter().filter(|it| it["kind"] == "problem");
    assert_eq!(problems.count(), 29);
}

#[test]
fn what_is_no_code_is_a_usage_error_that_names_the_nearest() {
    let text = run(&["codes", "not_fuond"]);
    assert_eq!((text.status, text.stdout.as_slice()), (2, &b""[..]));
    let expected = "did you mean NOT_FOUND?";
    assert!(text.stderr.contains(expected), "{}", text.stderr);
    for word in ["banana", "99999999999999999999", "-1.5", ""] {
        let wrong = run(&["codes", word, "--json"]);
        assert_eq!(wrong.status, 2, "{word}: {}", wrong.stderr);
        assert_eq!(wrong.error_json()["error"]["kind"], "usage", "{word}");
    }
}
