//! Watches a mount on systems other than Linux: by its path, with everything below it.

use std::convert::Infallible;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, FileType};
use notify::event::{CreateKind, EventKind, ModifyKind, RemoveKind};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::At;
use super::noticed::{NameChange, NoticedChanges};
use crate::current;
use crate::lock::Lock;
use crate::mount::Root;

/// The watch of one mount, with the system's own facility. Each mount has its own watcher, because
/// a shared one would report a directory in two mounts under one name.
pub(super) struct NotifySystem {
    path: std::path::PathBuf,
    watcher: Lock<RecommendedWatcher>,
}

impl NotifySystem {
    /// Whether each directory needs a watch of its own.
    pub(super) const EACH_DIRECTORY: bool = false;

    pub(super) fn new(
        index: usize,
        root: &Root,
        noticed: &Arc<NoticedChanges>,
    ) -> io::Result<Self> {
        // FSEvents reports paths with links resolved.
        let path = match root.file {
            Some(_) => current::real(&root.path).map(|(place, _)| place),
            None => root.path.canonicalize(),
        };
        let path = path.unwrap_or_else(|_| root.path.clone());
        let (noticed, base) = (Arc::clone(noticed), path.clone());
        let watcher =
            notify::recommended_watcher(move |event| take_in(index, &base, event, &noticed));
        Ok(Self {
            path,
            watcher: Lock::from(watcher.map_err(into_io)?),
        })
    }

    /// Watches the mount.
    pub(super) fn watch(&self, at: &At) -> io::Result<()> {
        let mut watcher = self.watcher.lock();
        // On Windows, a second watch would not replace the first, which would then report
        // everything twice. The first time, this fails because there is no watch.
        drop(watcher.unwatch(&self.path));
        watcher
            .watch(&self.path, RecursiveMode::Recursive)
            .map_err(into_io)?;
        // The watch uses a path instead of a handle, so this checks that it is the same directory.
        if is_at(at.place.dir(), &self.path) {
            return Ok(());
        }
        // Fails harmlessly if there is no watch.
        drop(watcher.unwatch(&self.path));
        Err(io::Error::other(
            "it has been replaced by another directory",
        ))
    }

    /// Does nothing, because the whole mount is watched.
    pub(super) fn forget(&self, _: &Path) {}

    /// Does nothing, because a thread of the system's watcher receives the events.
    pub(super) async fn run(&self, _: &NoticedChanges) -> io::Result<Infallible> {
        std::future::pending().await
    }
}

/// Whether `path` leads to the directory of the handle `dir`. Doesn't read the directory.
fn is_at(dir: &Dir, path: &Path) -> bool {
    let identity = |dir: &Dir| -> io::Result<_> {
        let metadata = dir.dir_metadata()?;
        Ok((metadata.dev(), metadata.ino()))
    };
    let there = Dir::open_ambient_dir(path, ambient_authority());
    match (identity(dir), there.and_then(|there| identity(&there))) {
        (Ok(own), Ok(there)) => own == there,
        (Err(_), _) | (_, Err(_)) => false,
    }
}

fn into_io(error: notify::Error) -> io::Error {
    match error.kind {
        ErrorKind::Io(error) => error,
        ErrorKind::PathNotFound => io::ErrorKind::NotFound.into(),
        ErrorKind::MaxFilesWatch => io::ErrorKind::StorageFull.into(),
        ErrorKind::Generic(_) | ErrorKind::WatchNotFound | ErrorKind::InvalidConfig(_) => {
            io::Error::other(error)
        }
    }
}

/// Adds an event of a mount's watcher. `base` is the mount's path.
fn take_in(
    root: usize,
    base: &Path,
    event: notify::Result<notify::Event>,
    noticed: &NoticedChanges,
) {
    let Ok(event) = event else {
        return noticed.miss();
    };
    if event.need_rescan() {
        return noticed.miss();
    }
    let Some(what) = what(event.kind) else {
        return;
    };
    for path in &event.paths {
        match path.strip_prefix(base) {
            Ok(path) => noticed.add(root, path, what),
            Err(_) => noticed.miss(),
        }
    }
}

