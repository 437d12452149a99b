//! The directories as a [`Store`]: each call becomes a blocking job that uses a [`Request`].
//! Independent of the protocol's messages and of the caller.

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
/// - Each directory is a *mount* with a name. The URI of an entry is `file:///MOUNT/relative/path`,
///   and listings spell it in exactly one way: percent-encoded only where RFC 3986 requires it, in
///   upper case, with no trailing slash and no host. Names that aren't UTF-8 are encoded byte by
///   byte. No path of the host is ever shown.
/// - A URI is accepted in any spelling that decodes to the same names: `%7E` for `~`, `[id]` and
///   `é` unencoded, one slash at the end of a directory, `FILE:`, `file://localhost/`, `file:/`.
///   The names `.` and `..`, and names that contain a slash, are not found, encoded or not.
/// - Directories are collections (`inode/directory`), and so is `file:///`, which contains the
///   mounts. The listing of everything starts with these, then has the direct entries of each
///   mount, then all deeper entries, depth first: each directory before its contents, in the byte
///   order of names. Links to directories are listed but not descended into.
/// - One server can have several of these stores, for mounts with different options. `file:///` is
///   then served by the first store and contains only its mounts; the listing of everything has the
///   mounts of all.
/// - Regular files are read up to a size limit, as text if they are UTF-8 without NUL. Pipes, sockets and devices are
///   left out. Reading a directory returns its small files, at most 100 and 256 KiB in total.
/// - Links that stay inside their mount are followed. All others are left out: absolute, dangling
///   and circular ones.
/// - Names that start with a dot, and files excluded by `.ignore` and `.gitignore` files inside the
///   mount, are left out too, in any spelling and through any link, unless the builder says
///   otherwise. The rules are git's. In a work tree, the rules of the directories above the mount,
///   of `.git/info/exclude` and of the user apply too, unless they ignore the mount itself. No rule
///   can show a name that starts with a dot. If a rule file can't be read, everything that it could
///   hide is hidden.
/// - Nothing nested more than 64 directories deep is served.
/// - Nothing can be changed unless the [builder](crate::DirectoryStoreBuilder::writable) allows it.
///   Then the store is [`Writable`](plainly::store::Writable), and removed or overwritten files go
///   to the [`Trash`](crate::Trash).
/// - Forbidden files look as if they did not exist. Every listed entry could be opened when it was
///   listed; the store logs and leaves out entries that the operating system can't open.
///
/// Its methods need a Tokio runtime with time enabled. Files are read on the runtime's blocking
/// threads, 32 at a time for all clones of a store, and an eighth of that for one
/// [caller](plainly::store::StoreCaller). Dropping a future stops its work.
///
/// The store can't distinguish a hard link, or another file system mounted inside, from the mount's
/// own files. Name files that must never be served to
/// [`withhold`](crate::DirectoryStoreBuilder::withhold).
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

    /// Runs `work` as one job, on a thread that may block.
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
        // A page with no entries would have no position from which to continue.
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

    /// The listed spelling of a URI that decodes to the same names; `None` for hidden names, which
    /// are never reported.
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

    /// Reports only visible changes, about a tenth of a second after they happened. Reports a
    /// directory also when one of its direct entries is replaced, reports a file that is renamed
    /// over another one like a new file, and reports the target of a link under the target's own
    /// URI. The runtime must have both time and I/O enabled.
    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        Some(watch::watch(&self.mounts, subscribed))
    }

    /// The mounts, and not `file:///` above them: that one is shared by all directory stores of a server.
    fn roots(&self) -> Vec<String> {
        self.mounts().map(|mount| mount.uri().to_owned()).collect()
    }

    /// The template of all files and directories.
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
