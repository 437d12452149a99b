//! What the operating system said since it was last asked for: names in mounts, each once, up to a bound. Between the
//! watcher's thread and whoever tells of changes; knows nothing of what may be shown.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use cap_std::fs::FileType;
use notify::event::{CreateKind, EventKind, ModifyKind, RemoveKind};
use tokio::sync::Notify;

/// The most names that are kept. When there are more, it is only known that some were.
const MOST_NAMES: usize = 1024;

/// A place for what was noticed.
#[derive(Debug, Default)]
pub(super) struct Noticed {
    waiting: Mutex<Batch>,
    some: Notify,
}

/// What was noticed: names by mount and directory.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// By the mount's index and the directory's path in it.
    pub(super) directories: BTreeMap<(usize, PathBuf), BTreeMap<OsString, What>>,
    /// Mounts that themselves are other than before.
    pub(super) roots: Vec<usize>,
    /// Something was missed.
    pub(super) is_incomplete: bool,
    names: usize,
}

/// What happened to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    /// What it stands for is other than before.
    Changed,
    /// It came, went, or stands for another thing than before. Of which kind that is or was, if it was said.
    Moved(Option<FileType>),
}

impl Noticed {
    /// Takes what the watcher of a mount says; `base` is where it looks.
    pub(super) fn take_in(&self, root: usize, base: &Path, event: notify::Result<notify::Event>) {
        let Ok(event) = event else {
            return self.miss();
        };
        if event.need_rescan() {
            return self.miss();
        }
        let Some(what) = what(event.kind) else {
            return;
        };
        for path in &event.paths {
            match path.strip_prefix(base) {
                Ok(path) => self.lock().add(root, path, what),
                Err(_) => self.lock().miss(),
            }
        }
        self.some.notify_one();
    }

    /// Something happened and nobody knows what.
    pub(super) fn miss(&self) {
        self.lock().miss();
        self.some.notify_one();
    }

    /// Waits until there is something.
    pub(super) async fn some(&self) {
        self.some.notified().await;
    }

    /// All that there is.
    pub(super) fn take(&self) -> Batch {
        std::mem::take(&mut *self.lock())
    }

    fn lock(&self) -> MutexGuard<'_, Batch> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Batch {
    fn add(&mut self, root: usize, path: &Path, what: What) {
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

impl What {
    fn and(self, then: Self) -> Self {
        match (self, then) {
            (earlier, Self::Changed) => earlier,
            (Self::Changed, moved) => moved,
            (Self::Moved(one), Self::Moved(other)) => Self::Moved(one.filter(|_| one == other)),
        }
    }
}

/// What an event means; `None` if it changes nothing. Opening and reading are events too: ours as well.
fn what(kind: EventKind) -> Option<What> {
    match kind {
        EventKind::Access(_) => None,
        EventKind::Create(CreateKind::File) | EventKind::Remove(RemoveKind::File) => {
            Some(What::Moved(Some(FileType::file())))
        }
        EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => {
            Some(What::Moved(Some(FileType::dir())))
        }
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
            Some(What::Moved(None))
        }
        EventKind::Modify(_) | EventKind::Any | EventKind::Other => Some(What::Changed),
    }
}

#[cfg(test)]
mod tests {
    use notify::event::{AccessKind, DataChange, Event, Flag, RenameMode};

    use super::*;

    const CREATED: EventKind = EventKind::Create(CreateKind::File);
    const EDITED: EventKind = EventKind::Modify(ModifyKind::Data(DataChange::Any));

    fn event(kind: EventKind, path: &str) -> notify::Result<Event> {
        Ok(Event::new(kind).add_path(path.into()))
    }

    fn taken_in(events: Vec<notify::Result<Event>>) -> Batch {
        let noticed = Noticed::default();
        for event in events {
            noticed.take_in(3, Path::new("/base/."), event);
        }
        noticed.take()
    }

    #[test]
    fn a_name_is_kept_once_and_says_the_most() {
        let renamed = EventKind::Modify(ModifyKind::Name(RenameMode::From));
        let folder = EventKind::Remove(RemoveKind::Folder);
        for (kinds, expected) in [
            (vec![EDITED, EDITED], What::Changed),
            (vec![EDITED, CREATED], What::Moved(Some(FileType::file()))),
            (vec![CREATED, EDITED], What::Moved(Some(FileType::file()))),
            (vec![folder, CREATED], What::Moved(None)),
            (vec![folder, folder], What::Moved(Some(FileType::dir()))),
            (vec![renamed], What::Moved(None)),
        ] {
            let events = kinds.iter().map(|kind| event(*kind, "/base/./d/x"));
            let batch = taken_in(events.collect());
            let names = &batch.directories[&(3, "d".into())];
            assert_eq!(names.len(), 1);
            assert_eq!(names[OsStr::new("x")], expected, "{kinds:?}");
        }
    }

    #[test]
    fn reading_is_no_change() {
        let read = EventKind::Access(AccessKind::Read);
        let batch = taken_in(vec![event(read, "/base/x")]);
        assert!(batch.directories.is_empty() && batch.roots.is_empty() && !batch.is_incomplete);
    }

    #[test]
    fn too_many_names_an_overflow_and_a_failure_are_something_missed() {
        let many = (0..=MOST_NAMES).map(|n| event(CREATED, &format!("/base/{n}")));
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        for events in [
            many.collect(),
            vec![Ok(overflow)],
            vec![Err(notify::Error::generic("no"))],
            vec![event(EDITED, "/elsewhere/x")],
        ] {
            let batch = taken_in(events);
            assert!(batch.is_incomplete);
            assert!(batch.directories.is_empty());
        }
    }

    #[test]
    fn the_mount_itself_has_no_name_in_it() {
        let batch = taken_in(vec![event(EDITED, "/base"), event(EDITED, "/base/.")]);
        assert_eq!(batch.roots, [3]);
        assert!(batch.directories.is_empty());
    }
}