/// The change in an event; `None` for events without a change, such as opening and reading.
fn what(kind: EventKind) -> Option<NameChange> {
    match kind {
        EventKind::Access(_) => None,
        EventKind::Create(CreateKind::File) | EventKind::Remove(RemoveKind::File) => {
            Some(NameChange::Moved(Some(FileType::file())))
        }
        EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => {
            Some(NameChange::Moved(Some(FileType::dir())))
        }
        EventKind::Create(_) | EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_)) => {
            Some(NameChange::Moved(None))
        }
        EventKind::Modify(_) | EventKind::Any | EventKind::Other => Some(NameChange::Changed),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::time::Duration;

    use notify::event::{AccessKind, Event, Flag};

    use super::*;
    use crate::DirectoryStore;
    use crate::job::Waiter;
    use crate::place::{Place, VisibleNames};

    #[test]
    fn only_what_changes_something_is_noticed_and_what_can_not_be_placed_is_missed() {
        let event = |kind, path: &str| Ok(Event::new(kind).add_path(path.into()));
        let (read, edited) = (EventKind::Access(AccessKind::Read), EventKind::Any);
        let overflow = Event::new(EventKind::Other).set_flag(Flag::Rescan);
        for (event, is_noticed, is_missed) in [
            (event(read, "/base/x"), false, false),
            (event(edited, "/base/x"), true, false),
            (event(edited, "/elsewhere/x"), false, true),
            (Ok(overflow), false, true),
            (Err(notify::Error::generic("no")), false, true),
        ] {
            let noticed = NoticedChanges::default();
            let said = format!("{event:?}");
            take_in(0, Path::new("/base"), event, &noticed);
            let batch = noticed.take();
            let found = (!batch.directories.is_empty(), batch.is_incomplete);
            assert_eq!(found, (is_noticed, is_missed), "{said}");
        }
    }

    /// Watches the only mount of a store.
    fn watch(store: &DirectoryStore, noticed: &Arc<NoticedChanges>) -> (NotifySystem, At) {
        let root = &store.mounts.roots[0];
        let system = NotifySystem::new(0, root, noticed).unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let at = At {
            root: 0,
            place: Place::root(root.dir(), VisibleNames::default(), Arc::default(), waiter),
            path: Path::new("").to_owned(),
            uri: root.uri.clone(),
            file: None,
        };
        system.watch(&at).unwrap();
        (system, at)
    }

    #[tokio::test]
    async fn what_happens_far_below_is_noticed() {
        let mount = tempfile::tempdir().unwrap();
        let mount = mount.path();
        std::fs::create_dir_all(mount.join("d/e")).unwrap();
        let store = DirectoryStore::new(mount).unwrap();
        let noticed = Arc::new(NoticedChanges::default());
        let _watch = watch(&store, &noticed);
        // Wine only watches directories that were opened after the watch began. The store opens
        // those that it serves.
        for directory in ["d", "d/e"] {
            drop(std::fs::read_dir(mount.join(directory)).unwrap());
        }
        std::fs::write(mount.join("d/e/x"), "").unwrap();
        let some = tokio::time::timeout(Duration::from_secs(20), noticed.some());
        some.await.expect("nothing is noticed");
        let batch = noticed.take();
        assert!(batch.directories[&(0, "d/e".into())].contains_key(OsStr::new("x")));
    }

    /// Windows doesn't let a directory lose its name while it is served.
    #[cfg(unix)]
    #[test]
    fn a_directory_in_the_place_of_a_mount_is_refused() {
        let around = tempfile::tempdir().unwrap();
        let mount = around.path().join("mount");
        std::fs::create_dir(&mount).unwrap();
        let store = DirectoryStore::new(&mount).unwrap();
        let (system, at) = watch(&store, &Arc::default());
        std::fs::rename(&mount, around.path().join("moved")).unwrap();
        std::fs::create_dir(&mount).unwrap();
        assert!(system.watch(&at).is_err());
    }
}
