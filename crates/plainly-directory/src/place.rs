//! A place in a mount: a chain of directory handles from its root. Every step goes down one name
//! from an open handle or back up to one that is still open, so nothing outside of the mount can be
//! reached, whatever is renamed meanwhile. Links are read and walked here rather than by the
//! operating system, so that what is hidden stays hidden behind them too.

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

/// The greatest depth below a mount. Each level holds one open directory.
pub(super) const MAX_DEPTH: usize = 64;

/// The most links on the way to one resource, as on Linux. Ends loops.
const MAX_LINKS: usize = 40;

/// The most looks at a name that changes between looking and opening.
const ATTEMPTS: usize = 4;

/// An open directory and the way to it, without links.
#[derive(Debug)]
pub(super) struct Place {
    dir: Arc<Dir>,
    /// Its name in its parent.
    name: OsString,
    parent: Option<Rc<Self>>,
    depth: usize,
    shown: VisibleNames,
    lists: Arc<Lists>,
    waiter: Waiter,
    rules: OnceCell<Rules>,
    /// The rules from above the mount, where this is its root.
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

/// The kind of thing that stands under a name, before it is opened.
enum EntryKind {
    Link(PathBuf),
    Open(OpenEntry),
}

/// One step of a walk.
enum Step {
    Up,
    /// To a name from a request.
    Down(OsString),
    /// To a name that was read from the directory.
    Listed(OsString),
}

impl Place {
    /// The root of a mount. Its operations fail once their caller has gone.
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

    /// Opens what `path` leads to from here, through links as long as they stay inside.
    pub(super) fn open(self: &Rc<Self>, path: &[OsString]) -> Result<OpenEntry, StoreError> {
        self.walk(path.iter().rev().cloned().map(Step::Down).collect())
    }

    /// Opens the entry with a name that [`Place::entries`] returned.
    pub(super) fn open_listed(self: &Rc<Self>, name: &OsStr) -> Result<OpenEntry, StoreError> {
        self.walk(vec![Step::Listed(name.to_owned())])
    }

    /// The metadata of the file with a name that [`Place::entries`] returned, without opening it; `None` for anything else, and
    /// where opening it says why.
    #[cfg(feature = "tools")]
    pub(super) fn peek(&self, name: &OsStr) -> Option<Metadata> {
        let hint = self.hint(name, true).ok()?;
        (hint.is_file() && !self.shown.withheld.contains(&hint)).then_some(hint)
    }

    /// Takes the steps, the last one first.
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

    /// The directory called `name` in here, if there is one and not only a link to one.
    pub(super) fn descend(self: &Rc<Self>, name: &OsStr) -> Result<Option<Rc<Self>>, StoreError> {
        match self.enter(name, false) {
            Ok(EntryKind::Open(OpenEntry::Directory(place))) => Ok(Some(place)),
            Ok(_) | Err(StoreError::NotFound) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether this is what `parent` calls `name`, and not what a link of that name leads to.
    pub(super) fn is_child(&self, parent: &Rc<Self>, name: &OsStr) -> bool {
        self.name == name
            && self
                .parent
                .as_ref()
                .is_some_and(|own| Rc::ptr_eq(own, parent))
    }

    /// The lists of names that the store keeps.
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

    /// Everything in the directory, shown or not, in no order.
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
        // What a link leads to isn't known yet, so it has to be shown as either.
        let may_be_file = kind.is_none_or(|kind| !kind.is_dir());
        let may_be_directory = kind.is_none_or(|kind| !kind.is_file());
        Ok(!(may_be_file && self.ignores(name, false)?
            || may_be_directory && self.ignores(name, true)?))
    }

    /// Looks what stands under a name now, shown or not.
    pub(super) fn kind(&self, name: &OsStr) -> Option<FileType> {
        Some(handle::look(&self.dir, name).ok()?.file_type())
    }

    /// Whether the file of this name has rules for hiding others here, or has them where case doesn't matter.
    pub(super) fn has_rules(&self, name: &OsStr) -> bool {
        !self.shown.ignored && SOURCES.iter().any(|it| name.eq_ignore_ascii_case(it))
    }

    /// Whether a name stands for a file that is never served.
    pub(super) fn withholds(&self, name: &OsStr) -> bool {
        handle::look(&self.dir, name).is_ok_and(|found| self.shown.withheld.contains(&found))
    }

    /// The handle of the directory.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Whether there is no such resource whatever is in the directory.
    fn hides(&self, name: &OsStr) -> bool {
        match &self.shown.only {
            Some(only) => *name != **only,
            None => {
                name.as_encoded_bytes().starts_with(b".")
                    && (!self.shown.hidden || own_names::is_own(name))
            }
        }
    }

    /// As in git and ripgrep: `.ignore` before `.gitignore`, the deeper file before the one above, the last matching line.
    /// What git has for the whole work tree comes last.
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

    /// Looks at one name, again if it was something else when it was opened.
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
        // Only a hint: it says what not to open. What was opened is asked of the handle. What is hidden isn't opened either:
        // how that fails would tell it from what is absent.
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

    /// Whether the directory spells the name like this. Where it takes other spellings too (case, Unicode forms, short
    /// names), they would get around the rules, and one resource would have many URIs.
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

    /// Whether the directory may take several spellings for one name: on most systems only if it has the same thing under
    /// the name in the other case, and that is cheap to see.
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

/// Adds the steps that a link stands for. One that isn't relative leads out.
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

    /// A case-insensitive directory finds `name` under `NAME`: simulated here, so that it is tested
    /// on every file system.
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
