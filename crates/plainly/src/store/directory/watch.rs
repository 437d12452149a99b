//! Telling what changes in the mounts. The operating system names what it thinks has changed; what is told is what the
//! store's own walk then finds there, so that nothing is told of what it doesn't show. Nothing is done, and little kept,
//! while nobody takes what there is to tell.
//!
//! Where the operating system watches directories one by one (Linux), only those are watched that are shown.

mod changes;
mod noticed;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use cap_std::fs::{FileType, Metadata};
use futures_util::stream::{self, BoxStream, StreamExt};
use notify::{ErrorKind, RecommendedWatcher, RecursiveMode, Watcher};

use self::changes::Changes;
use self::noticed::{Noticed, What};
use super::job::Waiter;
use super::mount::Root;
use super::place::{Opened, Place};
use super::{Inner, uri, walk};
use crate::store::{Change, StoreError};

/// How long changes are gathered before they are told, so that a file that is written piece by piece is told once.
const GATHERED: Duration = Duration::from_millis(100);

/// How long is waited after looking has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// By how much the time of a file may be behind the clock: file systems take the time of the last tick.
const TICK: Duration = Duration::from_millis(10);

/// Whether each directory has to be watched for itself.
const EACH_DIRECTORY: bool = cfg!(any(target_os = "linux", target_os = "android"));

/// What changes in the mounts of `store` from now on; `None`, and a warning, if they can't be watched.
pub(super) fn watch(store: &Arc<Inner>) -> Option<BoxStream<'static, Change>> {
    let noticed = Arc::new(Noticed::default());
    let watched: Result<_, _> = store
        .roots
        .iter()
        .enumerate()
        .map(|(index, root)| Watched::new(index, root, &noticed))
        .collect();
    let watched = watched
        .inspect_err(|error| {
            let limit = "fs.inotify.max_user_instances or the limit of open files may be too low";
            tracing::warn!(%error, "changes of files can't be told: {limit}");
        })
        .ok()?;
    let watching = Arc::new(Watching {
        store: Arc::clone(store),
        watched,
        noticed,
        has_warned: AtomicBool::new(false),
    });
    let changes = stream::unfold((watching, Some(SystemTime::now())), next);
    Some(changes.flat_map(stream::iter).boxed())
}

/// Waits for changes. The first time, looks for what has changed since the watch was asked for.
async fn next(
    (watching, since): (Arc<Watching>, Option<SystemTime>),
) -> Option<(Vec<Change>, (Arc<Watching>, Option<SystemTime>))> {
    if since.is_none() {
        watching.noticed.some().await;
        tokio::time::sleep(GATHERED).await;
    }
    let job = Arc::clone(&watching);
    let found = watching.store.jobs.run(move |waiter| match since {
        Some(since) => job.begin(since - TICK, waiter),
        None => job.look(waiter),
    });
    let changes = match found.await {
        Ok(changes) => changes,
        Err(error) => {
            tracing::warn!(%error, "can't tell what has changed: looking again");
            watching.noticed.miss();
            tokio::time::sleep(PAUSE).await;
            Changes::default()
        }
    };
    let roots = watching.store.roots.iter().map(|root| &*root.uri);
    Some((changes.tell(roots), (Arc::clone(&watching), None)))
}

/// Mounts that are being watched, as long as this exists.
#[derive(Debug)]
struct Watching {
    store: Arc<Inner>,
    /// By the index of the mount.
    watched: Vec<Watched>,
    noticed: Arc<Noticed>,
    has_warned: AtomicBool,
}

/// The watcher of one mount. Each has its own: a directory that is in two mounts would have one name in a common one.
#[derive(Debug)]
struct Watched {
    /// Where the mount is for the operating system.
    base: PathBuf,
    watcher: Mutex<RecommendedWatcher>,
}

impl Watched {
    fn new(index: usize, root: &Root, noticed: &Arc<Noticed>) -> notify::Result<Self> {
        let base = root.path();
        let (noticed, at) = (Arc::clone(noticed), base.clone());
        let watcher = notify::recommended_watcher(move |event| noticed.take_in(index, &at, event))?;
        Ok(Self {
            base,
            watcher: Mutex::new(watcher),
        })
    }
}

