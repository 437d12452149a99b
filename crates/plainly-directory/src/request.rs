//! One request to the directories, on a thread that may block: turns a URI or a position into a
//! walk from a mount's handle.

use std::ffi::{OsStr, OsString};
use std::rc::Rc;
use std::sync::Arc;

use plainly::protocol::types::{CacheHint, Resource, ResourceContents};
use plainly::store::{ByteRange, Page, Ranged, StoreError};

use super::job::{Jobs, Waiter};
use super::lists::Lists;
use super::mount::Root;
use super::name_locks::NameLocks;
use super::place::{MAX_DEPTH, OpenEntry, Place, VisibleNames};
use super::uri::{self, Location};
use super::walk::{self, Entry, Walk};
use super::{content, describe};

/// The mounts and the settings of a store, shared by the threads that may block.
#[derive(Debug)]
pub(super) struct Mounts {
    /// In the order of their names.
    pub(super) roots: Vec<Root>,
    pub(super) shown: VisibleNames,
    pub(super) cache_hint: CacheHint,
    pub(super) max_file_bytes: u64,
    pub(super) max_write_bytes: u64,
    /// The locks of the names that are being changed.
    pub(super) locks: NameLocks,
    pub(super) lists: Arc<Lists>,
    /// Whether text in encodings other than UTF-8 is served as its original bytes.
    pub(super) is_as_is: bool,
    pub(super) jobs: Jobs,
}

impl Mounts {
    /// The target of a location; `None` if it is in no mount, or too deep to be served.
    pub(super) fn target(&self, location: Location) -> Option<Target<'_>> {
        let uri = location.uri();
        let Location { mount, path } = location;
        let mut roots = self.roots.iter().enumerate();
        let (index, root) = roots.find(|(_, root)| *root.name == *mount)?;
        let path = match &root.file {
            None if path.len() <= MAX_DEPTH => path,
            Some(_) if path.is_empty() => root.start(),
            Some(_) | None => return None,
        };
        Some(Target {
            index,
            root,
            path,
            uri,
        })
    }

    /// The root of a mount, for the caller that `waiter` belongs to.
    pub(super) fn place(&self, root: &Root, waiter: &Waiter) -> Rc<Place> {
        Place::root(
            root.dir(),
            root.shown(&self.shown),
            Arc::clone(&self.lists),
            waiter.clone(),
        )
    }
}

/// A piece of work, and the caller that waits for it.
pub(super) struct Request<'a> {
    pub(super) mounts: &'a Mounts,
    pub(super) waiter: &'a Waiter,
}

/// A mount, and the path below its directory.
pub(super) struct Target<'a> {
    pub(super) index: usize,
    pub(super) root: &'a Root,
    pub(super) path: Vec<OsString>,
    /// The URI in the spelling of listings.
    pub(super) uri: String,
}

