//! Reports changes in the mounts. The operating system names possible changes. The reports are the
//! entries that the store's own walk then finds there, so hidden entries are never reported. While
//! the reports are not read, no work is done and little is stored. Where the operating system
//! reports too few changes, subscribed resources are polled.
//!
//! Where the operating system watches single directories (Linux), only visible directories are
//! watched.

mod asking;

mod noticed;

mod changes;

mod below;

#[cfg(any(target_os = "linux", target_os = "android"))]
mod linux;
// Compiled for tests on Linux too, where it also works.
#[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
#[cfg_attr(
    any(target_os = "linux", target_os = "android"),
    expect(dead_code, reason = "a test here doesn't need all of it")
)]
mod other;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use cap_std::fs::Dir;
use futures_util::future;
use futures_util::stream::{self, Stream, StreamExt};
use plainly::server::SubscribedResources;
use plainly::store::{Change, StoreError, Watch};
use tokio::sync::watch;
use tokio::time::timeout;

use self::changes::{Changes, Verdict, verdict};
#[cfg(any(target_os = "linux", target_os = "android"))]
use self::linux::InotifySystem as System;
use self::noticed::{NameChange, NoticedChanges};
#[cfg(not(any(target_os = "linux", target_os = "android")))]
use self::other::NotifySystem as System;
use super::above::OuterRules;
use super::job::Waiter;
use super::lock::Lock;
use super::place::{OpenEntry, Place};
use super::request::Mounts;
use super::{uri, walk};

/// The time during which changes are collected before they are reported, so that a file that is
/// written in pieces is reported once.
const GATHERED: Duration = Duration::from_millis(100);

/// The pause after reading changes has failed, and between two checks whether the mounts still
/// exist. A directory that is removed while it is open causes no event.
const PAUSE: Duration = Duration::from_secs(1);

/// The warning if the operating system watches fewer directories than are visible.
const ASKED: &str = "not all changes are noticed, and what clients are subscribed to is looked at every few seconds instead";

/// The maximum lag of a file's time, because file systems use the time of the last clock tick.
const TICK: Duration = Duration::from_millis(10);

/// A stream of changes in the mounts from now on. If the operating system can't watch, the stream
/// has only changes of `subscribed` resources, which are polled.
pub(super) fn watch(mounts: &Arc<Mounts>, subscribed: SubscribedResources) -> Watch {
    let limit = watch::Sender::new(false);
    let asked = asking::changes(mounts, subscribed, limit.subscribe());
    match watched(mounts, limit.clone()) {
        Some(watched) => Watch::new(stream::select(watched, asked)),
        None => {
            limit.send_replace(true);
            Watch::new(asked)
        }
    }
}

/// A stream of the changes that the operating system reports; `None`, with a warning, if it can't
/// watch the mounts.
fn watched(
    mounts: &Arc<Mounts>,
    is_limited: watch::Sender<bool>,
) -> Option<impl Stream<Item = Change> + use<>> {
    let noticed = Arc::new(NoticedChanges::default());
    let roots = mounts.roots.iter().enumerate();
    let systems: std::io::Result<_> = roots
        .map(|(index, root)| System::new(index, root, &noticed))
        .collect();
    let systems = systems
        .inspect_err(|error| {
            let limit = "fs.inotify.max_user_instances or the limit of open files may be too low";
            tracing::warn!(%error, "{ASKED}: {limit}");
        })
        .ok()?;
    let dirs = mounts.roots.iter().map(|root| Lock::from(root.dir()));
    let rules = mounts.roots.iter().map(|_| Lock::default());
    let watching = Arc::new(WatchedMounts {
        dirs: dirs.collect(),
        rules: rules.collect(),
        mounts: Arc::clone(mounts),
        systems,
        noticed,
        is_limited,
    });
    let changes = stream::unfold((watching, Some(SystemTime::now())), next);
    Some(changes.flat_map(stream::iter))
}

