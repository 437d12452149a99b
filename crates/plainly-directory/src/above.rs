//! Ignore rules from above a mount inside a git work tree: `.gitignore` in the directories up to
//! the root of the work tree, `.git/info/exclude`, and the user's own file. They are outside of the
//! mount, so they are read by their paths.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ignore::gitignore::gitconfig_excludes_path;
use plainly::store::StoreError;

use super::handle::{self, refuse};
use super::ignored::{GITIGNORE, MAX_BYTES, RuleFile, Visibility};
use super::lock::Lock;

/// The minimum time between two checks of the rule files.
const LOOKED: Duration = Duration::from_secs(2);

/// A name that no rule matches, except rules for all names.
const ANYTHING: &str = "\u{7f}";

/// The rules from above a mount.
#[derive(Debug)]
pub(super) struct RulesAbove {
    mount: PathBuf,
    last: Lock<Option<LastLook>>,
}

/// The rules as of the last check.
#[derive(Debug)]
struct LastLook {
    at: Instant,
    sources: Vec<OuterSource>,
    rules: Arc<OuterRules>,
}

/// A file that may contain rules, and its state at the last check.
#[derive(Debug, PartialEq, Eq)]
struct OuterSource {
    path: PathBuf,
    /// The directory that the rules apply to.
    base: PathBuf,
    is_of_user: bool,
    state: Option<(Option<SystemTime>, u64)>,
}

/// Rules of directories above a mount, the strongest first.
#[derive(Debug, Default)]
pub(super) struct OuterRules {
    mount: PathBuf,
    /// The rule files, each with the directory that it applies to.
    files: Vec<(PathBuf, RuleFile)>,
}

impl RulesAbove {
    /// The rules above the directory at `mount`. Nothing is read yet.
    pub(super) fn new(mount: PathBuf) -> Self {
        Self {
            mount,
            last: Lock::default(),
        }
    }

    /// Returns the rules. Checks the rule files at most every two seconds, and reads them again if
    /// one has changed. Fails only if the process or machine has run out of a resource, such as
    /// open files.
    pub(super) fn get(&self) -> Result<Arc<OuterRules>, StoreError> {
        let mut last = self.last.lock();
        if let Some(look) = &*last
            && look.at.elapsed() < LOOKED
        {
            return Ok(Arc::clone(&look.rules));
        }
        let mount = fs::canonicalize(&self.mount).unwrap_or_else(|_| self.mount.clone());
        let sources = sources(&mount, gitconfig_excludes_path());
        let rules = match last.take() {
            Some(look) if look.sources == sources => look.rules,
            Some(_) | None => Arc::new(OuterRules::read(&sources, mount)?),
        };
        *last = Some(LastLook {
            at: Instant::now(),
            sources,
            rules: Arc::clone(&rules),
        });
        Ok(rules)
    }
}

impl OuterRules {
    /// The ruling on `path` in the mount, if a rule matches.
    pub(super) fn verdict(
        &self,
        path: impl FnOnce() -> PathBuf,
        is_directory: bool,
    ) -> Option<Visibility> {
        match self.files.is_empty() {
            true => None,
            false => self.verdict_on(&self.mount.join(path()), is_directory),
        }
    }

    fn verdict_on(&self, path: &Path, is_directory: bool) -> Option<Visibility> {
        self.files.iter().find_map(|(base, rules)| {
            let below = path.strip_prefix(base).ok();
            let below = below.filter(|below| !below.as_os_str().is_empty())?;
            rules.verdict(|| below.to_owned(), is_directory)
        })
    }

    fn read(sources: &[OuterSource], mount: PathBuf) -> Result<Self, StoreError> {
        let mut files = Vec::new();
        for source in sources {
            let rules = source.read()?;
            if !rules.is_silent() {
                files.push((source.base.clone(), rules));
            }
        }
        let mut rules = Self { mount, files };
        let is_ignored = |path: &Path, is_directory| {
            rules.verdict_on(path, is_directory) == Some(Visibility::Hide)
        };
        let mut above = rules.mount.ancestors();
        let anything = rules.mount.join(ANYTHING);
        // Git would show nothing in an ignored mount. The rules are dropped, because the user asked
        // to serve it.
        if above.any(|path| is_ignored(path, true))
            || [true, false]
                .iter()
                .all(|is_directory| is_ignored(&anything, *is_directory))
        {
            rules.files.clear();
        }
        Ok(rules)
    }
}

impl OuterSource {
    fn new(path: PathBuf, base: &Path, is_of_user: bool) -> Self {
        let metadata = fs::metadata(&path).ok();
        Self {
            state: metadata.map(|metadata| (metadata.modified().ok(), metadata.len())),
            base: base.to_owned(),
            path,
            is_of_user,
        }
    }

    fn read(&self) -> Result<RuleFile, StoreError> {
        let shown = self.path.display();
        Ok(match text(&self.path) {
            Ok(text) => RuleFile::of(text),
            Err(error) if handle::is_exhausted(&error) => return Err(refuse(error)),
            Err(error) if self.is_of_user => {
                tracing::warn!(%error, "cannot read {shown}: its ignore rules don't count");
                RuleFile::Silent
            }
            Err(error) => {
                tracing::warn!(%error, "cannot read {shown}: everything below it is hidden");
                RuleFile::Unreadable
            }
        })
    }
}

/// The text of a rule file; `None` if there is none.
fn text(path: &Path) -> io::Result<Option<String>> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => {}
        Ok(_) => return Ok(None),
        Err(error) => {
            let is_none = matches!(
                error.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            );
            return if is_none { Ok(None) } else { Err(error) };
        }
    }
    let mut bytes = Vec::new();
    let file = fs::File::open(path)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(io::ErrorKind::FileTooLarge.into()),
        false => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
    }
}

/// The files that may contain rules for the mount, strongest first; empty outside of a work tree.
fn sources(mount: &Path, user: Option<PathBuf>) -> Vec<OuterSource> {
    let mut above = mount.ancestors();
    let Some(root) = above.find(|above| above.join(".git").exists()) else {
        return Vec::new();
    };
    let above = mount.ancestors().skip(1);
    let above = above.take_while(|directory| directory.starts_with(root));
    // Git doesn't read a `.gitignore` that is a link.
    let above = above.filter(|directory| !directory.join(GITIGNORE).is_symlink());
    let own = above.map(|directory| OuterSource::new(directory.join(GITIGNORE), directory, false));
    let exclude = git_directory(root);
    let exclude = exclude.map(|git| OuterSource::new(git.join("info/exclude"), root, false));
    let user = user.map(|path| OuterSource::new(path, root, true));
    own.chain(exclude).chain(user).collect()
}

/// The git directory that all work trees of a repository share.
fn git_directory(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    let own = match git.is_dir() {
        true => git,
        // In submodules and added work trees, `.git` is a file with the path of the directory.
        false => {
            let file = text(&git).ok()??;
            root.join(file.strip_prefix("gitdir: ")?.trim_end())
        }
    };
    Some(match text(&own.join("commondir")) {
        Ok(Some(common)) => own.join(common.trim_end()),
        Ok(None) | Err(_) => own,
    })
}

#[cfg(test)]
mod tests;
