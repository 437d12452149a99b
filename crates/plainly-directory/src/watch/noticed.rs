//! Changes that the operating system has reported since they were last taken: names in mounts, each
//! once, up to a limit. Connects the watcher to the reports of changes. Independent of which names
//! are visible.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use cap_std::fs::FileType;
use tokio::sync::Notify;

use crate::lock::Lock;

/// The maximum number of stored names. Beyond it, the batch only records that something was missed.
const MOST_NAMES: usize = 1024;

/// A queue of noticed changes.
#[derive(Debug, Default)]
pub(super) struct NoticedChanges {
    waiting: Lock<Batch>,
    some: Notify,
}

/// Changed names, by mount and directory.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// The names, by the mount's index and the directory's path in it.
    pub(super) directories: BTreeMap<(usize, PathBuf), BTreeMap<OsString, NameChange>>,
    /// The mounts whose own directory changed.
    pub(super) roots: Vec<usize>,
    /// Whether changes were missed.
    pub(super) is_incomplete: bool,
    names: usize,
}

/// A way in which a name can have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameChange {
    /// The entry has changed.
    Changed,
    /// The entry appeared, disappeared or was replaced. Contains its kind if the event has it.
    Moved(Option<FileType>),
}

impl NoticedChanges {
    /// Adds a change at `path` in a mount.
    pub(super) fn add(&self, root: usize, path: &Path, what: NameChange) {
        self.waiting.lock().add(root, path, what);
        self.some.notify_one();
    }

    /// Records that an unknown change happened.
    pub(super) fn miss(&self) {
        self.waiting.lock().miss();
        self.some.notify_one();
    }

    /// Waits until there are changes.
    pub(super) async fn some(&self) {
        self.some.notified().await;
    }

    /// Takes all changes.
    pub(super) fn take(&self) -> Batch {
        std::mem::take(&mut *self.waiting.lock())
    }
}

impl Batch {
    fn add(&mut self, root: usize, path: &Path, what: NameChange) {
        if self.is_incomplete {
            return;
        }
        let (Some(name), Some(directory)) = (path.file_name(), path.parent()) else {
            if !self.roots.contains(&root) {
                self.roots.push(root);
            }
            return;
        };
        let names = self
            .directories
            .entry((root, directory.to_owned()))
            .or_default();
        if let Some(known) = names.get_mut(name) {
            *known = known.and(what);
        } else if self.names == MOST_NAMES {
            self.miss();
        } else {
            names.insert(OsStr::to_owned(name), what);
            self.names += 1;
        }
    }

    fn miss(&mut self) {
        *self = Self {
            is_incomplete: true,
            ..Self::default()
        };
    }
}

impl NameChange {
    fn and(self, then: Self) -> Self {
        match (self, then) {
            (earlier, Self::Changed) => earlier,
            (Self::Changed, moved) => moved,
            (Self::Moved(one), Self::Moved(other)) => Self::Moved(one.filter(|_| one == other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: NameChange = NameChange::Moved(Some(FileType::file()));
    const DIRECTORY: NameChange = NameChange::Moved(Some(FileType::dir()));

    #[test]
    fn a_name_is_kept_once_and_says_the_most() {
        for (noticed, expected) in [
            (
                [NameChange::Changed, NameChange::Changed],
                NameChange::Changed,
            ),
            ([NameChange::Changed, FILE], FILE),
            ([FILE, NameChange::Changed], FILE),
            ([DIRECTORY, FILE], NameChange::Moved(None)),
            ([DIRECTORY, DIRECTORY], DIRECTORY),
        ] {
            let all = NoticedChanges::default();
            for what in noticed {
                all.add(3, Path::new("d/x"), what);
            }
            let batch = all.take();
            let names = &batch.directories[&(3, "d".into())];
            assert_eq!(names.len(), 1);
            assert_eq!(names[OsStr::new("x")], expected, "{noticed:?}");
        }
    }

    #[test]
    fn too_many_names_are_something_missed() {
        let noticed = NoticedChanges::default();
        for index in 0..=MOST_NAMES {
            noticed.add(0, Path::new(&index.to_string()), FILE);
        }
        noticed.add(0, Path::new("one more"), FILE);
        let batch = noticed.take();
        assert!(batch.is_incomplete && batch.directories.is_empty());
        assert!(!noticed.take().is_incomplete);
    }

    #[test]
    fn the_mount_itself_has_no_name_in_it() {
        let noticed = NoticedChanges::default();
        noticed.add(3, Path::new(""), NameChange::Changed);
        noticed.add(3, Path::new(""), NameChange::Changed);
        let batch = noticed.take();
        assert_eq!(batch.roots, [3]);
        assert!(batch.directories.is_empty());
    }
}
