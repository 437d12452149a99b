//! A served directory `docs` with a secret next to it, and a runtime for calls of the store.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_fs_ext::{DirExt, SystemTimeSpec};
use cap_std::ambient_authority;
use cap_std::fs::Dir;
use plainly::protocol::types::{Body, Resource, ResourceContents};
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly_directory::{DirectoryStore, DirectoryStoreBuilder};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

pub(crate) const SECRET: &str = "the-secret-beside-the-mount-5b1f";

/// A page size that is larger than the number of entries in any test.
pub(crate) const ALL: usize = 100_000;

#[derive(Debug)]
pub(crate) struct Fixture {
    around: TempDir,
    runtime: Runtime,
    pub(crate) store: DirectoryStore,
}

impl Fixture {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, |builder| builder)
    }

    /// Serves `docs` with these files in it; a name that ends with a slash is an empty directory.
    pub(crate) fn with(
        files: &[(&str, &str)],
        configure: impl FnOnce(DirectoryStoreBuilder) -> DirectoryStoreBuilder,
    ) -> Self {
        let around = tempfile::tempdir().unwrap();
        fs::write(around.path().join("secret.txt"), SECRET).unwrap();
        let root = around.path().join("docs");
        fs::create_dir(&root).unwrap();
        write_all(&root, files);
        let store = configure(DirectoryStore::builder().mount(&root))
            .build()
            .unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        Self {
            around,
            runtime,
            store,
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.around.path().join("docs")
    }

    pub(crate) fn outside(&self) -> &Path {
        self.around.path()
    }

    /// Runs a future on the fixture's runtime.
    pub(crate) fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    pub(crate) fn list(
        &self,
        parent: Option<&str>,
        after: Option<&str>,
        limit: usize,
    ) -> Result<Page, StoreError> {
        let mut query = ListQuery::new(limit);
        query.parent = parent;
        query.after = after;
        self.innocent(self.runtime.block_on(self.store.list(query)))
    }

    pub(crate) fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        self.innocent(self.runtime.block_on(self.store.metadata(uri)))
    }

    pub(crate) fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        self.innocent(self.runtime.block_on(self.store.read(uri)))
    }

    /// Checks that every call for `uri` reports it as missing.
    #[track_caller]
    pub(crate) fn assert_absent(&self, uri: &str) {
        let answers = [
            self.metadata(uri).map(drop),
            self.read(uri).map(drop),
            self.list(Some(uri), None, 9).map(drop),
        ];
        for answer in answers {
            assert!(
                matches!(answer, Err(StoreError::NotFound)),
                "{uri}: {answer:?}"
            );
        }
    }

    /// The text of the resource's only content, or the error.
    pub(crate) fn text(&self, uri: &str) -> String {
        match self.read(uri) {
            Ok(contents) => match &*contents {
                [one] => {
                    assert_eq!(one.uri, uri);
                    assert_eq!(one.is_collection, Some(false));
                    match &one.body {
                        Body::Text(text) => text.clone(),
                        Body::Blob(bytes) => format!("{bytes:?}"),
                    }
                }
                several => format!("{} contents", several.len()),
            },
            Err(error) => error.to_string(),
        }
    }

    /// The URIs of everything below the collection above all mounts, without their common prefix.
    pub(crate) fn tree(&self) -> Vec<String> {
        let page = self.list(None, None, ALL).unwrap();
        assert_eq!(page.next, None);
        let mut tree = short(&page);
        assert_eq!(tree.remove(0), "");
        tree
    }

    /// The URIs of a collection's contents.
    pub(crate) fn children(&self, parent: &str) -> Vec<String> {
        let page = self.list(Some(parent), None, ALL).unwrap();
        assert_eq!(page.next, None);
        short(&page)
    }

    /// Checks that a result contains neither a path of the host nor the secret.
    fn innocent<T: std::fmt::Debug>(&self, answer: Result<T, StoreError>) -> Result<T, StoreError> {
        self.tells_nothing(&format!("{answer:?}"));
        answer
    }

    pub(crate) fn tells_nothing(&self, said: &str) {
        assert!(!said.contains(SECRET), "{said}");
        assert!(!said.contains(self.outside().to_str().unwrap()), "{said}");
    }
}

pub(crate) fn short(page: &Page) -> Vec<String> {
    page.resources
        .iter()
        .map(|resource| resource.uri.strip_prefix("file:///").unwrap().to_owned())
        .collect()
}

pub(crate) fn write_all(root: &Path, files: &[(&str, &str)]) {
    for (name, content) in files {
        let path = root.join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).unwrap();
        } else {
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
    }
}

/// Sets the time of the last change of a file or directory, on any system.
pub(crate) fn set_modified(path: &Path, time: SystemTime) {
    let parent = Dir::open_ambient_dir(path.parent().unwrap(), ambient_authority()).unwrap();
    let time = SystemTimeSpec::Absolute(cap_std::time::SystemTime::from_std(time));
    let name = path.file_name().unwrap();
    parent.set_mtime(name, time).unwrap();
}

/// Creates a named pipe, on any Unix.
#[cfg(unix)]
pub(crate) fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}
