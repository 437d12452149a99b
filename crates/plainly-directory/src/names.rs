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
    match list(place, SystemTime::now())? {
        Some(list) => list.after(place, after),
        None => smallest(place, Some(after)),
    }
}

/// A list of all that is in `place` now; `None` if it changes too often to keep one, or is too large.
fn list(place: &Place, now: SystemTime) -> Result<Option<Arc<List>>, StoreError> {
    let version = Version::of(&place.metadata()?);
    if let Some(list) = place.lists().find(version) {
        return Ok(list);
    }
    if !version.is_settled(now) {
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
        let Self { bytes, names } = &mut list;
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::rc::Rc;

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;
    use tempfile::TempDir;

    use super::*;
    use crate::store::directory::job::{Waiter, Waits};
    use crate::store::directory::place::Shown;

    /// Of which more than come at a time are shown: every third is hidden, and every seventh of the others ignored.
    const NAMES: usize = 2 * BATCH;

    struct Fixture {
        around: TempDir,
        place: Rc<Place>,
        _waits: Arc<Waits>,
    }

    impl Fixture {
        fn new() -> Self {
            let around = tempfile::tempdir().unwrap();
            for number in 0..NAMES {
                let dot = if number % 3 == 0 { "." } else { "" };
                let ending = if number % 7 == 0 { "log" } else { "txt" };
                // Not in the order in which they are made.
                let name = format!("{dot}{:05}.{ending}", number * 7_919 % 100_003);
                File::create(around.path().join(name)).unwrap();
            }
            fs::write(around.path().join(".ignore"), "*.log\n").unwrap();
            let (waits, waiter) = Waiter::until_dropped();
            Self {
                place: place(around.path(), Arc::default(), waiter),
                around,
                _waits: waits,
            }
        }

        fn list(&self, in_how_long: Duration) -> Option<Arc<List>> {
            list(&self.place, SystemTime::now() + in_how_long).unwrap()
        }
    }

    fn place(path: &Path, lists: Arc<Lists>, waiter: Waiter) -> Rc<Place> {
        let dir = Dir::open_ambient_dir(path, ambient_authority()).unwrap();
        Place::root(Arc::new(dir), Shown::default(), lists, waiter)
    }

    #[test]
    fn a_list_gives_the_names_that_reading_gives() {
        let fixture = Fixture::new();
        let list = fixture.list(SETTLED).unwrap();
        let (first, more) = smallest(&fixture.place, None).unwrap();
        assert!(more && first.len() == BATCH);
        assert_eq!(next(&fixture.place, None).unwrap(), (first.clone(), true));
        let between = OsString::from("05");
        let ends = ["", "zzz"].map(OsString::from);
        for after in first.iter().step_by(100).chain([&between]).chain(&ends) {
            let read = smallest(&fixture.place, Some(after)).unwrap();
            assert_eq!(
                list.after(&fixture.place, after).unwrap(),
                read,
                "{after:?}"
            );
        }
        let shown = |name: &OsString| {
            let name = name.to_str().unwrap();
            !name.starts_with('.') && !name.ends_with("log")
        };
        assert!(first.iter().all(shown));
    }

    #[test]
    fn a_list_is_of_the_directory_as_it_is() {
        let fixture = Fixture::new();
        assert!(
            fixture.list(Duration::ZERO).is_none(),
            "it has just changed"
        );
        let list = fixture.list(SETTLED).unwrap();
        let again = fixture.list(Duration::ZERO).unwrap();
        assert!(Arc::ptr_eq(&list, &again), "it is kept");
        let last = OsStr::new("99");
        for change in ["added", "removed"] {
            let path = fixture.around.path().join("99999.txt");
            match change {
                "added" => drop(File::create(path).unwrap()),
                _ => fs::remove_file(path).unwrap(),
            }
            assert!(fixture.list(Duration::ZERO).is_none(), "{change}");
            let (names, _) = next(&fixture.place, Some(last)).unwrap();
            let is_there = names.iter().any(|name| name == "99999.txt");
            assert_eq!(is_there, change == "added");
            assert!(fixture.list(SETTLED).is_some());
        }
        // Rules may change without the directory; they are asked each time.
        fs::write(fixture.around.path().join(".ignore"), "*\n").unwrap();
        let (waits, waiter) = Waiter::until_dropped();
        let fresh = place(fixture.around.path(), Arc::default(), waiter);
        let (names, more) = fixture.list(SETTLED).unwrap().after(&fresh, last).unwrap();
        assert!(names.is_empty() && !more, "{names:?}");
        drop(waits);
    }

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
                names: vec![name; BATCH + 1],
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