impl<'a> Request<'a> {
    pub(super) fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        if uri::is_top(uri) {
            return Ok(self.top());
        }
        let target = self.target(uri)?;
        let opened = self.place(target.root).open(&target.path)?;
        let mut resource = describe::opened(&target.uri, target.name(), &opened)?;
        if let OpenEntry::File(file) = &opened {
            describe::entitle_file(&mut resource, &file.file);
            resource = content::tagged(resource, &file.metadata, || content::is_empty(&file.file));
        }
        Ok(resource)
    }

    pub(super) fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        if uri::is_top(uri) {
            return content::small_files(self.single_files(), self.mounts.is_as_is);
        }
        let target = self.target(uri)?;
        let place = self.place(target.root);
        content::read(
            &place,
            &target.path,
            &target.uri,
            target.name(),
            self.mounts.max_file_bytes,
            self.mounts.is_as_is,
        )
    }

    pub(super) fn range(&self, uri: &str, range: ByteRange) -> Result<Ranged, StoreError> {
        if uri::is_top(uri) {
            return Err(content::no_bytes());
        }
        let target = self.target(uri)?;
        content::range(&self.place(target.root), &target.path, range)
    }

    pub(super) fn children(
        &self,
        parent: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        if uri::is_top(parent) {
            return self.mounts(after, limit);
        }
        let target = self.target(parent)?;
        let after = after
            .map(|after| child_of(&target.uri, after))
            .transpose()?;
        match self.place(target.root).open(&target.path)? {
            OpenEntry::File(_) => Err(StoreError::NotACollection),
            OpenEntry::Directory(place) => {
                let mut walk = Walk::children(place, target.uri, after)?;
                page(limit, || next_resource(&mut walk))
            }
        }
    }

    /// The collection above all mounts.
    pub(super) fn top(&self) -> Resource {
        describe::top(uri::ROOT)
    }

    /// A mount as a resource; `None` if it is a single file that doesn't exist.
    pub(super) fn mount(&self, root: &Root) -> Result<Option<Resource>, StoreError> {
        let found = self.entry(root).and_then(|entry| describe::entry(&entry));
        walk::usable(&root.uri, found)
    }

    fn entry(&self, root: &Root) -> Result<Entry, StoreError> {
        Ok(Entry {
            uri: root.uri.clone(),
            name: root.own_name().to_owned(),
            opened: self.place(root).open(&root.start())?,
        })
    }

    /// The mounts that are single files and exist.
    fn single_files(&self) -> impl Iterator<Item = Result<Entry, StoreError>> {
        let files = self.mounts.roots.iter().filter(|root| root.file.is_some());
        files.filter_map(|root| walk::usable(&root.uri, self.entry(root)).transpose())
    }

    /// A page of the mounts after `after`.
    fn mounts(&self, after: Option<&str>, limit: usize) -> Result<Page, StoreError> {
        let after = after.map(mount_at).transpose()?;
        let is_next = |root: &&Root| {
            after
                .as_deref()
                .is_none_or(|after| OsStr::new(&root.name) > after)
        };
        let roots = self.mounts.roots.iter().filter(is_next);
        let mut found = roots.filter_map(|root| self.mount(root).transpose());
        page(limit, || found.next().transpose())
    }

    /// The target of a listing position, whose URI must be in the spelling of listings.
    pub(super) fn position(&self, uri: &str) -> Result<Target<'a>, StoreError> {
        let target = self.target(uri).ok();
        let listed = target.filter(|target| target.uri == uri);
        listed.ok_or(StoreError::InvalidCursor)
    }

    /// The target of a URI in any spelling. A URI with a slash at its end can only name a
    /// directory.
    pub(super) fn target(&self, uri: &str) -> Result<Target<'a>, StoreError> {
        let location = Location::parse(uri)?;
        let target = self.mounts.target(location).ok_or(StoreError::NotFound)?;
        if uri.ends_with('/')
            && let OpenEntry::File(_) = self.place(target.root).open(&target.path)?
        {
            return Err(StoreError::NotFound);
        }
        Ok(target)
    }

    pub(super) fn place(&self, root: &Root) -> Rc<Place> {
        self.mounts.place(root, self.waiter)
    }
}

impl Target<'_> {
    pub(super) fn name(&self) -> &OsStr {
        match (&self.root.file, self.path.last()) {
            (None, Some(last)) => last,
            (Some(_), _) | (None, None) => self.root.own_name(),
        }
    }
}

/// The name of the entry `position` in the collection `parent`.
fn child_of(parent: &str, position: &str) -> Result<OsString, StoreError> {
    let mut path = Location::parse(position)
        .map_err(|_| StoreError::InvalidCursor)?
        .path;
    match path.pop() {
        Some(name) if uri::child(parent, &name) == position => Ok(name),
        Some(_) | None => Err(StoreError::InvalidCursor),
    }
}

/// The name of the mount at `position`.
fn mount_at(position: &str) -> Result<OsString, StoreError> {
    match Location::parse(position) {
        Ok(location) if uri::child(uri::ROOT, &location.mount) == position => Ok(location.mount),
        Ok(_) | Err(_) => Err(StoreError::InvalidCursor),
    }
}

/// The next entry of a walk that can be described.
pub(super) fn next_resource(walk: &mut Walk) -> Result<Option<Resource>, StoreError> {
    while let Some(entry) = walk.next()? {
        if let Some(resource) = walk::usable(&entry.uri, describe::entry(&entry))? {
            return Ok(Some(resource));
        }
    }
    Ok(None)
}

/// Collects up to `limit` resources, and checks whether there are more.
pub(super) fn page(
    limit: usize,
    mut next: impl FnMut() -> Result<Option<Resource>, StoreError>,
) -> Result<Page, StoreError> {
    let mut resources: Vec<Resource> = Vec::new();
    while let Some(resource) = next()? {
        if resources.len() == limit {
            let position = resources.last().map(|last| last.uri.clone());
            return Ok(Page::new(resources, position));
        }
        resources.push(resource);
    }
    Ok(Page::new(resources, None))
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
