//! Watches a mount on Linux: each directory through its handle, so that no path is looked up and no
//! other directory can be watched in its place. Events wait in the kernel until they are read.

use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::io;
use std::ops::Bound;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};

use cap_std::fs::FileType;
use futures_util::StreamExt;
use inotify::{EventMask, EventOwned, EventStream, Inotify, WatchDescriptor, WatchMask, Watches};

use super::At;
use super::noticed::{NameChange, NoticedChanges};
use crate::lock::Lock;
use crate::mount::Root;

/// The events to watch. Opening and reading are not among them, because every reader would cause
/// events, including this store.
const MASK: WatchMask = WatchMask::ATTRIB
    .union(WatchMask::CREATE)
    .union(WatchMask::DELETE)
    .union(WatchMask::MODIFY)
    .union(WatchMask::MOVED_FROM)
    .union(WatchMask::MOVED_TO)
    .union(WatchMask::ONLYDIR);

/// The events that add or remove a name.
const MOVES: EventMask = EventMask::CREATE
    .union(EventMask::DELETE)
    .union(EventMask::MOVED_FROM)
    .union(EventMask::MOVED_TO);

/// The bytes of events read at a time.
const CHUNK: usize = 16 << 10;

/// The inotify watch of one mount.
pub(super) struct InotifySystem {
    root: usize,
    watches: Watches,
    table: Lock<WatchTable>,
    /// Becomes a stream on first use, because a stream needs a runtime.
    source: tokio::sync::Mutex<Events>,
}

enum Events {
    Idle(Option<Inotify>),
    Read(EventStream<Vec<u8>>),
}

/// The watched directories, by their paths in the mount.
#[derive(Default)]
struct WatchTable {
    paths: HashMap<WatchDescriptor, PathBuf>,
    watches: BTreeMap<PathBuf, WatchDescriptor>,
}

impl InotifySystem {
    /// Whether each directory needs a watch of its own.
    pub(super) const EACH_DIRECTORY: bool = true;

    pub(super) fn new(
        index: usize,
        _: &Root,
        _: &std::sync::Arc<NoticedChanges>,
    ) -> io::Result<Self> {
        let inotify = Inotify::init()?;
        Ok(Self {
            root: index,
            watches: inotify.watches(),
            table: Lock::default(),
            source: tokio::sync::Mutex::new(Events::Idle(Some(inotify))),
        })
    }

    /// Watches a directory.
    pub(super) fn watch(&self, at: &At) -> io::Result<()> {
        // The dot at the end makes the kernel follow the link in `/proc`.
        let handle = format!("/proc/self/fd/{}/.", at.place.dir().as_raw_fd());
        // The kernel returns the same descriptor for the same directory, so the table is locked
        // around both calls.
        let mut table = self.table.lock();
        let watch = self.watches.clone().add(handle, MASK)?;
        table.insert(watch, &at.path);
        Ok(())
    }

    /// Stops watching the directory that was at `path`, and everything below it, because it may be
    /// anywhere now.
    pub(super) fn forget(&self, path: &Path) {
        for watch in self.table.lock().remove(path) {
            // Fails if the directory was removed, because the kernel has ended its watch.
            let _gone = self.watches.clone().remove(watch);
        }
    }

    /// Collects the events while this future is polled.
    pub(super) async fn run(&self, noticed: &NoticedChanges) -> io::Result<Infallible> {
        let mut source = self.source.lock().await;
        if let Events::Idle(inotify) = &mut *source {
            let inotify = inotify.take().ok_or(io::ErrorKind::NotConnected)?;
            *source = Events::Read(inotify.into_event_stream(vec![0; CHUNK])?);
        }
        let Events::Read(events) = &mut *source else {
            return Err(io::ErrorKind::NotConnected.into());
        };
        loop {
            match events.next().await {
                Some(Ok(event)) => self.take_in(event, noticed),
                Some(Err(error)) => return Err(error),
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
    }

    fn take_in(&self, event: EventOwned, noticed: &NoticedChanges) {
        if event.mask.contains(EventMask::Q_OVERFLOW) {
            return noticed.miss();
        }
        let mut table = self.table.lock();
        if event.mask.contains(EventMask::IGNORED) {
            return table.end(&event.wd);
        }
        // Events of a directory that is no longer watched may still be queued.
        let Some(directory) = table.paths.get(&event.wd) else {
            return;
        };
        let what = if event.mask.intersects(MOVES) {
            let is_directory = event.mask.contains(EventMask::ISDIR);
            NameChange::Moved(Some(match is_directory {
                true => FileType::dir(),
                false => FileType::file(),
            }))
        } else {
            NameChange::Changed
        };
        match event.name {
            Some(name) => noticed.add(self.root, &directory.join(name), what),
            None => noticed.add(self.root, directory, what),
        }
    }
}

impl WatchTable {
    /// Adds a watch. A directory that is watched already may have a new path.
    fn insert(&mut self, watch: WatchDescriptor, path: &Path) {
        if let Some(before) = self.paths.insert(watch.clone(), path.to_owned())
            && before != path
        {
            self.watches.remove(&before);
        }
        if let Some(before) = self.watches.insert(path.to_owned(), watch.clone())
            && before != watch
        {
            self.paths.remove(&before);
        }
    }

    fn remove(&mut self, path: &Path) -> Vec<WatchDescriptor> {
        let below = self
            .watches
            .range::<Path, _>((Bound::Included(path), Bound::Unbounded));
        let below = below.take_while(|(other, _)| other.starts_with(path));
        let below: Vec<_> = below
            .map(|(path, watch)| (path.clone(), watch.clone()))
            .collect();
        let ended = below.into_iter().map(|(path, watch)| {
            self.watches.remove(&path);
            self.paths.remove(&watch);
            watch
        });
        ended.collect()
    }

    /// Removes a watch that the kernel has ended.
    fn end(&mut self, watch: &WatchDescriptor) {
        if let Some(path) = self.paths.remove(watch)
            && self.watches.get(&path) == Some(watch)
        {
            self.watches.remove(&path);
        }
    }
}