/// A directory, and how it is called here and there.
struct At {
    root: usize,
    place: Rc<Place>,
    path: PathBuf,
    uri: String,
}

impl At {
    fn inner(&self, name: &OsStr, place: Rc<Place>) -> Self {
        Self {
            root: self.root,
            place,
            path: self.path.join(name),
            uri: uri::child(&self.uri, name),
        }
    }
}

impl Watching {
    /// Begins to watch everything that is shown. What has changed since `since` can't have been noticed yet.
    fn begin(&self, since: SystemTime, waiter: &Waiter) -> Result<Changes, StoreError> {
        let mut changes = Changes::default();
        for index in 0..self.watched.len() {
            if let Some(at) = self.root(index, waiter) {
                self.watch(&at, Some(since), &mut changes)?;
            }
        }
        Ok(changes)
    }

    /// Looks at what was noticed.
    fn look(&self, waiter: &Waiter) -> Result<Changes, StoreError> {
        let batch = self.noticed.take();
        let mut changes = Changes::default();
        if batch.is_incomplete {
            // There may be directories that nobody watches yet.
            self.again(waiter, &mut changes)?;
        }
        for at in batch
            .roots
            .iter()
            .filter_map(|root| self.root(*root, waiter))
        {
            changes.resource(at.uri);
        }
        for ((root, path), names) in batch.directories {
            if let Some(at) = self.find(root, &path, waiter)? {
                self.look_at(&at, names, &mut changes)?;
            }
        }
        Ok(changes)
    }

    fn again(&self, waiter: &Waiter, changes: &mut Changes) -> Result<(), StoreError> {
        changes.everything();
        for index in 0..self.watched.len() {
            if let Some(at) = self.root(index, waiter) {
                self.watch(&at, None, changes)?;
            }
        }
        Ok(())
    }

    fn root(&self, index: usize, waiter: &Waiter) -> Option<At> {
        let root = self.store.roots.get(index)?;
        Some(At {
            root: index,
            place: self.store.place(root, waiter),
            path: PathBuf::new(),
            uri: root.uri.clone(),
        })
    }

    /// The directory at `path`, if it is there and shown, and no link leads there.
    fn find(&self, root: usize, path: &Path, waiter: &Waiter) -> Result<Option<At>, StoreError> {
        let mut found = self.root(root, waiter);
        for name in path {
            let Some(at) = found.take() else { break };
            found = at.place.descend(name)?.map(|place| at.inner(name, place));
        }
        Ok(found)
    }

    fn look_at(
        &self,
        at: &At,
        names: BTreeMap<OsString, What>,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        if names.keys().any(|name| at.place.has_rules(name)) {
            changes.listing();
            changes.tree(&*at.uri);
            self.watch(at, None, changes)?;
        }
        for (name, what) in names {
            self.look_at_one(at, &name, what, changes)?;
        }
        Ok(())
    }

