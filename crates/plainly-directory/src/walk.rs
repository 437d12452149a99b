//! Lists entries in the byte order of names: of one directory, of everything below it with each
//! directory before its contents, or only of what is below its own directories. Stores only the
//! next names of each open directory, however large it is, and can start after any position,
//! whether or not the entry there still exists. Unreadable entries are left out; the listing fails
//! only if the directory itself can't be read.

use std::convert::Infallible;
use std::ffi::{OsStr, OsString};
use std::rc::Rc;
use std::vec;

use plainly::store::StoreError;

use super::handle;
use super::names::{self, Kinds};
use super::place::{OpenEntry, Place};
use super::uri;

/// A walk through a listing, entry by entry.
#[derive(Debug)]
pub(super) struct Walk {
    /// The directories that are being listed, each in the one before it.
    levels: Vec<Level>,
    scope: Scope,
}

/// The entries of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// The entries of the directory itself.
    Children,
    /// Also the entries of the directories below it.
    Below,
    /// Only the entries of the directories below it.
    Deeper,
}

/// A resource in a listing.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) uri: String,
    pub(super) name: OsString,
    pub(super) opened: OpenEntry,
}

/// One step of a walk.
#[cfg_attr(
    unix,
    expect(
        clippy::large_enum_variant,
        reason = "a step is taken apart at once, and a box would be one allocation for each entry"
    )
)]
pub(super) enum WalkStep<T> {
    Entry(Entry),
    /// A URI for which the caller already knows something, so the entry was not opened.
    #[cfg_attr(
        not(feature = "tools"),
        expect(dead_code, reason = "only a search knows something")
    )]
    Known(String, T),
}

/// A function that returns what the caller knows about a name in a directory, given its URI.
pub(super) type KnownEntries<'a, T> = &'a mut dyn FnMut(&Place, &str, &OsStr) -> Option<T>;

impl Walk {
    /// Lists the entries of `place` itself, after the name `after`.
    pub(super) fn children(
        place: Rc<Place>,
        uri: String,
        after: Option<OsString>,
    ) -> Result<Self, StoreError> {
        let mut walk = Self::direct(place, uri, after);
        // An unreadable directory is an error at once, not an empty listing.
        if let Some(level) = walk.levels.last_mut() {
            level.fill()?;
        }
        Ok(walk)
    }

    /// Lists the entries of `place` as a part of a longer listing: none if it has gone.
    pub(super) fn direct(place: Rc<Place>, uri: String, after: Option<OsString>) -> Self {
        Self {
            levels: vec![Level::new(place, uri, after, Kinds::All)],
            scope: Scope::Children,
        }
    }

    /// Lists everything below `place`, after the position `after`. Links to directories are listed
    /// but not descended into, so there are no loops, and no entry is listed more than once.
    pub(super) fn below(
        place: Rc<Place>,
        uri: String,
        after: &[OsString],
    ) -> Result<Self, StoreError> {
        Self::descend(place, uri, after, Scope::Below)
    }

    /// Lists everything below the directories in `place`, but not their own entries in `place`,
    /// after the position `after`.
    pub(super) fn deeper(
        place: Rc<Place>,
        uri: String,
        after: &[OsString],
    ) -> Result<Self, StoreError> {
        Self::descend(place, uri, after, Scope::Deeper)
    }

    fn descend(
        place: Rc<Place>,
        uri: String,
        after: &[OsString],
        scope: Scope,
    ) -> Result<Self, StoreError> {
        let mut levels = Vec::new();
        let mut kinds = match scope {
            Scope::Children => Kinds::All,
            Scope::Below => Kinds::All,
            Scope::Deeper => Kinds::Directories,
        };
        let mut at = Some((place, uri));
        for (index, name) in after.iter().enumerate() {
            let Some((place, uri)) = at.take() else { break };
            let inner_uri = uri::child(&uri, name);
            let inner = place.descend(name);
            // A partly listed directory can't be left out, because the rest of it would be missing
            // without an error.
            let is_begun = index + 1 < after.len();
            let inner = if is_begun {
                inner?
            } else {
                usable(&inner_uri, inner)?.flatten()
            };
            at = inner.map(|inner| (inner, inner_uri));
            levels.push(Level::new(place, uri, Some(name.clone()), kinds));
            kinds = Kinds::All;
        }
        levels.extend(at.map(|(place, uri)| Level::new(place, uri, None, kinds)));
        Ok(Self { levels, scope })
    }

    /// Skips the contents of the directory that was the last entry.
    #[cfg(feature = "tools")]
    pub(super) fn leave(&mut self, entry: &Entry) {
        let is_entered = self
            .levels
            .last()
            .is_some_and(|level| level.uri == entry.uri);
        if is_entered && self.levels.len() > 1 {
            self.levels.pop();
        }
    }

