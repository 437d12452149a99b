//! What an error is looked up by: a number, or a name of a code or a problem, however it is written.

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

/// Reads a code, or a name.
pub(super) fn parse(word: &str) -> Result<Coded, String> {
    if let Ok(number) = word.parse() {
        return Ok(Coded::Number(Code::new(number)));
    }
    if word.parse::<f64>().is_ok_and(f64::is_finite) {
        return Err("give an integer of 64 bits, as codes are".to_owned());
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
            "nothing has this name; the nearest are {}",
            nearest(&wanted).join(", ")
        ));
    }
    Ok(Coded::Named(entries, problems))
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
            assert_eq!(parse(word), Ok(found), "{word}");
        }
    }

    #[test]
    fn what_is_no_code_names_those_that_are_near() {
        for (word, near) in [
            ("not_fuond", "are NOT_FOUND, "),
            ("headermissmatch", "are HeaderMismatch, "),
            ("99999999999999999999", "64 bits"),
            ("-1.5", "64 bits"),
            ("", "nearest"),
        ] {
            let said = parse(word).unwrap_err();
            assert!(said.contains(near), "{word}: {said}");
        }
    }
}
