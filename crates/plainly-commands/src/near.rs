//! Finds the existing names that are similar to a misspelt one.

use plainly::errors::mistake::quoted;

use crate::visible::visible;

/// The most names that are suggested for an unknown one.
const SUGGESTIONS: usize = 3;
/// The least similarity of a suggestion. Names with only the same start have less.
const NEAR: f64 = 0.9;
/// The difference in similarity to the best name beyond which a name is not suggested.
const WORSE: f64 = 0.03;

/// The longest word in bytes that is compared.
const LONGEST: usize = 256;

/// The most tools or prompts that an error names.
const NAMED: usize = 20;

/// A name without case and separators, so that `NOT_FOUND`, `NotFound` and `not-found` are equal.
pub(crate) fn bare(name: &str) -> String {
    name.chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

/// The names that are similar to `wanted`, best first.
pub(crate) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    if wanted.len() > LONGEST {
        return Vec::new();
    }
    let wanted = bare(wanted);
    let names = names.filter(|name| name.len() <= LONGEST);
    let names = names.map(|name| (strsim::jaro_winkler(&bare(name), &wanted), name));
    let mut near: Vec<_> = names.filter(|(likeness, _)| *likeness >= NEAR).collect();
    near.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let best = near.first().map_or(0.0, |(likeness, _)| *likeness);
    let near = near
        .into_iter()
        .filter(|(likeness, _)| best - likeness < WORSE);
    near.take(SUGGESTIONS).map(|(_, name)| name).collect()
}

/// The text `; did you mean a or b?`, if any name is similar.
pub(crate) fn did_you_mean<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> String {
    let near = nearest(wanted, names);
    match near.is_empty() {
        true => String::new(),
        false => {
            let near = near.into_iter().map(visible);
            format!("; did you mean {}?", near.collect::<Vec<_>>().join(" or "))
        }
    }
}

/// The names of this kind that the server has, if they are known.
pub(crate) fn known(kind: &str, there: &[String]) -> String {
    match there.is_empty() {
        true => String::new(),
        false => format!(": its {kind} are {}", first(there)),
    }
}

/// The first of these names, separated by commas.
pub(crate) fn first(names: &[String]) -> String {
    let named = names.iter().take(NAMED).map(|name| visible(&quoted(name)));
    let more = (names.len() > NAMED).then(|| "…".to_owned());
    named.chain(more).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant_is_found_and_nothing_else() {
        let names = ["pattern", "path", "paths", "max_results"];
        for (wanted, near) in [
            ("patern", &["pattern"][..]),
            ("maxResult", &["max_results"]),
            ("PATH", &["path"]),
            ("x", &[]),
            ("", &[]),
        ] {
            assert_eq!(nearest(wanted, names.into_iter()), near, "{wanted}");
        }
    }

    #[test]
    fn no_name_is_told_at_any_length() {
        let long = "x".repeat(100_000);
        assert_eq!(did_you_mean(&long, [&*long].into_iter()), "");
        assert_eq!(did_you_mean("x", [&*long].into_iter()), "");
        let all = known("tools", &vec![long; 100]);
        assert!(all.len() < 10_000, "{}", all.len());
    }
}