    /// The next entry; `None` at the end. Entries that vanished meanwhile are left out.
    pub(super) fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        let step = self.step(&mut |_, _, _| None::<Infallible>)?;
        Ok(step.map(|step| match step {
            WalkStep::Entry(entry) => entry,
            WalkStep::Known(_, never) => match never {},
        }))
    }

    /// The next entry, as in [`next`](Self::next). First asks `known` about each name in a
    /// directory, and doesn't open an entry that is known.
    pub(super) fn step<T>(
        &mut self,
        known: KnownEntries<'_, T>,
    ) -> Result<Option<WalkStep<T>>, StoreError> {
        loop {
            let is_inner = self.levels.len() > 1;
            let Some(level) = self.levels.last_mut() else {
                return Ok(None);
            };
            // An unreadable inner directory is left out, because its own entry is in the listing
            // already. A directory that was partly listed isn't.
            let can_be_left_out = is_inner && level.after.is_none();
            let step = match level.next(known) {
                Err(error) if can_be_left_out => usable(&level.uri, Err(error))?,
                Err(StoreError::NotFound) => None,
                step => step?,
            };
            let Some(step) = step else {
                self.levels.pop();
                continue;
            };
            if let WalkStep::Entry(entry) = &step
                && self.scope != Scope::Children
                && let OpenEntry::Directory(place) = &entry.opened
                && place.is_child(&level.place, &entry.name)
            {
                let inner = Level::new(Rc::clone(place), entry.uri.clone(), None, Kinds::All);
                self.levels.push(inner);
            }
            if is_inner || self.scope != Scope::Deeper {
                return Ok(Some(step));
            }
        }
    }
}

/// A directory that is being listed.
#[derive(Debug)]
struct Level {
    place: Rc<Place>,
    uri: String,
    /// The next names, in order.
    names: vec::IntoIter<OsString>,
    /// The last name that was read from the directory.
    after: Option<OsString>,
    /// Whether the directory may have more names after these.
    more: bool,
    kinds: Kinds,
}

impl Level {
    fn new(place: Rc<Place>, uri: String, after: Option<OsString>, kinds: Kinds) -> Self {
        Self {
            place,
            uri,
            kinds,
            names: Vec::new().into_iter(),
            after,
            more: true,
        }
    }

    fn next<T>(&mut self, known: KnownEntries<'_, T>) -> Result<Option<WalkStep<T>>, StoreError> {
        loop {
            let Some(name) = self.names.next() else {
                if !self.more {
                    return Ok(None);
                }
                self.fill()?;
                continue;
            };
            let uri = uri::child(&self.uri, &name);
            if let Some(known) = known(&self.place, &uri, &name) {
                return Ok(Some(WalkStep::Known(uri, known)));
            }
            if let Some(opened) = usable(&uri, self.place.open_listed(&name))? {
                return Ok(Some(WalkStep::Entry(Entry { uri, name, opened })));
            }
        }
    }

    fn fill(&mut self) -> Result<(), StoreError> {
        let (names, more) = names::next(&self.place, self.after.as_deref(), self.kinds)?;
        self.more = more;
        self.after = names.last().cloned().or(self.after.take());
        self.names = names.into_iter();
        Ok(())
    }
}

/// Returns the result for `uri`; `None` if the entry is missing, or, with a warning, if only this
/// entry can't be read.
pub(super) fn usable<T>(uri: &str, found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::NotFound) => Ok(None),
        Err(StoreError::Failed(cause)) if handle::is_of_one(&*cause) => {
            tracing::warn!(uri, error = %cause, "omitted from a listing: it can't be read");
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;

    use super::*;
    use crate::job::Waiter;
    use crate::place::VisibleNames;

    #[test]
    fn nothing_is_listed_for_who_has_gone() {
        let around = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::write(around.path().join(name), "").unwrap();
        }
        let dir = Dir::open_ambient_dir(around.path(), ambient_authority()).unwrap();
        let (waits, waiter) = Waiter::until_dropped();
        let place = Place::root(
            Arc::new(dir),
            VisibleNames::default(),
            Arc::default(),
            waiter,
        );
        let uri = "file:///d".to_owned();
        let mut begun = Walk::children(Rc::clone(&place), uri.clone(), None).unwrap();
        assert_eq!(begun.next().unwrap().unwrap().name, "a");
        drop(waits);
        assert!(matches!(begun.next(), Err(StoreError::Failed(_))));
        assert!(names::next(&place, None, Kinds::All).is_err());
        assert!(Walk::below(place, uri, &[]).unwrap().next().is_err());
    }
}
