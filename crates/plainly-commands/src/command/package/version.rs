//! The version of a server in the forms of npm and Python.

use semver::Version;

/// The words for pre-releases, with Python's (PEP 440).
const EARLY: [(&str, &str); 6] = [
    ("alpha", "a"),
    ("a", "a"),
    ("beta", "b"),
    ("b", "b"),
    ("rc", "rc"),
    ("dev", ".dev"),
];

/// The version for Python; `None` if Python has no such version.
pub(super) fn python(version: &Version) -> Option<String> {
    let Version {
        major,
        minor,
        patch,
        ..
    } = version;
    let release = format!("{major}.{minor}.{patch}");
    if !version.build.is_empty() {
        return None;
    }
    if version.pre.is_empty() {
        return Some(release);
    }
    let early = version.pre.as_str();
    let letters = early.trim_end_matches(|it: char| it.is_ascii_digit());
    let number = early.strip_prefix(letters)?;
    let word = letters.strip_suffix('.').unwrap_or(letters);
    let (_, python) = EARLY.iter().find(|(ours, _)| *ours == word)?;
    let number = if number.is_empty() { "0" } else { number };
    Some(format!("{release}{python}{number}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_those_of_python() {
        for (version, expected) in [
            ("1.2.3", Some("1.2.3")),
            ("1.0.0-alpha", Some("1.0.0a0")),
            ("1.0.0-beta.2", Some("1.0.0b2")),
            ("1.0.0-rc1", Some("1.0.0rc1")),
            ("1.0.0-dev.7", Some("1.0.0.dev7")),
            ("1.0.0-nightly", None),
            ("1.0.0-1", None),
            ("1.0.0+local", None),
        ] {
            let version = version.parse().unwrap();
            assert_eq!(python(&version).as_deref(), expected, "{version}");
        }
    }
}
