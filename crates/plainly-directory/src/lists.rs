//! Lists of all names in a directory, which a store caches for a while. A list is valid only while
//! the directory's times are unchanged. Hidden names are included.

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

/// The maximum size of all cached lists of one store: about a million names.
const KEPT_BYTES: usize = 32 << 20;

/// The time that a list is cached. Network file systems may report changes late.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// The minimum age of a directory's last change. A later change within this time may have the same
/// time.
pub(super) const SETTLED: Duration = Duration::from_secs(2);

/// The size of a directory that is read as fast as its cached list is found.
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

    /// Whether any later change will have a different time.
    pub(super) fn is_settled(&self, now: SystemTime) -> bool {
        self.changed
            .and_then(|changed| now.duration_since(changed).ok())
            .is_some_and(|age| age >= SETTLED)
    }
}

/// All names in a directory, visible or not, in order.
#[derive(Debug, Default)]
pub(super) struct List {
    /// All names, one after the other.
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

/// The lists that a store caches, newest first.
#[derive(Debug, Default)]
pub(super) struct Lists(Lock<VecDeque<CachedListing>>);

#[derive(Debug)]
struct CachedListing {
    version: Version,
    since: Instant,
    /// `None` if the directory is known to be too large.
    list: Option<Arc<List>>,
}

impl CachedListing {
    fn size(&self) -> usize {
        let list = self.list.as_ref().map_or(0, |list| list.size());
        size_of::<Self>() + list
    }
}

impl Lists {
    /// The list of this version, if it is cached. `Some(None)` means that the directory is known to
    /// be too large.
    pub(super) fn find(&self, version: Version) -> Option<Option<Arc<List>>> {
        let mut kept = self.0.lock();
        kept.retain(|kept| kept.since.elapsed() < KEPT_FOR);
        let found = kept.iter().find(|kept| kept.version == version)?;
        Some(found.list.clone())
    }

    /// Caches a list. It replaces other lists of that directory, and the oldest ones if the cache
    /// is full.
    pub(super) fn keep(&self, version: Version, list: Option<Arc<List>>) {
        // A small directory is read as fast as its list would be found.
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
        // The newest lists come first, so lists that no longer fit are the oldest.
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
        // A small directory is not cached.
        lists.keep(version(5, 0), Some(Arc::new(List::default())));
        assert_eq!(kept(&[(5, 0)]), [false]);
    }
}
