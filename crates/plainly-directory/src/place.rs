//! A place in a mount: a chain of open directory handles from its root. Each step opens one name
//! below an open handle, or returns to an open parent. Nothing outside of the mount can be reached,
//! even if directories are renamed meanwhile. This module reads and walks links instead of the
//! operating system, so that hidden names stay hidden behind links too.

mod standing;

use std::cell::OnceCell;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use cap_std::fs::{Dir, DirEntry, File, FileType, Metadata};
use plainly::store::StoreError;

pub(super) use self::standing::Standing;
use super::above::OuterRules;
#[cfg(all(test, unix))]
use super::handle::faults::{self, Operation};
use super::handle::{self, refuse};
use super::ignored::{GITIGNORE, Rules, SOURCES, Visibility};
use super::job::Waiter;
use super::lists::Lists;
use super::own_names;
use super::system;
pub(super) use super::visible::VisibleNames;

/// The maximum depth below a mount. Each level holds one open directory.
pub(super) const MAX_DEPTH: usize = 64;

/// The maximum number of links on the way to one resource, as on Linux. Ends loops.
const MAX_LINKS: usize = 40;

/// The maximum number of attempts for a name that changes between looking and opening.
const ATTEMPTS: usize = 4;

/// An open directory and the way to it, without links.
#[derive(Debug)]
pub(super) struct Place {
    dir: Arc<Dir>,
    /// The name in the parent directory.
    name: OsString,
    parent: Option<Rc<Self>>,
    depth: usize,
    shown: VisibleNames,
    lists: Arc<Lists>,
    waiter: Waiter,
    rules: OnceCell<Rules>,
    /// The rules from above the mount, set only at the mount's root.
    outer: OnceCell<Arc<OuterRules>>,
}

/// The file or directory that a name led to.
#[derive(Debug)]
pub(super) enum OpenEntry {
    Directory(Rc<Place>),
    File(OpenFile),
}

/// An open regular file, and its metadata when it was opened.
#[derive(Debug)]
pub(super) struct OpenFile {
    pub(super) file: File,
    pub(super) metadata: Metadata,
    pub(super) waiter: Waiter,
}

/// The kind of entry under a name, before it is followed.
enum EntryKind {
    Link(PathBuf),
    Open(OpenEntry),
}

/// One step of a walk.
enum Step {
    Up,
    /// To a name from a request, whose spelling must be checked.
    Down(OsString),
    /// To a name that was read from the directory.
    Listed(OsString),
}

impl Place {
    /// Creates the root of a mount. Its operations fail once the caller has gone.
    pub(super) fn root(
        dir: Arc<Dir>,
        shown: VisibleNames,
        lists: Arc<Lists>,
        waiter: Waiter,
    ) -> Rc<Self> {
        Rc::new(Self {
            dir,
            name: OsString::new(),
            parent: None,
            depth: 0,
            shown,
            lists,
            waiter,
            rules: OnceCell::new(),
            outer: OnceCell::new(),
        })
    }

    /// Opens the entry at `path` below this place, through links as long as they stay inside the
    /// mount.
    pub(super) fn open(self: &Rc<Self>, path: &[OsString]) -> Result<OpenEntry, StoreError> {
        self.walk(path.iter().rev().cloned().map(Step::Down).collect())
    }

    /// Opens the entry with a name that [`Place::entries`] returned.
    pub(super) fn open_listed(self: &Rc<Self>, name: &OsStr) -> Result<OpenEntry, StoreError> {
        self.walk(vec![Step::Listed(name.to_owned())])
    }

    /// The metadata of the file with a name that [`Place::entries`] returned, without opening the
    /// file. `None` for other entries, and if an error occurs, which opening the file then reports.
    #[cfg(feature = "tools")]
    pub(super) fn peek(&self, name: &OsStr) -> Option<Metadata> {
        let hint = self.hint(name, true).ok()?;
        (hint.is_file() && !self.shown.withheld.contains(&hint)).then_some(hint)
    }