    fn look_at_one(
        &self,
        at: &At,
        name: &OsStr,
        what: What,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let uri = uri::child(&at.uri, name);
        let found = walk::usable(&uri, at.place.open(&[name.to_owned()]))?;
        let verdict = verdict(at, name, what, found.as_ref())?;
        if verdict == Verdict::Nothing {
            return Ok(());
        }
        // Reading the directory tells of what is in it.
        changes.resource(&*at.uri);
        if verdict == Verdict::Edited {
            changes.resource(uri);
            return Ok(());
        }
        changes.listing();
        if verdict == Verdict::File {
            changes.resource(uri);
        } else {
            changes.tree(uri);
        }
        match found {
            Some(Opened::Directory(place)) if place.is_child(&at.place, name) => {
                self.watch(&at.inner(name, place), None, changes)
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Watches a directory and what is below it. With `since`, also tells what has changed there since then.
    fn watch(
        &self,
        at: &At,
        since: Option<SystemTime>,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        // Before looking into it: what comes later is noticed, and what was there before is found.
        if (EACH_DIRECTORY || at.path.as_os_str().is_empty()) && !self.watch_one(at, changes) {
            return Ok(());
        }
        let is_new = |metadata: &Metadata| match (since, metadata.modified()) {
            (Some(since), Ok(modified)) => modified.into_std() >= since,
            (None, _) | (_, Err(_)) => false,
        };
        if is_new(&at.place.metadata()?) {
            changes.listing();
            changes.resource(&*at.uri);
        }
        let mut directories = Vec::new();
        for entry in at.place.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type().ok();
            if !at.place.shows(&name, kind)? {
                continue;
            }
            if kind.is_none_or(|kind| kind.is_dir()) {
                directories.push(name);
            } else if since.is_some()
                && entry.metadata().is_ok_and(|metadata| is_new(&metadata))
                && at.place.open_listed(&name).is_ok()
            {
                changes.resource(uri::child(&at.uri, &name));
            }
        }
        for name in directories {
            let inner = uri::child(&at.uri, &name);
            let inner = walk::usable(&inner, at.place.descend(&name))?.flatten();
            if let Some(place) = inner {
                let inner = at.inner(&name, place);
                walk::usable(&inner.uri, self.watch(&inner, since, changes))?;
            }
        }
        Ok(())
    }

    /// Watches one directory. Whether it is worth to look into it.
    fn watch_one(&self, at: &At, changes: &mut Changes) -> bool {
        let Some(watched) = self.watched.get(at.root) else {
            return false;
        };
        // The operating system takes a path where everything else goes by handles: see that it is the same directory.
        let path = watched.base.join(&at.path);
        let mode = if EACH_DIRECTORY {
            RecursiveMode::NonRecursive
        } else {
            RecursiveMode::Recursive
        };
        let mut watcher = watched
            .watcher
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        match watcher.watch(&path, mode) {
            Ok(()) if at.place.is_at(&path) => true,
            Ok(()) => {
                // If there is nothing to end, that has been noticed already.
                drop(watcher.unwatch(&path));
                if at.path.as_os_str().is_empty() {
                    tracing::warn!(
                        uri = at.uri,
                        "changes can't be told: another directory stands in its place"
                    );
                }
                false
            }
            Err(error) => {
                self.unwatched(at, &error, changes);
                false
            }
        }
    }

    fn unwatched(&self, at: &At, error: &notify::Error, changes: &mut Changes) {
        if matches!(error.kind, ErrorKind::PathNotFound) {
            // It has gone, which is noticed for itself.
            return;
        }
        changes.listing();
        if self.has_warned.swap(true, Ordering::Relaxed) {
            return;
        }
        changes.everything();
        let advice = if matches!(error.kind, ErrorKind::MaxFilesWatch) {
            ": fs.inotify.max_user_watches is too low"
        } else {
            ""
        };
        tracing::warn!(uri = at.uri, %error, "not all changes can be told{advice}");
    }
}

/// What happened to a name, as far as it may be told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Nothing,
    /// It stands for what it stood for, and that is another.
    Edited,
    /// A file came, went or took the place of another.
    File,
    /// The same of what is or may have been a directory.
    Tree,
}

fn verdict(
    at: &At,
    name: &OsStr,
    what: What,
    found: Option<&Opened>,
) -> Result<Verdict, StoreError> {
    let gone = |kind: Option<FileType>| {
        Ok(match at.place.shows(name, kind)? {
            true if kind.is_some_and(|kind| kind.is_file()) => Verdict::File,
            true => Verdict::Tree,
            false => Verdict::Nothing,
        })
    };
    match (found, what, at.place.kind(name)) {
        (Some(_), What::Changed, _) => Ok(Verdict::Edited),
        (Some(Opened::File(_)), What::Moved(_), _) => Ok(Verdict::File),
        (Some(Opened::Directory(_)), What::Moved(_), _) => Ok(Verdict::Tree),
        // It may be read no longer.
        (None, What::Changed, Some(kind)) if !kind.is_symlink() => gone(Some(kind)),
        (None, What::Moved(kind), None) => gone(kind),
        // What was never shown: a link that leads out, a pipe. Or its end will be noticed for itself.
        (None, What::Moved(_), Some(_)) | (None, What::Changed, _) => Ok(Verdict::Nothing),
    }
}
