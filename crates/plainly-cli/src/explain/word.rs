//! Codes and problems by a word: a number, or a name, however it is written.

use plainly::errors::registry::Entry;
use plainly::errors::{Code, ProblemCode, registry};

use super::kind::KINDS;

/// How many names are suggested in place of one that nobody has.
const SUGGESTIONS: usize = 3;
/// How like each other a name and a slip are: names that only share their beginning are less.
const NEAR: f64 = 0.9;

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

/// A name as it sounds: `NOT_FOUND`, `NotFound` and `not-found` are one.
fn bare(name: &str) -> String {
    name.chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect()
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
    let near = nearest(wanted);
    let near = match near.is_empty() {
        true => String::new(),
        false => format!("; did you mean {}?", near.join(" or ")),
    };
    format!("no code and no problem has this name{near}")
}

/// The names that this one may be a slip for, the nearest first.
fn nearest(wanted: &str) -> Vec<&'static str> {
    let entries = registry().iter().map(|entry| entry.name);
    let problems = ProblemCode::all().iter().map(ProblemCode::as_str);
    let names = entries.chain(problems).chain(KINDS);
    let names = names.map(|name| (strsim::jaro_winkler(&bare(name), wanted), name));
    let mut near: Vec<_> = names.filter(|(likeness, _)| *likeness >= NEAR).collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    // What is much less like it than the best was not meant.
    let best = near.first().map_or(0.0, |(likeness, _)| *likeness);
    let near = near
        .into_iter()
        .filter(|(likeness, _)| best - likeness < 0.03);
    near.take(SUGGESTIONS).map(|(_, name)| name).collect()
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
