//! A directory or file that `serve` serves, under its own name or another.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};

/// A directory or file to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) name: Option<String>,
    pub(crate) path: PathBuf,
    /// Whether clients may change its files.
    pub(crate) is_writable: bool,
}

/// The ending of the word for a directory whose files may be changed.
pub(crate) const WRITABLE: &str = ":rw";

impl Mount {
    /// The word that the user probably meant, if its path exists.
    pub(crate) fn hint(&self) -> Option<String> {
        let path = self.path.to_str()?;
        let Some(name) = self.name.as_deref() else {
            let writable = path.strip_suffix(WRITABLE)?;
            let is_meant = !self.path.exists() && Path::new(writable).exists();
            return is_meant.then(|| format!("for clients to change it, write NAME={path}"));
        };
        let writable = if self.is_writable { WRITABLE } else { "" };
        let word = format!("{name}={path}{writable}");
        let is_meant = Path::new(&word).exists();
        is_meant.then(|| format!("for {word} itself, write ./{word}"))
    }

    /// Parses `NAME=PATH`, `NAME=PATH:rw` or `PATH`. A word with a slash before the equals sign is
    /// a path: `./a=b` is called `a=b`.
    fn new(word: OsString) -> Result<Self, String> {
        let split = word
            .to_str()
            .and_then(|text| text.split_once('='))
            .filter(|(name, _)| !name.contains(['/', '\\']));
        if word.is_empty() {
            return Err("name a directory or file, such as . for this directory".to_owned());
        }
        let text = word.to_str().unwrap_or_default();
        if text.starts_with("http://") || text.starts_with("https://") {
            return Err(format!(
                "this is the URL of a server, which is for other commands, such as `plainly ls \
                 {text}`"
            ));
        }
        match split {
            Some(("", "")) => Err("the name and the path are missing: use NAME=PATH".to_owned()),
            Some(("", path)) => Err(format!(
                "the name before = is missing: use {path} or NAME={path}"
            )),
            Some((name, "")) => Err(format!(
                "the path after = is missing: use {name} or {name}=PATH"
            )),
            Some((name, path)) => {
                let writable = path.strip_suffix(WRITABLE);
                Ok(Self {
                    name: Some(name.to_owned()),
                    path: writable.unwrap_or(path).into(),
                    is_writable: writable.is_some(),
                })
            }
            None => Ok(Self {
                name: None,
                path: word.into(),
                is_writable: false,
            }),
        }
    }
}

pub(super) fn parser() -> impl TypedValueParser<Value = Mount> {
    OsStringValueParser::new().try_map(Mount::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_before_the_first_equals_sign() {
        let cases = [
            ("docs", None, "docs", false),
            ("./docs", None, "./docs", false),
            ("api=./docs", Some("api"), "./docs", false),
            ("api=a=b", Some("api"), "a=b", false),
            ("api=./docs:rw", Some("api"), "./docs", true),
            ("api=./docs:rw/", Some("api"), "./docs:rw/", false),
            ("./docs:rw", None, "./docs:rw", false),
            ("./a=b", None, "./a=b", false),
            ("./a=", None, "./a=", false),
        ];
        for (word, name, path, is_writable) in cases {
            let mount = Mount::new(word.into()).unwrap();
            let expected = (name, path.into(), is_writable);
            let read = (mount.name.as_deref(), mount.path, mount.is_writable);
            assert_eq!(read, expected, "{word}");
        }
        for word in ["", "=./docs", "docs=", "=", "http://a.example/mcp"] {
            assert!(Mount::new(word.into()).is_err(), "{word}");
        }
    }
}
