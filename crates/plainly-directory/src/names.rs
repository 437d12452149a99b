//! The names in a directory, in order, in batches. The first batch is read from the directory, and
//! only its names are stored. Later batches come from a cached list of all names. Visibility is
//! checked each time.

use std::collections::BinaryHeap;
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::FileType;
use plainly::store::StoreError;

use super::lists::{List, SMALL, Version};
use super::place::Place;

/// The maximum number of names in a batch.
const BATCH: usize = SMALL;

/// The kinds of entries to return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kinds {
    All,
    /// Only entries that can be directories.
    Directories,
}

impl Kinds {
    fn has(self, kind: Option<FileType>) -> bool {
        let is_other = |kind: FileType| kind.is_file() || kind.is_symlink();
        self == Self::All || !kind.is_some_and(is_other)
    }
}

/// The first visible names in `place` after `after`, and whether there are more.
pub(super) fn next(
    place: &Place,
    after: Option<&OsStr>,
    kinds: Kinds,
) -> Result<(Vec<OsString>, bool), StoreError> {
    // Listing a large directory takes longer than finding its first names, and most callers want no
    // more.
    let Some(after) = after else {
        return smallest(place, None, kinds);
    };
    match list(place, SystemTime::now())? {
        Some(list) => shown(place, &list, after, kinds),
        None => smallest(place, Some(after), kinds),
    }
}

/// All names in `place`; `None` if it changes too often to cache them, or is too large.
fn list(place: &Place, now: SystemTime) -> Result<Option<Arc<List>>, StoreError> {
    let version = Version::of(&place.metadata()?);
    if let Some(list) = place.lists().find(version) {
        return Ok(list);
    }
    if !version.is_settled(now) {
        return Ok(None);
    }
    let list = List::read(place.entries()?)?.map(Arc::new);
    // A name that came or went during the read may be missing or included.
    if Version::of(&place.metadata()?) != version {
        return Ok(None);
    }
    place.lists().keep(version, list.clone());
    Ok(list)
}

/// The first visible names of a list after `after`, and whether there are more.
fn shown(
    place: &Place,
    list: &List,
    after: &OsStr,
    kinds: Kinds,
) -> Result<(Vec<OsString>, bool), StoreError> {
    let mut batch = Vec::new();
    for (name, kind) in list.after(after) {
        place.check()?;
        if !kinds.has(kind) || !place.shows(&name, kind)? {
            continue;
        }
        if batch.len() == BATCH {
            return Ok((batch, true));
        }
        batch.push(name);
    }
    Ok((batch, false))
}

/// The first visible names after `after`, and whether there are more. Stores only one batch,
/// however large the directory is.
fn smallest(
    place: &Place,
    after: Option<&OsStr>,
    kinds: Kinds,
) -> Result<(Vec<OsString>, bool), StoreError> {
    let mut more = false;
    let mut names = BinaryHeap::new();
    for entry in place.entries()? {
        let entry = entry?;
        // If the kind is unknown, opening the entry reports why.
        let kind = entry.file_type().ok();
        let name = entry.file_name();
        if after.is_some_and(|after| *name <= *after) || !kinds.has(kind) {
            continue;
        }
        // The name can't be among the first, so its visibility need not be checked.
        if names.len() == BATCH && names.peek().is_some_and(|largest| name > *largest) {
            more = true;
            continue;
        }
        if !place.shows(&name, kind)? {
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

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::rc::Rc;
    use std::time::Duration;

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;
    use tempfile::TempDir;

    use super::*;
    use crate::job::{Waiter, Waits};
    use crate::lists::{Lists, SETTLED};
    use crate::place::VisibleNames;

    /// The number of names, more than one batch of which is visible: every third name is hidden,
    /// and every seventh of the others ignored.
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
                // The names are not created in order.
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
        Place::root(Arc::new(dir), VisibleNames::default(), lists, waiter)
    }

    #[test]
    fn a_list_gives_the_names_that_reading_gives() {
        let fixture = Fixture::new();
        let list = fixture.list(SETTLED).unwrap();
        let (first, more) = smallest(&fixture.place, None, Kinds::All).unwrap();
        assert!(more && first.len() == BATCH);
        assert_eq!(
            next(&fixture.place, None, Kinds::All).unwrap(),
            (first.clone(), true)
        );
        let between = OsString::from("05");
        let ends = ["", "zzz"].map(OsString::from);
        for after in first.iter().step_by(100).chain([&between]).chain(&ends) {
            let read = smallest(&fixture.place, Some(after), Kinds::All).unwrap();
            assert_eq!(
                shown(&fixture.place, &list, after, Kinds::All).unwrap(),
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
            let (names, _) = next(&fixture.place, Some(last), Kinds::All).unwrap();
            let is_there = names.iter().any(|name| name == "99999.txt");
            assert_eq!(is_there, change == "added");
            assert!(fixture.list(SETTLED).is_some());
        }
        // Rules may change while the directory doesn't, so they are checked each time.
        fs::write(fixture.around.path().join(".ignore"), "*\n").unwrap();
        let (waits, waiter) = Waiter::until_dropped();
        let fresh = place(fixture.around.path(), Arc::default(), waiter);
        let list = fixture.list(SETTLED).unwrap();
        let (names, more) = shown(&fresh, &list, last, Kinds::All).unwrap();
        assert!(names.is_empty() && !more, "{names:?}");
        drop(waits);
    }
}
