//! Telling what changes in the mounts. The operating system names what it thinks has changed; what is told is what the
//! store's own walk then finds there, so that nothing is told of what it doesn't show. Nothing is done, and little kept,
//! while nobody takes what there is to tell.
//!
//! Where the operating system watches directories one by one (Linux), only those are watched that are shown.

mod noticed;
mod verdict;

mod changes;

mod below;

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use futures_util::stream::{self, BoxStream, StreamExt};
use notify::RecommendedWatcher;

use self::changes::Changes;
use self::noticed::{Noticed, What};
use self::verdict::{Verdict, verdict};
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
}
