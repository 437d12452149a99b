//! Directories as resources: `file:///MOUNT/relative/path`. Turns a request into a walk from a mount's handle and hands the
//! walk to a job that may block. Knows nothing of the protocol's messages or of who asks.

mod job;
mod uri;

mod handle;
mod ignored;
mod names;
mod place;
mod walk;

mod content;
mod describe;

#[cfg(feature = "store-directory-tools")]
mod search;
#[cfg(feature = "store-directory-tools")]
mod tools;

mod mount;
mod watch;

#[cfg(unix)]
#[cfg(test)]
mod faults;

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use futures_util::stream::BoxStream;
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

use self::job::{Jobs, Waiter};
use self::mount::Root;
use self::names::Lists;
use self::place::{MAX_DEPTH, Opened, Place, Shown};
use self::uri::Location;
use self::walk::Walk;
use super::convert::Converters;
use super::{Change, ListQuery, Page, Store, StoreError};

pub use self::mount::{DirectoryStoreBuilder, MountError, MountProblem};

/// Directories of this machine as resources.
///
/// - Each directory is a *mount* with a name; what is in it is `file:///MOUNT/relative/path`, with exactly one spelling:
///   percent-encoded only where RFC 3986 needs it, upper case, no trailing slash, no host. Names that aren't UTF-8 are
///   encoded byte by byte. No path of the host is ever shown.
/// - Directories are collections (`inode/directory`). Everything is listed depth first, each directory before what is in it,
///   in the byte order of names, mounts too; links to directories are listed but not descended into.
/// - Regular files are read up to a size limit, as text if they are UTF-8 without NUL. Pipes, sockets and devices are not
///   there. Reading a directory gives its small files, at most 100 and 256 KiB in all.
/// - Files may have [representations](DirectoryStoreBuilder::converter) beside what they are.
/// - Links that stay inside of their mount are followed. All others are not there: absolute ones, dangling ones, loops.
/// - Names that begin with a dot, and what `.ignore` and `.gitignore` files inside of the mount leave out, are not there
///   either, by no spelling and through no link, unless the builder says so. The rules are git's; those of directories above
///   the mount don't count, and none can show a name that begins with a dot. If a rule file can't be read, all that it could
///   hide is hidden.
/// - Nothing deeper than 64 directories is there.
/// - What is forbidden looks as if it were absent. What is listed could be opened when it was listed; what the operating
///   system can't open is logged and left out.
///
/// Its methods need a Tokio runtime: files are read on its blocking threads, 16 at a time for all clones of a store. A future
/// that is dropped ends the work for it.
///
/// A hard link, or another file system mounted inside, can't be told from what belongs there.
///
/// ```no_run
/// use plainly::store::directory::DirectoryStore;
///
/// let store = DirectoryStore::builder()
///     .mount("notes")
///     .mount_as("manuals", "/usr/share/doc")
///     .build()?;
/// for mount in store.mounts() {
///     println!("{} is {}", mount.name(), mount.uri());
/// }
/// # Ok::<(), plainly::store::directory::MountError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    inner: Arc<Inner>,
}

/// The name and URI of a directory that is served.
#[derive(Clone, Copy, Debug)]
pub struct Mount<'a> {
    root: &'a Root,
}

impl<'a> Mount<'a> {
    /// The name: the first segment of the URIs below it, decoded.
    pub fn name(&self) -> &'a str {
        &self.root.name
    }

    /// The URI of the directory itself.
    pub fn uri(&self) -> &'a str {
        &self.root.uri
    }
}

impl DirectoryStore {
    /// Serves one directory under its own name. Use [`DirectoryStore::builder`] for more.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, MountError> {
        Self::builder().mount(path).build()
    }

    /// Starts with no directory.
    pub fn builder() -> DirectoryStoreBuilder {
        DirectoryStoreBuilder::new()
    }

    /// What is served, in the order of listings.
    pub fn mounts(&self) -> impl Iterator<Item = Mount<'_>> {
        self.inner.roots.iter().map(|root| Mount { root })
    }

    fn from_roots(
        roots: Vec<Root>,
        shown: Shown,
        cache_hint: CacheHint,
        max_file_bytes: u64,
        jobs: Jobs,
        converters: Converters,
    ) -> Self {
        Self {
            inner: Arc::new(Inner {
                roots,
                shown,
                cache_hint,
                max_file_bytes,
                lists: Arc::default(),
                converters,
                jobs,
            }),
        }
    }

    /// Does `work` where it may block, as one job.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Request<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let inner = Arc::clone(&self.inner);
        let work = move |waiter: &Waiter| {
            work(&Request {
                store: &inner,
                waiter,
            })
        };
        self.inner.jobs.run(work).await
    }
}

