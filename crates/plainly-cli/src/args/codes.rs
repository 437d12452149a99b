//! What `plainly codes` is asked: a number, or a name of a code or a problem, however it is written. Its examples are the one
//! place of the command line that shows numbers of errors.

use plainly::errors::registry::Entry;
use plainly::errors::{Code, ProblemCode, Revision, registry};

use super::values;
use crate::format::Format;

/// How many names are suggested in place of one that nobody has.
const SUGGESTIONS: usize = 3;

/// Explain error codes: what they mean, who may send them and what to do about them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  plainly codes                          every JSON-RPC and MCP code, then every problem
  plainly codes -32042                   a number; an undefined one is explained by its range
  plainly codes HeaderMismatch           a name, in any spelling
  plainly codes NOT_FOUND                a problem: a failure in an application's own terms
  plainly codes --revision 2025-11-25    how that revision writes each condition
  plainly codes -32042 --json | jq -r .advice

The fields are code, name, revisions, whether to retry and, unless printed to a terminal, the meaning; with --revision they \
are code, name, HTTP status and condition. Outside a terminal, fields are separated by tabs. No server is contacted.")]
pub(crate) struct CodesArgs {
    /// A code, its name or the name of a problem [default: all]
    #[arg(value_parser = parse, allow_negative_numbers = true)]
    pub(crate) code: Option<Coded>,

    /// Only what this protocol revision defines
    #[arg(long, value_parser = values::revision())]
    pub(crate) revision: Option<Revision>,

    /// Print JSON, one object per line
    #[arg(long)]
    json: bool,
}

impl CodesArgs {
    pub(crate) fn format(&self) -> Format {
        Format::json_if(self.json)
    }
}

/// What a word stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Coded {
    /// Any integer, known or not.
    Number(Code),
    /// What has this name: mostly one, but a code and a problem may share one.
    Named(Vec<&'static Entry>, Vec<&'static ProblemCode>),
}

/// Reads a code, or a name.
fn parse(word: &str) -> Result<Coded, String> {
    if let Ok(number) = word.parse() {
        return Ok(Coded::Number(Code::new(number)));
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
            ("99999999999999999999", "64-bit"),
            ("-1.5", "64-bit"),
            ("", "nearest"),
        ] {
            let said = parse(word).unwrap_err();
            assert!(said.contains(near), "{word}: {said}");
        }
    }
}
