//! Errors by their numbers and names: alone, or somewhere in a text.

use plainly::errors::{Code, CodeRange, ProblemCode};

use super::word::{self, Coded};
use super::{Explanation, Setting, coded, kind, oauth, status};

/// The most errors that are looked for in one text.
const MOST: usize = 16;

/// What a text that is nothing but a code, a name, a kind or a status stands for.
pub(super) fn alone(text: &str, setting: Setting) -> Option<Result<Vec<Explanation>, Vec<String>>> {
    if let Some(status) = text.strip_prefix("HTTP ").and_then(status_number) {
        return Some(status::explain(status).map(|one| vec![one]));
    }
    let kinds = kind::explain(word::kind(text).unwrap_or_default(), setting);
    let oauth = oauth::named(text);
    // Written as OAuth does, that comes first; unless it is written so elsewhere.
    let is_first = oauth::within(text).is_some();
    match Coded::parse(text) {
        Ok(Coded::Number(code)) => Some(number(text, code, setting)),
        Ok(Coded::Named(entries, problems)) => {
            let entries = entries
                .iter()
                .map(|entry| coded::number(entry.code, setting));
            let problems = problems.iter().map(|problem| coded::problem_code(problem));
            let (first, last) = match is_first {
                true => (oauth, None),
                false => (None, oauth),
            };
            let named = kinds.into_iter().chain(first).chain(entries);
            Some(Ok(named.chain(problems).chain(last).collect()))
        }
        Err(_) if kinds.is_empty() && oauth.is_none() => None,
        Err(_) => Some(Ok(kinds.into_iter().chain(oauth).collect())),
    }
}

/// A number, which can be a code and a status: only its place would tell.
fn number(text: &str, code: Code, setting: Setting) -> Result<Vec<Explanation>, Vec<String>> {
    let status = status_number(text).map(status::explain);
    let is_application = code.range() == CodeRange::Application;
    let is_used = status.is_none() || is_application && coded::problems(code).next().is_some();
    let code = is_used.then(|| coded::number(code, setting));
    match (status.transpose(), code) {
        (Ok(status), code) => Ok(status.into_iter().chain(code).collect()),
        (Err(_), Some(code)) => Ok(vec![code]),
        (Err(why), None) => Err(why),
    }
}

/// The errors that a text names, each once: codes that are reserved for errors, problems, and statuses of HTTP.
pub(super) fn within(text: &str, setting: Setting) -> Vec<Explanation> {
    let words: Vec<&str> = text
        .split(|it: char| !it.is_ascii_alphanumeric() && !"-_/.".contains(it))
        .map(|word| word.trim_end_matches('.'))
        .collect();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).map(|at| words[at]);
        let mut near = [before(1), before(2)].into_iter().flatten();
        let is_status = near
            .any(|it| it.eq_ignore_ascii_case("status") || it.starts_with("HTTP"))
            // In small letters, it may begin a URL, whose port is no status.
            || before(1) == Some("http");
        let is_code = before(1).is_some_and(|it| it.eq_ignore_ascii_case("code"));
        let explained = match (word.parse().map(Code::new), status_number(word)) {
            (Ok(_), Some(status)) if is_status || text.contains(&status::title(status)) => {
                status::explain(status).ok()
            }
            (Ok(code), _) => {
                let is_reserved = code.range() != CodeRange::Application;
                (is_reserved || is_code).then(|| coded::number(code, setting))
            }
            (Err(_), _) => named(word),
        };
        found.extend(explained.filter(|it| !found.contains(it)));
        if found.len() == MOST {
            break;
        }
    }
    found
}

/// A problem, or an error of OAuth, as it is spelled on the wire; in other letters it may be any word.
fn named(word: &str) -> Option<Explanation> {
    let mut problems = ProblemCode::all().iter();
    let problem = problems.find(|problem| problem.as_str() == word);
    let problem = problem.map(coded::problem_code);
    problem.or_else(|| oauth::within(word))
}

fn status_number(word: &str) -> Option<u16> {
    let is_three_digits = word.len() == 3 && word.bytes().all(|it| it.is_ascii_digit());
    word.parse()
        .ok()
        .filter(|status| is_three_digits && (100..600).contains(status))
}

/// Why nothing was found in a text that has no form.
pub(super) fn nothing_in(text: &str) -> Vec<String> {
    let is_name = !text.contains(|it: char| !it.is_ascii_alphanumeric() && !"_-.".contains(it));
    let unknown = is_name.then(|| Coded::parse(text).err());
    let none = "it is not JSON, not an HTTP response and not a line of plainly's log, and it names no error code, problem or HTTP status";
    vec![unknown.flatten().unwrap_or_else(|| none.to_owned())]
}
