//! Codes and problems by a word: a number, or a name, however it is written.

use plainly::errors::registry::Entry;
use plainly::errors::{Code, ProblemCode, registry};

/// How many names are suggested in place of one that nobody has.
const SUGGESTIONS: usize = 3;

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
            return Err(format!(
                "no code or problem has this name; the nearest are {}",
                nearest(&wanted).join(", ")
            ));
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

fn nearest(wanted: &str) -> Vec<&'static str> {
    let entries = registry().iter().map(|entry| entry.name);
    let problems = ProblemCode::all().iter().map(ProblemCode::as_str);
    let mut names: Vec<_> = entries
        .chain(problems)
        .map(|name| (strsim::jaro_winkler(&bare(name), wanted), name))
        .collect();
    names.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    names
        .into_iter()
        .take(SUGGESTIONS)
        .map(|(_, name)| name)
        .collect()
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
            ("not_fuond", "are NOT_FOUND, "),
            ("headermissmatch", "are HeaderMismatch, "),
            ("99999999999999999999", "64-bit"),
            ("-1.5", "64-bit"),
            ("", "nearest"),
        ] {
            let said = Coded::parse(word).unwrap_err();
            assert!(said.contains(near), "{word}: {said}");
        }
    }
}
