//! The recognition of errors that other implementations send: as a likely meaning, only in reply to
//! the method that each is known from, and never against the code and data.

use std::collections::BTreeSet;

use plainly_errors::{
    AnsweredRequest, Certainty, Code, Dialect, ErrorKind, InvalidRequest, ProtocolError, Revision,
    WireError, habits,
};
use serde_json::Value;

use crate::cases;

fn asked(asked: &'static str) -> AnsweredRequest<'static> {
    let (method, subject) = asked.split_once(' ').unwrap_or((asked, ""));
    let subject = Some(subject).filter(|subject| !subject.is_empty());
    AnsweredRequest { method, subject }
}

fn received(error: &Value) -> WireError {
    let status = error.get("status").and_then(Value::as_u64);
    let mut wire: WireError = serde_json::from_value(error.clone()).expect("an error");
    wire.http_status = status.map_or(200, |status| u16::try_from(status).expect("a status"));
    wire
}

/// Returns the kind of the error in a word or two.
fn what(error: &ProtocolError) -> String {
    if let Some(problem) = error.problem().filter(|_| error.habit().is_some())
        && !error.is_resource_not_found()
    {
        return problem.code().to_string();
    }
    let kind = format!("{:?}", error.kind());
    kind.replace("InvalidParams(", "")
        .replace("InvalidRequest(", "")
        .replace(' ', "")
        .trim_end_matches(')')
        .to_owned()
}

#[test]
fn what_others_send_is_taken_for_what_they_most_likely_mean() {
    let mut seen = BTreeSet::new();
    for (asked_for, error, expected) in
        cases::<(&'static str, Value, &'static str)>("habits of others")
    {
        let wire = received(&error);
        let likely = wire.recognise_as(asked(asked_for), Certainty::Likely);
        assert_eq!(what(&likely), expected, "{asked_for} {error}");
        let habit = likely
            .habit()
            .unwrap_or_else(|| panic!("{asked_for} {error}"));
        seen.insert(std::ptr::from_ref(habit) as usize);
        assert_eq!(likely.certainty(), Certainty::Likely);
        assert_eq!(likely.message(), wire.message);
        assert_eq!(likely.received(), Some(&wire));
        let certain = wire.recognise_as(asked(asked_for), Certainty::Certain);
        assert_eq!(certain.certainty(), Certainty::Certain);
        assert_ne!(certain.kind(), likely.kind(), "{asked_for} {error}");
    }
    let unseen = habits()
        .iter()
        .filter(|habit| !seen.contains(&(std::ptr::from_ref(*habit) as usize)));
    let unseen: Vec<_> = unseen.map(|habit| (habit.sender, habit.messages)).collect();
    assert_eq!(unseen, [], "a habit without a case");
}

#[test]
fn nothing_is_guessed_where_code_and_data_or_the_method_say_something_else() {
    for (asked_for, error, expected) in cases::<(&'static str, Value, &'static str)>("no habits") {
        let likely = received(&error).recognise_as(asked(asked_for), Certainty::Likely);
        assert_eq!(what(&likely), expected, "{asked_for} {error}");
        assert_eq!(
            likely.certainty(),
            Certainty::Certain,
            "{asked_for} {error}"
        );
    }
}

#[test]
fn what_is_recognised_is_passed_on_as_what_it_means() {
    for (asked_for, error, _) in cases::<(&'static str, Value, &'static str)>("habits of others") {
        let likely = received(&error).recognise_as(asked(asked_for), Certainty::Likely);
        if matches!(
            likely.kind(),
            ErrorKind::InvalidRequest(InvalidRequest::SessionRequired)
        ) {
            continue;
        }
        let wire = Dialect::Uniform.encode(&likely, Revision::LATEST);
        let again = wire.recognise();
        assert_eq!(again.kind(), likely.kind(), "{error}");
        assert_eq!(again.problem().map(|it| it.code().clone()), {
            let problem = likely.problem().filter(|_| !likely.is_resource_not_found());
            problem.map(|it| it.code().clone())
        });
    }
}

#[test]
fn without_the_method_every_habit_is_a_hint() {
    let closed = WireError::received(Code::new(-32000), "Connection closed", None);
    assert_eq!(closed.habits(None).count(), 1);
    let header = WireError::received(Code::new(-32001), "Header mismatch", None);
    // Without a request, the HTTP status is unknown too.
    assert_eq!(header.habits(None).count(), 1);
    assert_eq!(header.habits(Some("ping")).count(), 0);
    let any = WireError::received(Code::new(0), "Unknown resource: a:b", None);
    assert!(any.habits(None).count() > 1);
}

#[test]
fn each_habit_says_who_and_where_and_is_written_in_lower_case() {
    for habit in habits() {
        assert!(!habit.sender.is_empty() && !habit.source.is_empty() && !habit.meaning.is_empty());
        assert!(!habit.messages.is_empty(), "{}", habit.sender);
        for form in habit.messages {
            assert_eq!(form.to_lowercase(), *form);
        }
    }
    assert!(habits().len() > 30);
}
