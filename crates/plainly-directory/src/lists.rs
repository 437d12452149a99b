//! Lists of all names in a directory, cached by a store for a while. A list is only valid as long
//! as the directory's times are unchanged. Knows nothing of hidden names.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{DirEntry, FileType, Metadata};
use plainly::store::StoreError;

use super::handle;
use super::lock::Lock;
use super::uri;

/// The most bytes of all lists that one store keeps: a million names or so.
const KEPT_BYTES: usize = 32 << 20;

/// The time that a list is cached. File systems of other machines may not report changes at once.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// The least time since the last change of a directory: within less, another change may bear the
/// same time.
pub(super) const SETTLED: Duration = Duration::from_secs(2);

/// The names of a directory that is read as fast as a list of it would be found.
pub(super) const SMALL: usize = 2048;

/// A directory as it was at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Version {
    device: u64,
    inode: u64,
    /// The time of the last change.
    changed: Option<SystemTime>,
}

impl Version {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            changed: handle::changed(metadata),
        }
    }

    /// Whether any later change will have another time.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        self.changed
            .and_then(|changed| now.duration_since(changed).ok())
            .is_some_and(|age| age >= SETTLED)
    }
}

/// All names in a directory, shown or not, in order.
#[derive(Debug, Default)]
pub(super) struct List {
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
    /// Reads the names in a directory; `None` if there are too many.
    pub(super) fn read(
        entries: impl Iterator<Item = Result<DirEntry, StoreError>>,
    ) -> Result<Option<Self>, StoreError> {
        let mut list = Self::default();
        for entry in entries {
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
        let Self { bytes, names } = &mut list;
        names.sort_unstable_by_key(|name| text(bytes, *name));
        list.bytes.shrink_to_fit();
        list.names.shrink_to_fit();
        Ok(Some(list))
    }

    /// The names after `after`, and the kind of each as far as it is known.
    pub(super) fn after(
        &self,
        after: &OsStr,
    ) -> impl Iterator<Item = (OsString, Option<FileType>)> {
        let after = after.as_encoded_bytes();
        let start = self
            .names
            .partition_point(|name| text(&self.bytes, *name) <= after);
        let names = self.names.get(start..).unwrap_or_default();
        names.iter().filter_map(|name| {
            let text = uri::from_bytes(text(&self.bytes, *name).to_vec())?;
            Some((text, name.kind))
        })
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
pub(super) struct Lists(Lock<VecDeque<CachedListing>>);

#[derive(Debug)]
struct CachedListing {
    version: Version,
    since: Instant,
    /// `None`: it is known to be too large.
    list: Option<Arc<List>>,
}

impl CachedListing {
    fn size(&self) -> usize {
        let list = self.list.as_ref().map_or(0, |list| list.size());
        size_of::<Self>() + list
    }
}

impl Lists {
    /// The list of this version, if it is kept. `Some(None)`: it is known to be too large.
    pub(super) fn find(&self, version: Version) -> Option<Option<Arc<List>>> {
        let mut kept = self.0.lock();
        kept.retain(|kept| kept.since.elapsed() < KEPT_FOR);
        let found = kept.iter().find(|kept| kept.version == version)?;
        Some(found.list.clone())
    }

    /// Keeps a list in place of others of that directory, and of the oldest ones if there are too many.
    pub(super) fn keep(&self, version: Version, list: Option<Arc<List>>) {
        // Read again as fast as it would be found.
        if list.as_ref().is_some_and(|list| list.names.len() <= SMALL) {
            return;
        }
        let mut kept = self.0.lock();
        kept.retain(|kept| {
            (kept.version.device, kept.version.inode) != (version.device, version.inode)
        });
        kept.push_front(CachedListing {
            version,
            since: Instant::now(),
            list,
        });
        // The newest come first, so what no longer fits is the oldest.
        let mut size = 0;
        kept.retain(|kept| {
            size += kept.size();
            size <= KEPT_BYTES
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_much_is_kept() {
        let lists = Lists::default();
        let version = |inode, age| Version {
            device: 1,
            inode,
            changed: Some(SystemTime::UNIX_EPOCH + Duration::from_secs(age)),
        };
        let list = |bytes: usize| {
            let name = Name {
                start: 0,
                length: 1,
                kind: None,
            };
            Arc::new(List {
                bytes: vec![b'x'; bytes],
                names: vec![name; SMALL + 1],
            })
        };
        let kept = |asked: &[(u64, u64)]| {
            let is_kept = |(inode, age): &(u64, u64)| lists.find(version(*inode, *age)).is_some();
            asked.iter().map(is_kept).collect::<Vec<_>>()
        };
        let all = [(1, 0), (1, 9), (2, 0), (3, 0), (4, 0)];
        let half = KEPT_BYTES / 2;
        lists.keep(version(1, 0), Some(list(half)));
        lists.keep(version(1, 9), Some(list(half / 2)));
        assert_eq!(kept(&all), [false, true, false, false, false]);
        lists.keep(version(2, 0), Some(list(half / 2)));
        lists.keep(version(3, 0), None);
        assert_eq!(kept(&all), [false, true, true, true, false]);
        lists.keep(version(4, 0), Some(list(half)));
        assert_eq!(kept(&all), [false, false, true, true, true]);
        assert!(lists.find(version(3, 0)).unwrap().is_none());
        // A small one is read as fast as found.
        lists.keep(version(5, 0), Some(Arc::new(List::default())));
        assert_eq!(kept(&[(5, 0)]), [false]);
    }
}