impl Store for DirectoryStore {
    /// True for what is in one of the mounts, and for `file:` URIs in a spelling that is nobody's.
    fn serves(&self, uri: &str) -> bool {
        match uri::spelled_mount(uri) {
            Some(mount) => self
                .mounts()
                .any(|known| uri::encode(OsStr::new(known.name())) == mount),
            None => uri::is_file(uri),
        }
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let parent = query.parent.map(str::to_owned);
        let after = query.after.map(str::to_owned);
        let limit = query.limit.max(1);
        self.blocking(move |request| {
            let mut page = match parent {
                Some(parent) => request.children(&parent, after.as_deref(), limit),
                None => request.everything(after.as_deref(), limit),
            }?;
            for resource in &mut page.resources {
                request.store.converters.announce(resource);
            }
            Ok(page)
        })
        .await
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let uri = uri.to_owned();
        self.blocking(move |request| request.metadata(&uri)).await
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let uri = uri.to_owned();
        self.blocking(move |request| request.read(&uri)).await
    }

    /// Of what is shown only, about a tenth of a second after it changed. A directory is told also when something directly
    /// in it is another, a file that is renamed over another one like a new one, and what a link leads to by its own URI only.
    /// The runtime must have both time and I/O enabled.
    fn watch(&self) -> Option<BoxStream<'static, Change>> {
        watch::watch(&self.inner)
    }

    fn cache_hint(&self) -> CacheHint {
        self.inner.cache_hint
    }
}

/// What the blocking threads share.
#[derive(Debug)]
struct Inner {
    /// By name.
    roots: Vec<Root>,
    shown: Shown,
    cache_hint: CacheHint,
    max_file_bytes: u64,
    lists: Arc<Lists>,
    converters: Converters,
    jobs: Jobs,
}

impl Inner {
    /// The root of a mount, for somebody who waits.
    fn place(&self, root: &Root, waiter: &Waiter) -> Rc<Place> {
        Place::root(
            Arc::clone(&root.dir),
            self.shown,
            Arc::clone(&self.lists),
            waiter.clone(),
        )
    }
}

/// One piece of work, and who waits for it.
struct Request<'a> {
    store: &'a Inner,
    waiter: &'a Waiter,
}

/// A mount, and the names below it.
struct Target<'a> {
    index: usize,
    root: &'a Root,
    path: Vec<OsString>,
}

impl<'a> Request<'a> {
    fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let target = self.target(uri)?;
        let opened = self.place(target.root).open(&target.path)?;
        let mut resource = describe::opened(uri, target.name(), &opened)?;
        self.store.converters.announce(&mut resource);
        Ok(resource)
    }

    fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let target = self.target(uri)?;
        let place = self.place(target.root);
        content::read(
            &place,
            &target.path,
            uri,
            target.name(),
            self.store.max_file_bytes,
            &self.store.converters,
        )
    }

    fn children(
        &self,
        parent: &str,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let target = self.target(parent)?;
        let after = after.map(|after| child_of(parent, after)).transpose()?;
        match self.place(target.root).open(&target.path)? {
            Opened::File(_) => Err(StoreError::NotACollection),
            Opened::Directory(place) => {
                let mut walk = Walk::children(place, parent.to_owned(), after)?;
                page(limit, || next_resource(&mut walk))
            }
        }
    }

    fn everything(&self, after: Option<&str>, limit: usize) -> Result<Page, StoreError> {
        let after = after
            .map(|after| self.target(after))
            .transpose()
            .map_err(|_| StoreError::InvalidCursor)?;
        let start = after.as_ref().map_or(0, |after| after.index + 1);
        let mut roots = self.store.roots.iter().skip(start);
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
            let opened = Opened::Directory(self.place(root));
            describe::opened(&root.uri, OsStr::new(&root.name), &opened).map(Some)
        })
    }

    fn target(&self, uri: &str) -> Result<Target<'a>, StoreError> {
        let Location { mount, path } = Location::parse(uri)?;
        let found = self
            .store
            .roots
            .iter()
            .enumerate()
            .find(|(_, root)| *root.name == *mount);
        match found {
            Some((index, root)) if path.len() <= MAX_DEPTH => Ok(Target { index, root, path }),
            Some(_) | None => Err(StoreError::NotFound),
        }
    }

    fn place(&self, root: &Root) -> Rc<Place> {
        self.store.place(root, self.waiter)
    }
}

impl Target<'_> {
    fn name(&self) -> &OsStr {
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