/// Waits for changes. The first call instead looks for changes since the watch was requested.
async fn next(
    (watching, since): (Arc<WatchedMounts>, Option<SystemTime>),
) -> Option<(Vec<Change>, (Arc<WatchedMounts>, Option<SystemTime>))> {
    if since.is_none() {
        watching.gather().await;
    }
    let job = Arc::clone(&watching);
    let found = watching.mounts.jobs.run(move |waiter| match since {
        Some(since) => job.begin(since - TICK, waiter),
        None => job.look(waiter),
    });
    let changes = match found.await {
        Ok(changes) => changes,
        Err(error) => {
            tracing::warn!(%error, "can't tell what changed: looking again");
            watching.noticed.miss();
            tokio::time::sleep(PAUSE).await;
            Changes::default()
        }
    };
    let roots = watching.mounts.roots.iter().map(|root| &*root.uri);
    Some((changes.tell(roots), (Arc::clone(&watching), None)))
}

/// Mounts that are watched while this value exists.
struct WatchedMounts {
    mounts: Arc<Mounts>,
    /// The watched directory of each mount, by index.
    dirs: Vec<Lock<Arc<Dir>>>,
    /// The ignore rules from above each mount at the last check, by index.
    rules: Vec<Lock<Option<Arc<OuterRules>>>>,
    /// The watch of each mount, by index.
    systems: Vec<System>,
    noticed: Arc<NoticedChanges>,
    /// Whether a visible directory is not watched.
    is_limited: watch::Sender<bool>,
}

/// A directory, with its path in the mount and its URI.
struct At {
    root: usize,
    place: Rc<Place>,
    path: PathBuf,
    uri: String,
    /// The URI of the only served file, if the mount is a single file.
    file: Option<String>,
}

impl At {
    fn inner(&self, name: &OsStr, place: Rc<Place>) -> Self {
        Self {
            root: self.root,
            place,
            path: self.path.join(name),
            uri: uri::child(&self.uri, name),
            file: None,
        }
    }

    /// The URI of an entry.
    fn child(&self, name: &OsStr) -> String {
        let file = self.file.clone();
        file.unwrap_or_else(|| uri::child(&self.uri, name))
    }
}

impl WatchedMounts {
    /// Waits until a change is noticed, and then for others that follow soon.
    async fn gather(&self) {
        let running = self
            .systems
            .iter()
            .map(|system| Box::pin(system.run(&self.noticed)));
        let mut running = future::select_all(running);
        tokio::select! {
            biased;
            () = self.noticed.some() => {
                if let Ok((Err(error), ..)) = timeout(GATHERED, &mut running).await {
                    self.broken(&error).await;
                }
            }
            (Err(error), ..) = &mut running => self.broken(&error).await,
            () = tokio::time::sleep(PAUSE) => {}
        }
    }

    /// Logs the failure of a watch, and marks that changes may have been missed.
    async fn broken(&self, error: &std::io::Error) {
        tracing::warn!(%error, "can't read file changes");
        self.noticed.miss();
        tokio::time::sleep(PAUSE).await;
    }

    /// Starts to watch everything visible. Changes since `since` were not watched yet, so they are
    /// looked for.
    fn begin(&self, since: SystemTime, waiter: &Waiter) -> Result<Changes, StoreError> {
        let mut changes = Changes::default();
        self.look_above(waiter, &mut changes)?;
        for index in 0..self.systems.len() {
            if let Some(at) = self.root(index, waiter) {
                self.watch(&at, Some(since), &mut changes)?;
            }
        }
        Ok(changes)
    }

