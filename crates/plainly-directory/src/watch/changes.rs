//! Changes that are reported together: each resource once, up to a limit, and the listing last.
//! Also interprets a changed name by the store's own walk.

use std::collections::BTreeSet;
use std::ffi::OsStr;

use cap_std::fs::FileType;
use plainly::store::{Change, StoreError};

use super::At;
use super::noticed::NameChange;
use crate::place::OpenEntry;

/// The maximum numbers of resources and trees in one report. Beyond them, the report is that
/// anything may have changed.
const MOST_RESOURCES: usize = 1024;
const MOST_TREES: usize = 64;

/// Changes that are reported together.
#[derive(Debug, Default)]
pub(super) struct Changes {
    resources: BTreeSet<String>,
    trees: BTreeSet<String>,
    is_listing: bool,
    is_everything: bool,
}

impl Changes {
    /// Records that the resource at `uri` changed.
    pub(super) fn resource(&mut self, uri: impl Into<String>) {
        self.resources.insert(uri.into());
        self.check();
    }

    /// Records that the resource at `uri` and everything below it may have changed.
    pub(super) fn tree(&mut self, uri: impl Into<String>) {
        self.trees.insert(uri.into());
        self.check();
    }

    /// Records that resources were added or removed.
    pub(super) fn listing(&mut self) {
        self.is_listing = true;
    }

    /// Records that any entry may have changed.
    pub(super) fn everything(&mut self) {
        self.is_everything = true;
        self.check();
    }

    /// The changes to report. `roots` are the mounts, which stand for everything.
    pub(super) fn tell<'a>(mut self, roots: impl Iterator<Item = &'a str>) -> Vec<Change> {
        if self.is_everything {
            self.trees = roots.map(str::to_owned).collect();
            self.is_listing = true;
        }
        let resources = self.resources.into_iter().map(Change::Resource);
        let trees = self.trees.into_iter().map(Change::Tree);
        let listing = self.is_listing.then_some(Change::Listing);
        resources.chain(trees).chain(listing).collect()
    }

    fn check(&mut self) {
        if self.resources.len() > MOST_RESOURCES || self.trees.len() > MOST_TREES {
            self.is_everything = true;
        }
        if self.is_everything {
            self.resources.clear();
            self.trees.clear();
        }
    }
}

/// The report for a changed name.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Nothing,
    /// An entry changed in place.
    Edited,
    /// A file was added, removed or replaced.
    File,
    /// A directory, or an entry that may have been one, was added, removed or replaced.
    Tree,
}

pub(super) fn verdict(
    at: &At,
    name: &OsStr,
    what: NameChange,
    found: Option<&OpenEntry>,
) -> Result<Verdict, StoreError> {
    let gone = |kind: Option<FileType>| {
        Ok(match at.place.shows(name, kind)? {
            true if kind.is_some_and(|kind| kind.is_file()) => Verdict::File,
            true => Verdict::Tree,
            false => Verdict::Nothing,
        })
    };
    match (found, what, at.place.kind(name)) {
        (Some(_), NameChange::Changed, _) => Ok(Verdict::Edited),
        (Some(OpenEntry::File(_)), NameChange::Moved(_), _) => Ok(Verdict::File),
        (Some(OpenEntry::Directory(_)), NameChange::Moved(_), _) => Ok(Verdict::Tree),
        // The entry may have become unreadable.
        (None, NameChange::Changed, Some(kind)) if kind.is_file() || kind.is_dir() => {
            gone(Some(kind))
        }
        (None, NameChange::Moved(kind), None) => gone(kind),
        // The entry was never visible, such as a link that leads out or a pipe, or its end will be
        // an event of its own.
        (None, NameChange::Moved(_), Some(_)) | (None, NameChange::Changed, _) => {
            Ok(Verdict::Nothing)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_can_be_named_is_everything() {
        let roots = || ["file:///a", "file:///b"].into_iter();
        let everything = [
            Change::Tree("file:///a".to_owned()),
            Change::Tree("file:///b".to_owned()),
            Change::Listing,
        ];
        type Case = (fn(&mut Changes, String), usize);
        let say: [Case; 2] = [
            (Changes::resource, MOST_RESOURCES),
            (Changes::tree, MOST_TREES),
        ];
        for (say, most) in say {
            let mut changes = Changes::default();
            for index in 0..most {
                say(&mut changes, index.to_string());
            }
            say(&mut changes, "0".to_owned());
            assert!(!changes.is_everything);
            say(&mut changes, "one more".to_owned());
            say(&mut changes, "and one".to_owned());
            assert_eq!(changes.tell(roots()), everything);
        }
    }
}
