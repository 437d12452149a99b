//! One look at a subscribed resource: the tags of the resource and its contents, to compare with an
//! earlier look.

use std::collections::BTreeMap;
use std::sync::Arc;

use cap_std::fs::Metadata;
use plainly::store::StoreError;

use super::blind::is_blind;
use crate::content;
use crate::job::Waiter;
use crate::place::OpenEntry;
use crate::request::{Mounts, Request};
use crate::uri;
use crate::walk::{self, Walk};
use crate::watch::changes::Changes;

/// The maximum number of entries of a collection that are looked at, in the order of names.
const MOST_ENTRIES: usize = 10_000;

/// A resource that is subscribed to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Wanted {
    pub(super) uri: Arc<str>,
    /// Whether the subscription includes everything below the resource.
    pub(super) is_recursive: bool,
}

/// The state of a resource at one look.
#[derive(Clone, Debug, Default)]
pub(super) struct Look {
    /// Whether the resource must be polled.
    pub(super) is_asked: bool,
    /// The tags of the resource and its contents, by URI. Missing resources have no entry.
    tags: BTreeMap<String, Option<String>>,
}

/// A looker at resources.
pub(super) struct Looker<'a> {
    pub(super) mounts: &'a Mounts,
    pub(super) waiter: &'a Waiter,
    /// Whether all resources must be polled, on any file system.
    pub(super) is_limited: bool,
}

impl Looker<'_> {
    /// Looks at a resource. If that fails, the state from before is returned.
    pub(super) fn look(&self, wanted: &Wanted, before: Option<&Look>) -> Result<Look, StoreError> {
        let look = self.look_anew(wanted);
        let look = walk::usable(&wanted.uri, look)?;
        Ok(look.or_else(|| before.cloned()).unwrap_or_default())
    }

    fn look_anew(&self, wanted: &Wanted) -> Result<Look, StoreError> {
        let mut look = Look::default();
        let uri = &*wanted.uri;
        if uri::is_top(uri) {
            return Ok(look);
        }
        let (mounts, waiter) = (self.mounts, self.waiter);
        let target = match (Request { mounts, waiter }).target(uri) {
            Ok(target) => target,
            Err(StoreError::NotFound | StoreError::InvalidUri { .. }) => {
                look.is_asked = self.is_limited;
                return Ok(look);
            }
            Err(error) => return Err(error),
        };
        let root = self.mounts.place(target.root, waiter);
        let opened = match root.open(&target.path) {
            Ok(opened) => opened,
            Err(StoreError::NotFound) => {
                // The missing entry would be in the file system of the mount.
                look.is_asked = self.is_asked(root.dir());
                return Ok(look);
            }
            Err(error) => return Err(error),
        };
        match opened {
            OpenEntry::File(file) => {
                look.is_asked = self.is_asked(&file.file);
                look.add(target.uri, &file.metadata);
            }
            OpenEntry::Directory(place) => {
                look.is_asked = self.is_asked(place.dir());
                if !look.is_asked {
                    return Ok(look);
                }
                look.add(target.uri.clone(), &place.metadata()?);
                let mut walk = match wanted.is_recursive {
                    true => Walk::below(place, target.uri, &[])?,
                    false => Walk::children(place, target.uri, None)?,
                };
                while look.tags.len() <= MOST_ENTRIES
                    && let Some(entry) = walk.next()?
                {
                    match entry.opened {
                        OpenEntry::File(file) => look.add(entry.uri, &file.metadata),
                        OpenEntry::Directory(place) => {
                            if let Some(metadata) = walk::usable(&entry.uri, place.metadata())? {
                                look.add(entry.uri, &metadata);
                            }
                        }
                    }
                }
            }
        }
        Ok(look)
    }

    #[cfg(any(target_os = "linux", target_os = "android"))]
    fn is_asked(&self, file: &impl std::os::fd::AsFd) -> bool {
        self.is_limited || is_blind(file)
    }

    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    fn is_asked<F>(&self, file: &F) -> bool {
        self.is_limited || is_blind(file)
    }
}

