//! A directory or file that `serve` serves, under its own name or another.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};

/// A directory or file to serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) name: Option<String>,
    pub(crate) path: PathBuf,
}

impl Mount {
    /// The whole word, if it was split and is there too.
    pub(crate) fn unsplit(&self) -> Option<String> {
        let name = self.name.as_deref()?;
        let word = format!("{name}={}", self.path.to_str()?);
        Path::new(&word).exists().then_some(word)
    }

    /// `NAME=PATH` or `PATH`. What has a slash before the equals sign is a path: `./a=b` is called `a=b`.
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
            Some((name, path)) => Ok(Self {
                name: Some(name.to_owned()),
                path: path.into(),
            }),
            None => Ok(Self {
                name: None,
                path: word.into(),
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
            ("docs", None, "docs"),
            ("./docs", None, "./docs"),
            ("api=./docs", Some("api"), "./docs"),
            ("api=a=b", Some("api"), "a=b"),
            ("./a=b", None, "./a=b"),
            ("./a=", None, "./a="),
        ];
        for (word, name, path) in cases {
            let mount = Mount::new(word.into()).unwrap();
            assert_eq!((mount.name.as_deref(), mount.path), (name, path.into()));
        }
        for word in ["", "=./docs", "docs=", "=", "http://a.example/mcp"] {
            assert!(Mount::new(word.into()).is_err(), "{word}");
        }
    }
}
