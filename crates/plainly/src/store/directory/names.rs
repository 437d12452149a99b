//! The names in a directory, in order, a batch at a time. For the first batch the directory is read and only that much of it
//! is kept; who asks for more gets it out of a list of all its names, which the store keeps for a while. A list is only good
//! as long as the directory says that it hasn't changed, and whether a name may be shown is asked each time.

use std::collections::{BinaryHeap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{FileType, Metadata};

use super::handle;
use super::place::Place;
use super::uri;
use crate::store::StoreError;

/// The most names of one directory that are given at a time.
const BATCH: usize = 2048;

/// The most bytes of all lists that one store keeps: a million names or so.
const KEPT_BYTES: usize = 32 << 20;

/// How long a list is kept. File systems of other machines may not say at once what has changed.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// How long ago a directory must have changed last: within less, another change may bear the same time.
const SETTLED: Duration = Duration::from_secs(2);

/// The first names in `place` after `after` that may be shown, and whether there are more.
pub(super) fn next(
    place: &Place,
    after: Option<&OsStr>,
) -> Result<(Vec<OsString>, bool), StoreError> {
    // A list of a large directory takes longer than its first names, and most who list it want no more.
    let Some(after) = after else {
        return smallest(place, None);
    };
    match list(place)? {
        Some(list) => list.after(place, after),
        None => smallest(place, Some(after)),
    }
}

/// A list of all that is in `place` now; `None` if it changes too often to keep one, or is too large.
fn list(place: &Place) -> Result<Option<Arc<List>>, StoreError> {
    let version = Version::of(&place.metadata()?);
    if let Some(list) = place.lists().find(version) {
        return Ok(list);
    }
    if !version.is_settled(SystemTime::now()) {
        return Ok(None);
    }
    let list = List::read(place)?.map(Arc::new);
    // What changed while it was read may be in it or not.
    if Version::of(&place.metadata()?) != version {
        return Ok(None);
    }
    place.lists().keep(version, list.clone());
    Ok(list)
}

/// The first names after `after` that may be shown, and whether there are more; however large the directory is, no more are
/// kept.
fn smallest(place: &Place, after: Option<&OsStr>) -> Result<(Vec<OsString>, bool), StoreError> {
    let mut more = false;
    let mut names = BinaryHeap::new();
    for entry in place.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        if after.is_some_and(|after| *name <= *after) {
            continue;
        }
        if names.len() == BATCH && names.peek().is_some_and(|largest| name > *largest) {
            more = true;
            continue;
        }
        // Where its kind can't be told, opening it says why.
        if !place.shows(&name, entry.file_type().ok())? {
            continue;
        }
        names.push(name);
        if names.len() > BATCH {
            names.pop();
            more = true;
        }
    }
    Ok((names.into_sorted_vec(), more))
}

/// A directory as it was at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version {
    device: u64,
    inode: u64,
    /// When anything about it changed last.
    changed: Option<SystemTime>,
}

impl Version {
    fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            changed: handle::changed(metadata),
        }
    }

    /// Whether any later change can be told from the one before.
    fn is_settled(&self, now: SystemTime) -> bool {
        self.changed
            .and_then(|changed| now.duration_since(changed).ok())
            .is_some_and(|age| age >= SETTLED)
    }
}

/// All names in a directory, shown or not, in order.
#[derive(Debug, Default)]
struct List {
    /// One name after the other.
    bytes: Vec<u8>,
    names: Vec<Name>,
}

#[derive(Clone, Copy, Debug)]
struct Name {
    start: u32,
    length: u16,
    kind: Option<FileType>,
}

impl List {
    /// `None`: it is too large.
    fn read(place: &Place) -> Result<Option<Self>, StoreError> {
        let mut list = Self::default();
        for entry in place.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let name = name.as_encoded_bytes();
            let (Ok(start), Ok(length)) = (list.bytes.len().try_into(), name.len().try_into())
            else {
                return Ok(None);
            };
            let kind = entry.file_type().ok();
            list.bytes.extend_from_slice(name);
            list.names.push(Name {
                start,
                length,
                kind,
            });
            if list.size() > KEPT_BYTES {
                return Ok(None);
            }
        }
        let List { bytes, names } = &mut list;
        names.sort_unstable_by_key(|name| text(bytes, *name));
        list.bytes.shrink_to_fit();
        list.names.shrink_to_fit();
        Ok(Some(list))
    }

    fn after(&self, place: &Place, after: &OsStr) -> Result<(Vec<OsString>, bool), StoreError> {
        let after = after.as_encoded_bytes();
        let start = self
            .names
            .partition_point(|name| text(&self.bytes, *name) <= after);
        let mut batch = Vec::new();
        for name in self.names.get(start..).unwrap_or_default() {
            place.check()?;
            let Some(text) = uri::from_bytes(text(&self.bytes, *name).to_vec()) else {
                continue;
            };
            if !place.shows(&text, name.kind)? {
                continue;
            }
            if batch.len() == BATCH {
                return Ok((batch, true));
            }
            batch.push(text);
        }
        Ok((batch, false))
    }

    fn size(&self) -> usize {
        self.bytes.len() + self.names.len() * size_of::<Name>()
    }
}

fn text(bytes: &[u8], name: Name) -> &[u8] {
    let start = name.start as usize;
    bytes
        .get(start..start + usize::from(name.length))
        .unwrap_or_default()
}

/// The lists that a store keeps, the last one first.
#[derive(Debug, Default)]
pub(super) struct Lists(Mutex<VecDeque<Kept>>);

#[derive(Debug)]
struct Kept {
    version: Version,
    since: Instant,
    /// `None`: it is known to be too large.
    list: Option<Arc<List>>,
}

impl Kept {
    fn size(&self) -> usize {
        let list = self.list.as_ref().map_or(0, |list| list.size());
        size_of::<Self>() + list
    }
}

impl Lists {
    /// What is kept of this version, if anything.
    fn find(&self, version: Version) -> Option<Option<Arc<List>>> {
        let mut kept = self.lock();
        kept.retain(|kept| kept.since.elapsed() < KEPT_FOR);
        let found = kept.iter().find(|kept| kept.version == version)?;
        Some(found.list.clone())
    }

    /// Keeps a list in place of others of that directory, and of the oldest ones if there are too many.
    fn keep(&self, version: Version, list: Option<Arc<List>>) {
        // Read again as fast as it would be found.
        if list.as_ref().is_some_and(|list| list.names.len() <= BATCH) {
            return;
        }
        let mut kept = self.lock();
        kept.retain(|kept| {
            (kept.version.device, kept.version.inode) != (version.device, version.inode)
        });
        kept.push_front(Kept {
            version,
            since: Instant::now(),
            list,
        });
        let mut size = 0;
        kept.retain(|kept| {
            size += kept.size();
            size <= KEPT_BYTES
        });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        // Nothing in here can panic between two states.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
