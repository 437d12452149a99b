//! The directories as a [`Store`]: each request becomes a blocking job, which uses a [`Request`]. Independent of the
//! protocol's messages and of the caller.

use std::borrow::Cow;
use std::sync::Arc;

use plainly::protocol::types::{CacheHint, Resource, ResourceContents, ResourceTemplate};
use plainly::server::SubscribedResources;
use plainly::store::{Budget, ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Watch};

use super::job::Waiter;
use super::mount::Root;
use super::request::{Mounts, Request};
use super::uri::{self, Location};
use super::watch;

/// Directories of this machine as resources.
///
/// - Each directory is a *mount* with a name. Its contents are `file:///MOUNT/relative/path`, listed in exactly one
///   spelling: percent-encoded only where RFC 3986 requires it, upper case, no trailing slash, no host. Names that aren't
///   UTF-8 are encoded byte by byte. No path of the host is ever shown.
/// - A URI is read in any spelling that decodes to the same names: `%7E` for `~`, `[id]` and `é` as they are, one slash at
///   the end of a directory, `FILE:`, `file://localhost/`, `file:/`. Names `.` and `..`, and those with a slash in them, are
///   not found, encoded or not.
/// - Directories are collections (`inode/directory`), and so is `file:///`, which contains the mounts. These come first
///   in the listing of everything, then what is directly in each mount, then what is deeper, depth first: each directory
///   before its contents, in the byte order of names. Links to directories are listed but not descended into.
/// - One server can have several of these stores, for mounts with other options. Then `file:///` is that of the first store, and
///   contains the first store's mounts; the listing of everything has the mounts of all.
/// - Regular files are read up to a size limit, as text if they are UTF-8 without NUL. Pipes, sockets and devices are
///   left out. Reading a directory returns its small files, at most 100 and 256 KiB in total.
/// - Links that stay inside their mount are followed. All others are left out: absolute ones, dangling ones, loops.
/// - Names that start with a dot, and files that `.ignore` and `.gitignore` files inside the mount exclude, are left out
///   too, in any spelling and through any link, unless the builder says otherwise. The rules are git's; in a work tree, so are those of the
///   directories above the mount, of `.git/info/exclude` and of the user, unless they ignore the mount itself. None can
///   show a name that starts with a dot. If a rule file can't be read, everything that it could hide is hidden.
/// - Nothing nested more than 64 directories deep is served.
/// - Nothing is changed unless the [builder](crate::DirectoryStoreBuilder::writable) says so. Then it is
///   [`Writable`](plainly::store::Writable), and what is removed or overwritten goes to the [`Trash`](crate::Trash).
/// - Forbidden files look as if they did not exist. Everything listed could be opened when it was listed; what the
///   operating system can't open is logged and left out.
///
/// Its methods need a Tokio runtime with time enabled: files are read on its blocking threads, 32 at a time for all clones
/// of a store, an eighth of them for one [caller](plainly::store::StoreCaller). Dropping a future ends its work.
///
/// A hard link, or another file system mounted inside, can't be distinguished from what belongs there. Files that must never be
/// served are named to [`withhold`](crate::DirectoryStoreBuilder::withhold).
///
/// ```no_run
/// use plainly_directory::DirectoryStore;
///
/// let store = DirectoryStore::builder()
///     .mount("notes")
///     .mount_as("manuals", "/usr/share/doc")
///     .build()?;
/// for mount in store.mounts() {
///     println!("{} is {}", mount.name(), mount.uri());
/// }
/// # Ok::<(), plainly_directory::MountError>(())
/// ```
#[derive(Clone, Debug)]
pub struct DirectoryStore {
    pub(super) mounts: Arc<Mounts>,
}

/// The name and URI of a served directory.
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
    /// The served directories, in the order of listings.
    pub fn mounts(&self) -> impl Iterator<Item = Mount<'_>> {
        self.mounts.roots.iter().map(|root| Mount { root })
    }

    pub(super) fn over(mounts: Mounts) -> Self {
        Self {
            mounts: Arc::new(mounts),
        }
    }

    /// Does `work` where it may block, as one job.
    pub(super) async fn blocking<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&Request<'_>) -> Result<T, E> + Send + 'static,
    ) -> Result<T, E> {
        let mounts = Arc::clone(&self.mounts);
        let work = move |waiter: &Waiter| {
            work(&Request {
                mounts: &mounts,
                waiter,
            })
        };
        self.mounts.jobs.run(work).await
    }
}

impl Store for DirectoryStore {
    /// True for `file:///`, for the URIs in one of the mounts, and for `file:` URIs that are invalid.
    fn serves(&self, uri: &str) -> bool {
        if uri::is_top(uri) {
            return true;
        }
        match uri::mount_of(uri) {
            Ok(mount) => self.mounts().any(|known| *known.name() == *mount),
            Err(StoreError::InvalidUri { .. }) => uri::is_file(uri),
            Err(_) => false,
        }
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let parent = query.parent.map(str::to_owned);
        let after = query.after.map(str::to_owned);
        // A page of nothing would have no position from which to go on.
        let limit = query.limit.max(1);
        self.blocking(move |request| match parent {
            Some(parent) => request.children(&parent, after.as_deref(), limit),
            None => request.everything(after.as_deref(), limit),
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

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        let (uri, range) = (query.uri.to_owned(), query.range);
        self.blocking(move |request| request.range(&uri, range))
            .await
    }

    /// The listed spelling of a URI with the same names when decoded; `None` for hidden names, which are never reported.
    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        if uri::is_top(uri) {
            return Some(Cow::Borrowed(uri::ROOT));
        }
        let target = self.mounts.target(Location::parse(uri).ok()?)?;
        if !target.root.shown(&self.mounts.shown).hidden
            && target
                .path
                .iter()
                .any(|name| name.as_encoded_bytes().starts_with(b"."))
        {
            return None;
        }
        Some(match target.uri == uri {
            true => Cow::Borrowed(uri),
            false => Cow::Owned(target.uri),
        })
    }

    /// Reports only visible changes, about a tenth of a second after they happened. A directory is
    /// reported also when one of its direct entries is replaced, a file that is renamed over
    /// another one like a new one, and the target of a link by its own URI. The runtime must have
    /// both time and I/O enabled.
    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        Some(watch::watch(&self.mounts, subscribed))
    }

    /// The mounts, and not `file:///` above them: that one is shared by all directory stores of a server.
    fn roots(&self) -> Vec<String> {
        self.mounts().map(|mount| mount.uri().to_owned()).collect()
    }

    /// One, of all files and directories.
    fn templates(&self) -> Vec<ResourceTemplate> {
        let template = ResourceTemplate::new(format!("{}{{+path}}", uri::ROOT), "file");
        vec![
            template.description(
                "A file or directory, by its path below a mount, the mount's name first",
            ),
        ]
    }

    fn budget(&self) -> Budget {
        self.mounts.jobs.budget.clone()
    }

    fn cache_hint(&self) -> CacheHint {
        self.mounts.cache_hint
    }
}
