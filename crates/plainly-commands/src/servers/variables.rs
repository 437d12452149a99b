//! Variables in the files of hosts: `${NAME}`, `${NAME:-default}` and `${env:NAME}` of most hosts,
//! `$NAME` of Gemini, and the editors' names for directories, such as `${workspaceFolder}`.

use std::path::{MAIN_SEPARATOR_STR, Path};

/// The values of variables in a text.
pub(crate) struct Variables<'a> {
    /// The environment variables.
    pub(crate) environment: &'a dyn Fn(&str) -> Option<String>,
    /// The directory of the project that a file belongs to.
    pub(crate) project: &'a Path,
    /// The user's home directory.
    pub(crate) home: Option<&'a Path>,
    /// Whether `$NAME` is a variable, too.
    pub(crate) has_bare: bool,
}

/// The reason why a text has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MissingValue {
    /// A variable that is not set, and has no default.
    Unset(String),
    /// A value that the host asks its user for.
    Asked(String),
}

impl MissingValue {
    /// The fault, and the way to fix it.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Unset(variable) => {
                format!("the variable {variable} is not set: set it, or use --env {variable}=VALUE")
            }
            Self::Asked(id) => format!(
                "only its host can ask for ${{input:{id}}}: give the variable or header with \
                 --env or --header"
            ),
        }
    }
}

impl Variables<'_> {
    /// The text with the value of each variable. Texts that only resemble variables stay unchanged,
    /// and values are not expanded again.
    pub(crate) fn expand(&self, text: &str) -> Result<String, MissingValue> {
        let mut expanded = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('$') {
            expanded.push_str(before);
            match self.variable(after)? {
                Some((value, end)) => {
                    expanded.push_str(&value);
                    rest = after.get(end..).unwrap_or_default();
                }
                None => {
                    expanded.push('$');
                    rest = after;
                }
            }
        }
        Ok(expanded + rest)
    }

    /// The value of the variable whose `$` precedes this text, and the end of the variable.
    fn variable(&self, after: &str) -> Result<Option<(String, usize)>, MissingValue> {
        let Some(inside) = after.strip_prefix('{') else {
            let end = after
                .find(|it: char| !it.is_ascii_alphanumeric() && it != '_')
                .unwrap_or(after.len());
            let name = after.get(..end).filter(|name| is_name(name));
            // As in Gemini, an unset variable stays unchanged, because it may be meant for a shell.
            let value = name.filter(|_| self.has_bare).and_then(self.environment);
            return Ok(value.map(|value| (value, end)));
        };
        let Some((inside, _)) = inside.split_once('}') else {
            return Ok(None);
        };
        let value = self.braced(inside)?;
        Ok(value.map(|value| (value, inside.len() + 2)))
    }

    /// The value of the text in braces, if it is a variable.
    fn braced(&self, inside: &str) -> Result<Option<String>, MissingValue> {
        if let Some(id) = inside.strip_prefix("input:") {
            return Err(MissingValue::Asked(id.to_owned()));
        }
        if let Some(place) = self.place(inside) {
            return Ok(Some(place));
        }
        let named = named(inside);
        let value = named.map(|(name, default)| self.set(name, default));
        value.transpose()
    }

    /// The value of an editor's name for a directory.
    fn place(&self, name: &str) -> Option<String> {
        let place = match name {
            "workspaceFolder" | "workspaceRoot" => self.project.as_os_str(),
            "workspaceFolderBasename" => self.project.file_name()?,
            "userHome" => self.home?.as_os_str(),
            "pathSeparator" | "/" => return Some(MAIN_SEPARATOR_STR.to_owned()),
            _ => return None,
        };
        Some(place.to_string_lossy().into_owned())
    }

    /// The value of an environment variable. An empty one is replaced by its default, as in a
    /// shell.
    fn set(&self, name: &str, default: Option<&str>) -> Result<String, MissingValue> {
        let value = (self.environment)(name);
        match (value, default) {
            (Some(value), None) => Ok(value),
            (Some(value), Some(_)) if !value.is_empty() => Ok(value),
            (_, Some(default)) => Ok(default.to_owned()),
            (None, None) => Err(MissingValue::Unset(name.to_owned())),
        }
    }
}