    /// Looks at the noticed changes.
    fn look(&self, waiter: &Waiter) -> Result<Changes, StoreError> {
        let batch = self.noticed.take();
        let mut changes = Changes::default();
        self.look_at_roots(waiter, &mut changes)?;
        self.look_above(waiter, &mut changes)?;
        if batch.is_incomplete {
            // New directories may not be watched yet.
            self.again(waiter, &mut changes)?;
        }
        for at in batch
            .roots
            .iter()
            .filter_map(|root| self.root(*root, waiter))
        {
            if at.file.is_none() {
                changes.resource(at.uri);
            }
        }
        // The batch has each directory after its parent.
        let mut moved = BTreeSet::new();
        for ((root, path), names) in batch.directories {
            // Changes in a moved directory may belong to the one that was there before, which may
            // be anywhere now. The whole tree is reported instead.
            let mut above = path.ancestors();
            if above.any(|path| moved.contains(&(root, path.to_owned()))) {
                continue;
            }
            let others = names
                .iter()
                .filter(|(_, what)| **what != NameChange::Changed);
            moved.extend(others.map(|(name, _)| (root, path.join(name))));
            if let Some(at) = self.find(root, &path, waiter)? {
                self.look_at(&at, names, &mut changes)?;
            }
        }
        Ok(changes)
    }

    /// Watches mounts whose directory was removed and replaced.
    fn look_at_roots(&self, waiter: &Waiter, changes: &mut Changes) -> Result<(), StoreError> {
        for (index, (root, watched)) in self.mounts.roots.iter().zip(&self.dirs).enumerate() {
            let dir = root.dir();
            let before = std::mem::replace(&mut *watched.lock(), Arc::clone(&dir));
            if Arc::ptr_eq(&before, &dir) {
                continue;
            }
            if let Some(system) = self.systems.get(index) {
                system.forget(Path::new(""));
            }
            changes.listing();
            changes.tree(&*root.uri);
            if let Some(at) = self.root(index, waiter) {
                self.watch(&at, None, changes)?;
            }
        }
        Ok(())
    }

    /// Watches mounts again if the rules from above have changed.
    fn look_above(&self, waiter: &Waiter, changes: &mut Changes) -> Result<(), StoreError> {
        for (index, (root, seen)) in self.mounts.roots.iter().zip(&self.rules).enumerate() {
            let Some(above) = root.shown(&self.mounts.shown).above else {
                continue;
            };
            let rules = above.get()?;
            let before = seen.lock().replace(Arc::clone(&rules));
            if before.is_none_or(|before| Arc::ptr_eq(&before, &rules)) {
                continue;
            }
            changes.listing();
            changes.tree(&*root.uri);
            if let Some(at) = self.root(index, waiter) {
                self.watch(&at, None, changes)?;
            }
        }
        Ok(())
    }

    fn again(&self, waiter: &Waiter, changes: &mut Changes) -> Result<(), StoreError> {
        changes.everything();
        for index in 0..self.systems.len() {
            if let Some(at) = self.root(index, waiter) {
                self.watch(&at, None, changes)?;
            }
        }
        Ok(())
    }

    fn root(&self, index: usize, waiter: &Waiter) -> Option<At> {
        let root = self.mounts.roots.get(index)?;
        Some(At {
            root: index,
            place: self.mounts.place(root, waiter),
            path: PathBuf::new(),
            uri: match &root.file {
                Some(_) => uri::ROOT.to_owned(),
                None => root.uri.clone(),
            },
            file: root.file.as_ref().map(|_| root.uri.clone()),
        })
    }

    /// The directory at `path`; `None` if it doesn't exist, is not visible, or a link leads there.
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
        names: BTreeMap<OsString, NameChange>,
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
        what: NameChange,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        let uri = at.child(name);
        let found = walk::usable(&uri, at.place.open(&[name.to_owned()]))?;
        if what != NameChange::Changed
            && let Some(system) = self.systems.get(at.root)
        {
            // The entry that had this name before may be outside of the mount now.
            system.forget(&at.path.join(name));
        }
        let verdict = verdict(at, name, what, found.as_ref())?;
        if verdict == Verdict::Nothing || found.is_none() && at.place.withholds(name) {
            return Ok(());
        }
        // Reading a directory returns its files, so the directory has changed too.
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
            Some(OpenEntry::Directory(place)) if place.is_child(&at.place, name) => {
                self.watch(&at.inner(name, place), None, changes)
            }
            Some(_) | None => Ok(()),
        }
    }
}
