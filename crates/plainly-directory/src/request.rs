//! One question to the directories, answered where it may block: from a URI or a position to a walk from a mount's handle.

use std::ffi::{OsStr, OsString};
use std::rc::Rc;
use std::sync::Arc;

use plainly::protocol::types::{CacheHint, Resource, ResourceContents};
use plainly::store::{ByteRange, Page, Ranged, StoreError};

use super::convert::Converters;
use super::job::{Jobs, Waiter};
use super::lists::Lists;
use super::mount::Root;
use super::place::{MAX_DEPTH, OpenEntry, Place, VisibleNames};
use super::uri::{self, Location};
use super::walk::{self, Walk};
use super::{content, describe};

/// The directories that are served, and how; shared by the threads that may block.
#[derive(Debug)]
pub(super) struct Mounts {
    /// By name.
    pub(super) roots: Vec<Root>,
    pub(super) shown: VisibleNames,
    pub(super) cache_hint: CacheHint,
    pub(super) max_file_bytes: u64,
    pub(super) lists: Arc<Lists>,
    pub(super) converters: Converters,
    pub(super) jobs: Jobs,
}

impl Mounts {
    /// The root of a mount, for this caller.
    pub(super) fn place(&self, root: &Root, waiter: &Waiter) -> Rc<Place> {
        Place::root(
            root.dir(),
            self.shown.clone(),
            Arc::clone(&self.lists),
            waiter.clone(),
        )
    }
}

/// One piece of work, and who waits for it.
pub(super) struct Request<'a> {
    pub(super) mounts: &'a Mounts,
    pub(super) waiter: &'a Waiter,
}

/// A mount, and the names below it.
pub(super) struct Target<'a> {
    index: usize,
    pub(super) root: &'a Root,
    pub(super) path: Vec<OsString>,
}

impl<'a> Request<'a> {
    pub(super) fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let target = self.target(uri)?;
        let opened = self.place(target.root).open(&target.path)?;
        let mut resource = describe::opened(uri, target.name(), &opened)?;
        if let OpenEntry::File(file) = &opened {
            resource = content::tagged(resource, &file.metadata);
        }
        self.mounts.converters.announce(&mut resource);
        Ok(resource)
    }

    pub(super) fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let target = self.target(uri)?;
        let place = self.place(target.root);
        content::read(
            &place,
            &target.path,
            uri,
            target.name(),
            self.mounts.max_file_bytes,
            &self.mounts.converters,
        )
    }

    pub(super) fn range(&self, uri: &str, range: ByteRange) -> Result<Ranged, StoreError> {
        let target = self.target(uri)?;
        content::range(&self.place(target.root), &target.path, range)
    }

    pub(super) fn children(
        &self,
        parent: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let target = self.target(parent)?;
        let after = after.map(|after| child_of(parent, after)).transpose()?;
        match self.place(target.root).open(&target.path)? {
            OpenEntry::File(_) => Err(StoreError::NotACollection),
            OpenEntry::Directory(place) => {
                let mut walk = Walk::children(place, parent.to_owned(), after)?;
                page(limit, || next_resource(&mut walk))
            }
        }
    }

    pub(super) fn everything(&self, after: Option<&str>, limit: usize) -> Result<Page, StoreError> {
        let after = after
            .map(|after| self.target(after))
            .transpose()
            .map_err(|_| StoreError::InvalidCursor)?;
        let start = after.as_ref().map_or(0, |after| after.index + 1);
        let mut roots = self.mounts.roots.iter().skip(start);
        let below =
            |root: &Root, path: &[OsString]| Walk::below(self.place(root), root.uri.clone(), path);
        let mut walk = after
            .map(|after| below(after.root, &after.path))
            .transpose()?;
        page(limit, || {
            if let Some(resource) = walk.as_mut().map(next_resource).transpose()?.flatten() {
                return Ok(Some(resource));
            }
            let Some(root) = roots.next() else {
                return Ok(None);
            };
            walk = Some(below(root, &[])?);
            let opened = OpenEntry::Directory(self.place(root));
            describe::opened(&root.uri, OsStr::new(&root.name), &opened).map(Some)
        })
    }

    pub(super) fn target(&self, uri: &str) -> Result<Target<'a>, StoreError> {
        let Location { mount, path } = Location::parse(uri)?;
        let found = self
            .mounts
            .roots
            .iter()
            .enumerate()
            .find(|(_, root)| *root.name == *mount);
        match found {
            Some((index, root)) if path.len() <= MAX_DEPTH => Ok(Target { index, root, path }),
            Some(_) | None => Err(StoreError::NotFound),
        }
    }

    pub(super) fn place(&self, root: &Root) -> Rc<Place> {
        self.mounts.place(root, self.waiter)
    }
}

impl Target<'_> {
    pub(super) fn name(&self) -> &OsStr {
        self.path
            .last()
            .map_or(OsStr::new(&self.root.name), OsString::as_os_str)
    }
}

/// The name under which `position` stands in the collection `parent`.
fn child_of(parent: &str, position: &str) -> Result<OsString, StoreError> {
    let mut path = Location::parse(position)
        .map_err(|_| StoreError::InvalidCursor)?
        .path;
    match path.pop() {
        Some(name) if uri::child(parent, &name) == position => Ok(name),
        Some(_) | None => Err(StoreError::InvalidCursor),
    }
}

/// The next of a walk that can be described.
fn next_resource(walk: &mut Walk) -> Result<Option<Resource>, StoreError> {
    while let Some(entry) = walk.next()? {
        if let Some(resource) = walk::usable(&entry.uri, describe::entry(&entry))? {
            return Ok(Some(resource));
        }
    }
    Ok(None)
}

/// Takes `limit` resources, and looks whether there is one more.
fn page(
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
