//! Codes and problems by a word: a number, or a name, however it is written.

use plainly::errors::registry::Entry;
use plainly::errors::{Code, ProblemCode, registry};

use super::kind::KINDS;
use crate::near::{bare, did_you_mean};

/// What a word stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Coded {
    /// Any integer, known or not.
    Number(Code),
    /// What has this name: mostly one, but a code and a problem may share one.
    Named(Vec<&'static Entry>, Vec<&'static ProblemCode>),
}

impl Coded {
    /// Reads a code, or a name.
    pub(crate) fn parse(word: &str) -> Result<Self, String> {
        if let Ok(number) = word.parse() {
            return Ok(Self::Number(Code::new(number)));
        }
        if word.parse::<f64>().is_ok_and(f64::is_finite) {
            return Err("codes are 64-bit integers".to_owned());
        }
        let wanted = bare(word);
        let entries: Vec<_> = registry()
            .iter()
            .filter(|entry| bare(entry.name) == wanted)
            .collect();
        let problems: Vec<_> = ProblemCode::all()
            .iter()
            .filter(|problem| bare(problem.as_str()) == wanted)
            .collect();
        if entries.is_empty() && problems.is_empty() {
            return Err(unknown(&wanted));
        }
        Ok(Self::Named(entries, problems))
    }
}

/// The kind that has this name, however it is written.
pub(super) fn kind(word: &str) -> Option<&'static str> {
    let wanted = bare(word);
    KINDS.into_iter().find(|kind| bare(kind) == wanted)
}

/// That nothing has this name, and what is near it.
fn unknown(wanted: &str) -> String {
    if kind(wanted).is_some() {
        return "this is no code, but what data.kind says of an error: use `plainly explain`"
            .to_owned();
    }
    let entries = registry().iter().map(|entry| entry.name);
    let problems = ProblemCode::all().iter().map(ProblemCode::as_str);
    let near = did_you_mean(wanted, entries.chain(problems).chain(KINDS));
    format!("no code and no problem has this name{near}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_however_they_are_written() {
        for word in ["NOT_FOUND", "not-found", "NotFound", "not found"] {
            let found = Coded::Named(Vec::new(), vec![&ProblemCode::NotFound]);
            assert_eq!(Coded::parse(word), Ok(found), "{word}");
        }
    }

    #[test]
    fn what_is_no_code_names_those_that_are_near() {
        for (word, near) in [
            ("not_fuond", "; did you mean NOT_FOUND?"),
            ("headermissmatch", "; did you mean HeaderMismatch?"),
            ("unknown_tol", "; did you mean unknown_tool?"),
            ("unknown_tool", "use `plainly explain`"),
            ("xyzzy", "has this name"),
            ("99999999999999999999", "64-bit integers"),
            ("-1.5", "64-bit integers"),
            ("", "has this name"),
        ] {
            let said = Coded::parse(word).unwrap_err();
            assert!(said.ends_with(near), "{word}: {said}");
        }
    }
}
