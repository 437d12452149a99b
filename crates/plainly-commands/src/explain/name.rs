//! Errors by code or name, in any spelling.

use plainly::errors::{Code, CodeRange, ProblemCode, Revision, registry};

use super::kind::{self, KINDS};
use super::{Explanation, coded, oauth, status};
use crate::near::{bare, did_you_mean};

/// The errors that a word may mean: a code, a name, a kind, or an HTTP status.
pub(super) fn explain(word: &str, revision: Option<Revision>) -> Result<Vec<Explanation>, String> {
    let lower = word.to_ascii_lowercase();
    if let Some(status) = lower.strip_prefix("http ").and_then(status_number) {
        return status::explain(status).map(|one| vec![one]);
    }
    if let Ok(number) = word.parse() {
        return by_number(word, Code::new(number), revision);
    }
    if word.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err("invalid code: expected a 64-bit integer".to_owned());
    }
    match by_name(word, revision) {
        found if found.is_empty() => Err(unknown(word)),
        found => Ok(found),
    }
}

/// The errors for a number, which can be a code or a status.
fn by_number(
    word: &str,
    code: Code,
    revision: Option<Revision>,
) -> Result<Vec<Explanation>, String> {
    let status = status_number(word).map(status::explain);
    let is_application = code.range() == CodeRange::Application;
    let is_used = status.is_none() || is_application && coded::problems(code).next().is_some();
    let code = is_used.then(|| coded::number(code, revision));
    match (status.transpose(), code) {
        (Ok(status), code) => Ok(status.into_iter().chain(code).collect()),
        (Err(_), Some(code)) => Ok(vec![code]),
        (Err(why), None) => Err(why),
    }
}

/// All errors with this name, because a code and a problem may share one.
fn by_name(word: &str, revision: Option<Revision>) -> Vec<Explanation> {
    let wanted = bare(word);
    let kind = KINDS.into_iter().find(|kind| bare(kind) == wanted);
    let kinds = kind::explain(kind.unwrap_or_default(), revision);
    let entries = registry()
        .iter()
        .filter(|entry| bare(entry.name) == wanted)
        .map(|entry| coded::number(entry.code, revision));
    let problems = ProblemCode::all()
        .iter()
        .filter(|problem| bare(problem.as_str()) == wanted)
        .map(coded::problem_code);
    let (first, last) = match (oauth::named(&wanted), oauth::is_spelled(word)) {
        (oauth, true) => (oauth, None),
        (oauth, false) => (None, oauth),
    };
    let all = kinds.into_iter().chain(first).chain(entries);
    all.chain(problems).chain(last).collect()
}

fn status_number(word: &str) -> Option<u16> {
    let is_three_digits = word.len() == 3 && word.bytes().all(|it| it.is_ascii_digit());
    word.parse()
        .ok()
        .filter(|status| is_three_digits && (100..600).contains(status))
}

/// The reason why a word is no error, with similar names.
fn unknown(word: &str) -> String {
    if word.contains(|it: char| !it.is_ascii_alphanumeric() && !"_-.".contains(it)) {
        return "expected JSON, or the number or the name of an error".to_owned();
    }
    let entries = registry().iter().map(|entry| entry.name);
    let problems = ProblemCode::all().iter().map(ProblemCode::as_str);
    let names = entries.chain(problems).chain(KINDS).chain(oauth::names());
    format!(
        "no error is named \"{word}\"{}",
        did_you_mean(&bare(word), names)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        for word in ["NOT_FOUND", "not-found", "NotFound", "not found"] {
            let found = explain(word, None).unwrap();
            let names: Vec<_> = found.iter().map(|one| one.name.as_str()).collect();
            assert_eq!(names, ["NOT_FOUND"], "{word}");
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_those_that_are_near() {
        for (word, near) in [
            ("not_fuond", "; did you mean NOT_FOUND?"),
            ("headermissmatch", "; did you mean HeaderMismatch?"),
            ("unknown_tol", "; did you mean unknown_tool?"),
            ("xyzzy", "no error is named \"xyzzy\""),
            ("99999999999999999999", "64-bit integer"),
            ("-1.5", "64-bit integer"),
        ] {
            let why = explain(word, None).unwrap_err();
            assert!(why.ends_with(near), "{word}: {why}");
        }
    }
}