    /// Takes the steps, from last to first.
    fn walk(self: &Rc<Self>, mut steps: Vec<Step>) -> Result<OpenEntry, StoreError> {
        let mut at = Rc::clone(self);
        let mut links = 0;
        while let Some(step) = steps.pop() {
            let (name, is_listed) = match step {
                Step::Down(name) => (name, false),
                Step::Listed(name) => (name, true),
                Step::Up => {
                    at = at.parent.clone().ok_or(StoreError::NotFound)?;
                    continue;
                }
            };
            match at.enter(&name, is_listed)? {
                EntryKind::Open(OpenEntry::Directory(place)) => at = place,
                EntryKind::Open(file) if steps.is_empty() => return Ok(file),
                EntryKind::Open(_) => return Err(StoreError::NotFound),
                EntryKind::Link(_) if links == MAX_LINKS => return Err(StoreError::NotFound),
                EntryKind::Link(target) => {
                    links += 1;
                    push_target(&mut steps, &target)?;
                }
            }
        }
        Ok(OpenEntry::Directory(at))
    }

    /// The directory called `name` in this one, if it exists and is not a link.
    pub(super) fn descend(self: &Rc<Self>, name: &OsStr) -> Result<Option<Rc<Self>>, StoreError> {
        match self.enter(name, false) {
            Ok(EntryKind::Open(OpenEntry::Directory(place))) => Ok(Some(place)),
            Ok(_) | Err(StoreError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether this is the entry `name` of `parent` itself, and not the target of a link of that
    /// name.
    pub(super) fn is_child(&self, parent: &Rc<Self>, name: &OsStr) -> bool {
        self.name == name
            && self
                .parent
                .as_ref()
                .is_some_and(|own| Rc::ptr_eq(own, parent))
    }

    /// The lists of names that the store caches.
    pub(super) fn lists(&self) -> &Lists {
        &self.lists
    }

    /// Fails once the caller has gone.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        self.waiter.check()
    }

    /// The metadata of the directory, by its handle.
    pub(super) fn metadata(&self) -> Result<Metadata, StoreError> {
        self.dir.dir_metadata().map_err(refuse)
    }

    /// All entries of the directory, visible or not, in no order.
    pub(super) fn entries(
        &self,
    ) -> Result<impl Iterator<Item = Result<DirEntry, StoreError>>, StoreError> {
        #[cfg(all(test, unix))]
        faults::strike(Operation::List, &self.name).map_err(refuse)?;
        let entries = self.dir.entries().map_err(refuse)?;
        Ok(entries.map(|entry| {
            self.waiter.check()?;
            entry.map_err(refuse)
        }))
    }

    /// Whether there could be a resource under this name, given its kind in the directory, if that
    /// is known.
    pub(super) fn shows(&self, name: &OsStr, kind: Option<FileType>) -> Result<bool, StoreError> {
        if self.hides(name) {
            return Ok(false);
        }
        if self.shown.ignored {
            return Ok(true);
        }
        // The kind of a link's target is unknown, so the rules must show both a file and a
        // directory.
        let may_be_file = kind.is_none_or(|kind| !kind.is_dir());
        let may_be_directory = kind.is_none_or(|kind| !kind.is_file());
        Ok(!(may_be_file && self.ignores(name, false)?
            || may_be_directory && self.ignores(name, true)?))
    }

    /// The current kind of the entry under a name, visible or not.
    pub(super) fn kind(&self, name: &OsStr) -> Option<FileType> {
        Some(handle::look(&self.dir, name).ok()?.file_type())
    }

    /// Whether a file of this name contains ignore rules for this directory, also where case
    /// doesn't matter.
    pub(super) fn has_rules(&self, name: &OsStr) -> bool {
        !self.shown.ignored && SOURCES.iter().any(|it| name.eq_ignore_ascii_case(it))
    }

    /// Whether a name refers to a file that is never served.
    pub(super) fn withholds(&self, name: &OsStr) -> bool {
        handle::look(&self.dir, name).is_ok_and(|found| self.shown.withheld.contains(&found))
    }

    /// The handle of the directory.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Whether the name is never visible, whatever the ignore rules are.
    fn hides(&self, name: &OsStr) -> bool {
        match &self.shown.only {
            Some(only) => *name != **only,
            None => {
                name.as_encoded_bytes().starts_with(b".")
                    && (!self.shown.hidden || own_names::is_own(name))
            }
        }
    }

    /// Applies the order of git and ripgrep: `.ignore` before `.gitignore`, then the deepest file,
    /// then the last matching line. Git's rules for the whole work tree come last.
    fn ignores(&self, name: &OsStr, is_directory: bool) -> Result<bool, StoreError> {
        for source in 0..SOURCES.len() {
            let mut below = vec![name];
            let mut at = Some(self);
            while let Some(place) = at {
                let path = || below.iter().rev().collect();
                if let Some(verdict) = place.rules()?.verdict(source, path, is_directory) {
                    return Ok(verdict == Visibility::Hide);
                }
                if place.parent.is_none() && SOURCES.get(source) == Some(&GITIGNORE) {
                    let verdict = place
                        .outer()?
                        .and_then(|rules| rules.verdict(path, is_directory));
                    return Ok(verdict == Some(Visibility::Hide));
                }
                below.push(&place.name);
                at = place.parent.as_deref();
            }
        }
        Ok(false)
    }

    fn outer(&self) -> Result<Option<&OuterRules>, StoreError> {
        let Some(above) = &self.shown.above else {
            return Ok(None);
        };
        if let Some(rules) = self.outer.get() {
            return Ok(Some(rules));
        }
        let rules = above.get()?;
        Ok(Some(self.outer.get_or_init(|| rules)))
    }

    fn rules(&self) -> Result<&Rules, StoreError> {
        if let Some(rules) = self.rules.get() {
            return Ok(rules);
        }
        let rules = Rules::load(&self.dir)?;
        Ok(self.rules.get_or_init(|| rules))
    }

    /// Looks at one name, and again if it changed before it was opened.
    fn enter(self: &Rc<Self>, name: &OsStr, is_listed: bool) -> Result<EntryKind, StoreError> {
        let mut attempt = 1;
        loop {
            match self.look(name, is_listed) {
                Err(StoreError::Failed(_)) if attempt < ATTEMPTS => attempt += 1,
                looked => return looked,
            }
        }
    }

    fn look(self: &Rc<Self>, name: &OsStr, is_listed: bool) -> Result<EntryKind, StoreError> {
        let hint = self.hint(name, is_listed)?;
        if hint.is_symlink() {
            let target = self.dir.read_link_contents(name).map_err(refuse)?;
            return Ok(EntryKind::Link(target));
        }
        let file = handle::open(&self.dir, name).map_err(refuse)?;
        let metadata = file.metadata().map_err(refuse)?;
        let kind = metadata.file_type();
        if kind != hint.file_type() && !self.shows(name, Some(kind))? {
            return Err(StoreError::NotFound);
        }
        self.opened(name, file, metadata).map(EntryKind::Open)
    }

    /// The metadata of a name that may be opened.
    fn hint(&self, name: &OsStr, is_listed: bool) -> Result<Metadata, StoreError> {
        self.waiter.check()?;
        if self.depth == MAX_DEPTH || self.hides(name) {
            return Err(StoreError::NotFound);
        }
        // Only a hint about what not to open; the type is then read from the open handle. Errors of
        // hidden names are not reported, because they would show that the names exist.
        let hint = match handle::look(&self.dir, name) {
            Ok(hint) => hint,
            Err(error) if self.shows(name, None)? => return Err(refuse(error)),
            Err(_) => return Err(StoreError::NotFound),
        };
        let may_open = hint.is_file() || hint.is_dir() || hint.is_symlink();
        if !self.shows(name, Some(hint.file_type()))?
            || !may_open
            || !(is_listed || self.is_exact(name, &hint)?)
        {
            return Err(StoreError::NotFound);
        }
        Ok(hint)
    }

    fn opened(
        self: &Rc<Self>,
        name: &OsStr,
        file: File,
        metadata: Metadata,
    ) -> Result<OpenEntry, StoreError> {
        if metadata.is_file() {
            if self.shown.withheld.contains(&metadata) {
                return Err(StoreError::NotFound);
            }
            return Ok(OpenEntry::File(OpenFile {
                file,
                metadata,
                waiter: self.waiter.clone(),
            }));
        }
        if !metadata.is_dir() || self.shown.only.is_some() {
            return Err(StoreError::NotFound);
        }
        Ok(OpenEntry::Directory(Rc::new(Self {
            dir: Arc::new(Dir::from_std_file(file.into_std())),
            name: name.to_owned(),
            parent: Some(Rc::clone(self)),
            depth: self.depth + 1,
            shown: self.shown.clone(),
            lists: Arc::clone(&self.lists),
            waiter: self.waiter.clone(),
            rules: OnceCell::new(),
            outer: OnceCell::new(),
        })))
    }

    /// Whether the directory has the name in exactly this spelling. Where a directory accepts other
    /// spellings too (case, Unicode forms, short names), they would bypass the rules, and one
    /// resource would have many URIs.
    fn is_exact(&self, name: &OsStr, found: &Metadata) -> Result<bool, StoreError> {
        if !self.may_be_lenient(name, found) {
            return Ok(true);
        }
        for entry in self.entries()? {
            if entry?.file_name() == name {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether the directory may accept several spellings of a name. On most systems it does only
    /// if it finds the same entry under the name in the other case, which is cheap to check.
    fn may_be_lenient(&self, name: &OsStr, found: &Metadata) -> bool {
        if cfg!(any(windows, target_vendor = "apple")) {
            return true;
        }
        let Some(name) = name.to_str() else {
            return false;
        };
        let other: String = name.chars().map(swap_case).collect();
        other != name
            && self
                .dir
                .symlink_metadata(&other)
                .is_ok_and(|other| system::is_same(&other, found))
    }
}

/// Adds the steps of a link's target. An absolute target leads out of the mount.
fn push_target(steps: &mut Vec<Step>, target: &Path) -> Result<(), StoreError> {
    for component in target.components().rev() {
        match component {
            Component::Normal(name) => steps.push(Step::Down(name.to_owned())),
            Component::ParentDir => steps.push(Step::Up),
            Component::CurDir => {}
            Component::RootDir | Component::Prefix(_) => return Err(StoreError::NotFound),
        }
    }
    Ok(())
}

fn swap_case(letter: char) -> char {
    if letter.is_ascii_uppercase() {
        letter.to_ascii_lowercase()
    } else {
        letter.to_ascii_uppercase()
    }
}

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;

    use super::*;

    /// A case-insensitive directory finds `name` under `NAME`. The test simulates one, so that it
    /// runs on every file system.
    #[test]
    fn a_spelling_that_the_directory_does_not_have_is_no_name() {
        let around = tempfile::tempdir().unwrap();
        std::fs::write(around.path().join("name"), "").unwrap();
        let dir = Dir::open_ambient_dir(around.path(), ambient_authority()).unwrap();
        let found = dir.metadata("name").unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let place = Place::root(
            Arc::new(dir),
            VisibleNames::default(),
            Arc::default(),
            waiter,
        );
        for (name, expected) in [("name", true), ("NAME", false)] {
            assert_eq!(
                place.is_exact(OsStr::new(name), &found).unwrap(),
                expected,
                "{name}"
            );
        }
    }
}