impl Look {
    fn add(&mut self, uri: String, metadata: &Metadata) {
        self.tags.insert(uri, content::tag(metadata));
    }

    /// Adds the differences to `before` to `changes`.
    pub(super) fn compare(&self, before: &Self, changes: &mut Changes) {
        let uris = self.tags.keys().chain(before.tags.keys());
        for uri in uris {
            let (now, then) = (self.tags.get(uri), before.tags.get(uri));
            if now == then {
                continue;
            }
            changes.resource(uri.as_str());
            // The content of a collection includes its entries, so the collection has changed too.
            if let Some((parent, _)) = uri.rsplit_once('/')
                && (self.tags.contains_key(parent) || before.tags.contains_key(parent))
            {
                changes.resource(parent);
            }
            if now.is_none() || then.is_none() {
                changes.listing();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use plainly::store::Change;

    use super::*;
    use crate::DirectoryStore;

    /// The URIs for which a client subscribed to `uri` is notified of changes since `before`, and
    /// whether listings have changed.
    fn look(
        store: &DirectoryStore,
        (uri, is_recursive): (&str, bool),
        before: &mut Option<Look>,
    ) -> (Vec<String>, bool) {
        let (_waits, waiter) = Waiter::until_dropped();
        let looker = Looker {
            mounts: &store.mounts,
            waiter: &waiter,
            is_limited: true,
        };
        let uri = Arc::from(uri);
        let wanted = Wanted { uri, is_recursive };
        let look = looker.look(&wanted, before.as_ref()).unwrap();
        assert!(look.is_asked);
        let mut changes = Changes::default();
        if let Some(before) = before.replace(look.clone()) {
            look.compare(&before, &mut changes);
        }
        let (mut uris, mut is_listing) = (Vec::new(), false);
        for change in changes.tell([].into_iter()) {
            if let Change::Resource(uri) = change {
                uris.push(uri.replace("file:///m", ""));
            } else {
                is_listing |= change == Change::Listing;
            }
        }
        (uris, is_listing)
    }

    #[test]
    fn what_is_subscribed_is_compared_and_nothing_else() {
        let mount = tempfile::tempdir().unwrap();
        let mount = mount.path();
        std::fs::create_dir_all(mount.join("d/e")).unwrap();
        let store = DirectoryStore::builder()
            .mount_as("m", mount)
            .build()
            .unwrap();
        let wanted = [
            ("file:///m/x", false),
            ("file:///m/d", false),
            ("file:///m/d", true),
            ("file:///m/%64/e/x/", false),
        ];
        let mut looks = wanted.map(|wanted| (wanted, None));
        let mut found = || {
            let found = looks.iter_mut();
            let found = found.map(|(wanted, before)| look(&store, *wanted, before));
            found.collect::<Vec<_>>()
        };
        let told = |uris: &[&str], is_listing: bool| {
            (
                uris.iter().map(ToString::to_string).collect::<Vec<_>>(),
                is_listing,
            )
        };
        let nothing = told(&[], false);
        assert_eq!(found(), vec![nothing.clone(); 4]);
        assert_eq!(found(), vec![nothing.clone(); 4]);
        std::fs::write(mount.join("d/e/x"), "1").unwrap();
        let inner = told(&["/d", "/d/e"], false);
        let below = told(&["/d", "/d/e", "/d/e/x"], true);
        assert_eq!(found(), [nothing.clone(), inner, below, nothing]);
        std::fs::write(mount.join("x"), "1").unwrap();
        std::fs::write(mount.join("d/.hidden"), "1").unwrap();
        assert_eq!(found()[0], told(&["/x"], true));
        std::fs::write(mount.join("d/e/x"), "22").unwrap();
        assert_eq!(found()[2], told(&["/d/e", "/d/e/x"], false));
        std::fs::remove_dir_all(mount.join("d")).unwrap();
        let gone = found();
        assert_eq!(gone[1], told(&["/d", "/d/e"], true));
        assert_eq!(gone[2], told(&["/d", "/d/e", "/d/e/x"], true));
    }
}