/// The text with each environment variable respelled by `spell`, which gets the variable's name and
/// default.
pub(super) fn respelled<E>(
    text: &str,
    spell: impl Fn(&str, Option<&str>) -> Result<String, E>,
) -> Result<String, E> {
    let mut all = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        all.push_str(before);
        let variable = after.split_once('}');
        let variable = variable.and_then(|(inside, left)| Some((named(inside)?, left)));
        match variable {
            Some(((name, default), left)) => {
                all.push_str(&spell(name, default)?);
                rest = left;
            }
            None => {
                all.push_str("${");
                rest = after;
            }
        }
    }
    Ok(all + rest)
}

/// The name and the default of the environment variable in braces, if it is one.
fn named(inside: &str) -> Option<(&str, Option<&str>)> {
    let named = inside.strip_prefix("env:").unwrap_or(inside);
    let (name, default) = match named.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (named, None),
    };
    is_name(name).then_some((name, default))
}

fn is_name(text: &str) -> bool {
    let is_start = |it: char| it.is_ascii_alphabetic() || it == '_';
    text.starts_with(is_start) && text.chars().all(|it| is_start(it) || it.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(text: &str, has_bare: bool) -> Result<String, MissingValue> {
        let environment = |name: &str| match name {
            "A" => Some("1".to_owned()),
            "EMPTY" => Some(String::new()),
            "DOLLAR" => Some("${A}".to_owned()),
            _ => None,
        };
        let variables = Variables {
            environment: &environment,
            project: Path::new("/srv/site"),
            home: Some(Path::new("/home/me")),
            has_bare,
        };
        variables.expand(text)
    }

    #[test]
    fn variables_have_their_values() {
        for (text, value) in [
            ("", ""),
            ("${A}", "1"),
            ("a${A}b${A}ü", "a1b1ü"),
            ("${env:A}", "1"),
            ("${A:-2}", "1"),
            ("${B:-2}", "2"),
            ("${B:-}", ""),
            ("${env:B:-x}", "x"),
            ("${EMPTY}", ""),
            ("${EMPTY:-2}", "2"),
            ("${DOLLAR}", "${A}"),
            ("${workspaceFolder}/x", "/srv/site/x"),
            ("${workspaceFolderBasename}", "site"),
            ("${userHome}", "/home/me"),
            // None of these texts contains a variable.
            ("$A $ ${ ${} ${A", "$A $ ${ ${} ${A"),
            ("${1} ${a b} ${ü}", "${1} ${a b} ${ü}"),
            ("$${A}", "$1"),
        ] {
            assert_eq!(expanded(text, false).as_deref(), Ok(value), "{text}");
        }
        assert_eq!(expanded("$A/$A-$A_$1$", true).as_deref(), Ok("1/1-$A_$1$"));
    }

    #[test]
    fn what_has_no_value_is_named() {
        let unset = |name: &str| Err(MissingValue::Unset(name.to_owned()));
        assert_eq!(expanded("${A}${B}", false), unset("B"));
        assert_eq!(expanded("${env:B}", false), unset("B"));
        let asked = Err(MissingValue::Asked("token".to_owned()));
        assert_eq!(expanded("Bearer ${input:token}", false), asked);
    }

    #[test]
    fn any_text_has_a_value_or_names_what_has_none() {
        // All sequences of up to six of these parts.
        const PARTS: [&str; 8] = ["$", "{", "}", "A", "B", ":-", "env:", "ü"];
        for length in 0..=6_u32 {
            for number in 0..PARTS.len().pow(length) {
                let part = |place| PARTS[number / PARTS.len().pow(place) % PARTS.len()];
                let text: String = (0..length).map(part).collect();
                for has_bare in [false, true] {
                    match expanded(&text, has_bare) {
                        Ok(value) => {
                            assert!(text.contains('$') || value == text, "{text}: {value}")
                        }
                        Err(MissingValue::Unset(name)) => {
                            assert!(text.contains(&name) && name != "A", "{text}")
                        }
                        Err(MissingValue::Asked(_)) => panic!("{text} asks for nothing"),
                    }
                }
            }
        }
    }
}
