//! The rules of npm, PyPI and the MCP registry for names.

use url::Url;

use crate::args::PackageArgs;

/// The most characters of a name, for npm and for the registry.
const LONGEST_NPM: usize = 214;
const LONGEST_IN_REGISTRY: usize = 200;

/// The mistakes in the names on the command line.
pub(super) fn mistakes(args: &PackageArgs) -> Vec<String> {
    let given = [
        (
            "--npm",
            &args.npm,
            is_npm as fn(&str) -> bool,
            "npm expects lower-case letters, digits, - . _ and before them perhaps a scope, as in @me/weather",
        ),
        (
            "--pypi",
            &args.pypi,
            is_pypi,
            "PyPI expects letters, digits, - . _ with a letter or digit at both ends, as in weather-server",
        ),
        (
            "--name",
            &args.name,
            is_registry,
            "the registry expects a domain in reverse order, a slash and a name, as in io.github.me/weather",
        ),
        (
            "--repository",
            &args.repository,
            is_https,
            "a URL that begins with https:// is expected, as in https://github.com/me/weather",
        ),
    ];
    let wrong = given
        .into_iter()
        .filter_map(|(option, value, is_right, rule)| {
            let value = value.as_deref().filter(|value| !is_right(value))?;
            Some(format!("invalid {option} {value:?}: {rule}"))
        });
    wrong.collect()
}

/// A name that every registry accepts, made from a display name: `Weather (beta)` becomes
/// `weather-beta`.
pub(super) fn plain(name: &str) -> String {
    let name = name.rsplit('/').next().unwrap_or(name);
    let words = name.split(|letter: char| !letter.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    words.join("-").to_ascii_lowercase()
}

/// The name of an npm package without its scope.
pub(super) fn unscoped(npm: &str) -> &str {
    npm.rsplit('/').next().unwrap_or(npm)
}

fn is_npm(name: &str) -> bool {
    let is_word = |word: &str| {
        let is_letter = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
        word.starts_with(is_letter) && word.chars().all(|it| is_letter(it) || "-._".contains(it))
    };
    let is_right = match name.strip_prefix('@') {
        Some(scoped) => scoped
            .split_once('/')
            .is_some_and(|(scope, name)| is_word(scope) && is_word(name)),
        None => is_word(name),
    };
    is_right && name.len() <= LONGEST_NPM
}

fn is_pypi(name: &str) -> bool {
    let is_end = |it: char| it.is_ascii_alphanumeric();
    name.starts_with(is_end)
        && name.ends_with(is_end)
        && name.chars().all(|it| is_end(it) || "-._".contains(it))
}

fn is_registry(name: &str) -> bool {
    let is_word = |word: &str, others: &str| {
        let is_part = |it: char| it.is_ascii_alphanumeric() || others.contains(it);
        !word.is_empty() && word.chars().all(is_part)
    };
    name.len() <= LONGEST_IN_REGISTRY
        && name.split_once('/').is_some_and(|(domain, name)| {
            is_word(domain, ".-") && domain.contains('.') && is_word(name, "._-")
        })
}

fn is_https(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.scheme() == "https")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules() {
        for (name, npm, pypi, registry) in [
            ("weather", true, true, false),
            ("@me/weather", true, false, false),
            ("Weather.1", false, true, false),
            ("io.github.me/weather", false, false, true),
            ("io.github.me/a/b", false, false, false),
            ("me/weather", false, false, false),
            ("@me", false, false, false),
            ("@me/", false, false, false),
            ("-x", false, false, false),
            ("x-", true, false, false),
            ("", false, false, false),
            ("two words", false, false, false),
            ("wétter", false, false, false),
        ] {
            let found = (is_npm(name), is_pypi(name), is_registry(name));
            assert_eq!(found, (npm, pypi, registry), "{name}");
        }
    }

    #[test]
    fn a_name_for_display_becomes_one_for_packages() {
        for (name, expected) in [
            ("toolbox", "toolbox"),
            ("Weather (beta)", "weather-beta"),
            ("io.github.me/weather", "weather"),
            ("my_server.js", "my-server-js"),
            ("天気", ""),
        ] {
            assert_eq!(plain(name), expected);
        }
    }
}
