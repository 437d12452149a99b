//! The rules of a directory's own `.ignore` and `.gitignore` for the names below it, read through
//! the directory's handle. The walk combines the rules of several directories.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use plainly::store::StoreError;

use super::handle::{self, refuse};

/// The names of the rule files, the stronger one first.
pub(super) const SOURCES: [&str; 2] = [".ignore", GITIGNORE];

/// The name of git's rule file.
pub(super) const GITIGNORE: &str = ".gitignore";

/// The maximum size of a rule file, in bytes.
pub(super) const MAX_BYTES: u64 = 1 << 20;

/// The rules of one directory, in the order of [`SOURCES`].
#[derive(Debug)]
pub(super) struct Rules([RuleFile; 2]);

/// One rule file.
#[derive(Debug)]
pub(super) enum RuleFile {
    /// The file is missing or has no rules.
    Silent,
    Rules(Gitignore),
    /// The file exists but can't be read. Its rules are unknown, so it hides everything.
    Unreadable,
}

/// The verdict of the rules on a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    Hide,
    Show,
}

impl Rules {
    /// Reads the rule files in `dir`. Fails only if the process or machine has run out of a
    /// resource, such as open files.
    pub(super) fn load(dir: &Dir) -> Result<Self, StoreError> {
        let [ignore, gitignore] = SOURCES;
        Ok(Self([
            RuleFile::load(dir, ignore)?,
            RuleFile::load(dir, gitignore)?,
        ]))
    }

    /// The ruling of the `source`th rule file on `path`, which is relative to this directory, if a
    /// rule matches.
    pub(super) fn verdict(
        &self,
        source: usize,
        path: impl FnOnce() -> PathBuf,
        is_directory: bool,
    ) -> Option<Visibility> {
        self.0.get(source)?.verdict(path, is_directory)
    }
}

impl RuleFile {
    /// Parses the text of a rule file, if there is one.
    pub(super) fn of(text: Option<String>) -> Self {
        text.map_or(Self::Silent, |text| Self::parse(&text))
    }

    pub(super) fn is_silent(&self) -> bool {
        matches!(self, Self::Silent)
    }

    /// The ruling on `path`, which is relative to the directory that the rules apply to, if a rule
    /// matches.
    pub(super) fn verdict(
        &self,
        path: impl FnOnce() -> PathBuf,
        is_directory: bool,
    ) -> Option<Visibility> {
        match self {
            Self::Silent => None,
            Self::Unreadable => Some(Visibility::Hide),
            Self::Rules(rules) => match rules.matched(path(), is_directory) {
                Match::None => None,
                Match::Ignore(_) => Some(Visibility::Hide),
                Match::Whitelist(_) => Some(Visibility::Show),
            },
        }
    }

    fn load(dir: &Dir, name: &str) -> Result<Self, StoreError> {
        Ok(match read(dir, OsStr::new(name)) {
            Ok(text) => Self::of(text),
            Err(error) if handle::is_exhausted(&error) => return Err(refuse(error)),
            Err(error) => {
                tracing::warn!(%error, "cannot read a {name}: everything beside and below it is hidden");
                Self::Unreadable
            }
        })
    }

    fn parse(text: &str) -> Self {
        let mut builder = GitignoreBuilder::new(Path::new(""));
        for line in text.strip_prefix('\u{feff}').unwrap_or(text).lines() {
            if let Err(error) = builder.add_line(None, line) {
                tracing::debug!(%error, "skipped a line that is not a rule");
            }
        }
        match builder.build() {
            Ok(rules) if rules.is_empty() => Self::Silent,
            Ok(rules) => Self::Rules(rules),
            Err(error) => {
                tracing::warn!(%error, "cannot use ignore rules: everything beside and below them is hidden");
                Self::Unreadable
            }
        }
    }
}

/// The text of a rule file; `None` if there is none. As in git, links and special files are not
/// rule files.
fn read(dir: &Dir, name: &OsStr) -> io::Result<Option<String>> {
    match handle::look(dir, name) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    }
    let file = handle::open(dir, name)?;
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let bytes = handle::read_up_to(&file, MAX_BYTES + 1)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}
