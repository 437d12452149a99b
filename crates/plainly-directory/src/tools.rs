//! The directories as tools: the tools for any store, and the search through files. Accepts paths
//! that models write instead of URIs; the store decides whether they exist, as for every URI.

mod filesystem;
mod host_paths;

use std::sync::Arc;

use plainly::server::Tool;
use plainly::store::Store;
use plainly::store::tools::{StoreTools, WriteTools};

pub use self::filesystem::FilesystemTools;
use self::host_paths::HostPaths;
use super::store::DirectoryStore;
use super::{search, uri};

impl DirectoryStore {
    /// The tools with which a model reads the directories: those of [`StoreTools`], and `search`,
    /// which ranks sections of files by words, or finds lines by a regular expression and files by
    /// their names. None of them changes anything.
    ///
    /// An argument that expects a URI also accepts the path below a mount, starting with the
    /// mount's name: `docs/guide/intro.md`. A search covers only listed files. It skips binary
    /// files, and searches text of any size.
    ///
    /// ```no_run
    /// use plainly::Server;
    /// use plainly_directory::DirectoryStore;
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let store = DirectoryStore::new("notes")?;
    /// let server = Server::builder("notes", "1.0.0")
    ///     .tools(store.tools())
    ///     .store(store)
    ///     .build()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn tools(&self) -> Vec<Tool> {
        self.tools_over(self.clone())
    }

    /// The [`tools`](Self::tools), which read from `shown`: a store over this one, for example one
    /// that converts its files. A search then uses the text that documents have in `shown`.
    pub fn tools_over(&self, shown: impl Store) -> Vec<Tool> {
        self.tools_with(shown, meant)
    }

    /// The [`tools`](Self::tools) for callers on this machine, who may know the directories by
    /// their host paths. An argument may be a host path, or a `file:` URI of one, and then means
    /// the entry in its mount. A URI of a mount takes precedence. The tools never look at a path
    /// that is not below a mount.
    ///
    /// Offer these tools only to programs on this machine, for example on [standard input and
    /// output](plainly::Server::serve_stdio), because they confirm which path a mount has.
    pub fn local_tools(&self) -> Vec<Tool> {
        self.local_tools_over(self.clone())
    }

    /// The [`local_tools`](Self::local_tools), which read from `shown`, as in
    /// [`tools_over`](Self::tools_over).
    pub fn local_tools_over(&self, shown: impl Store) -> Vec<Tool> {
        self.tools_with(shown, self.local_spelling())
    }

    /// The function that interprets arguments of callers on this machine.
    fn local_spelling(&self) -> impl Fn(&str) -> Option<String> + Clone + Send + Sync + 'static {
        let paths = Arc::new(HostPaths::of(self));
        let store = self.clone();
        move |written: &str| {
            let meant = meant(written);
            if meant.as_deref().is_some_and(|uri| store.serves(uri)) {
                return meant;
            }
            paths.uri(written).or(meant)
        }
    }

    fn tools_with(
        &self,
        shown: impl Store,
        spelling: impl Fn(&str) -> Option<String> + Clone + Send + Sync + 'static,
    ) -> Vec<Tool> {
        let shown = Arc::new(shown);
        let reading = StoreTools::new(Arc::clone(&shown)).spelling(spelling.clone());
        let mut tools = reading.build();
        let own = StoreTools::new(self.clone()).spelling(spelling);
        tools.push(search::tool(self.clone(), own, shown));
        tools
    }

    /// The tools with which a model changes the [writable](plainly::store::Writable) directories:
    /// those of [`WriteTools`], which accept paths below a mount as well.
    pub fn write_tools(&self) -> WriteTools<Self> {
        WriteTools::new(self.clone()).spelling(meant)
    }

    /// The [`write_tools`](Self::write_tools) for callers on this machine, which accept host paths
    /// like [`local_tools`](Self::local_tools).
    pub fn local_write_tools(&self) -> WriteTools<Self> {
        WriteTools::new(self.clone()).spelling(self.local_spelling())
    }
}

/// The URI for an argument that is a URI or a path below a mount; empty for the level above all
/// mounts.
fn meant(written: &str) -> Option<String> {
    if uri::is_file(written) {
        let is_top = uri::is_top(written);
        return Some(if is_top { "" } else { written }.to_owned());
    }
    if written.contains("://") {
        return None;
    }
    let path = written.strip_prefix("./").unwrap_or(written);
    let names: Vec<String> = names(path).map(|name| uri::encode(name.as_ref())).collect();
    match names.as_slice() {
        [] => Some(String::new()),
        names => Some(format!("{}{}", uri::ROOT, names.join("/"))),
    }
}

/// The names in a path, ignoring a slash at its beginning or end.
fn names(path: &str) -> impl Iterator<Item = &str> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    let is_top = matches!(path, "" | ".");
    path.split('/').filter(move |_| !is_top)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_means_the_uri_below_a_mount() {
        for (written, expected) in [
            ("file:///docs/a b.md", Some("file:///docs/a b.md")),
            ("file:docs", Some("file:docs")),
            ("docs/a b.md", Some("file:///docs/a%20b.md")),
            ("docs/a%20b.md", Some("file:///docs/a%2520b.md")),
            ("./docs/a", Some("file:///docs/a")),
            ("/docs/a/", Some("file:///docs/a")),
            ("docs/100%.txt", Some("file:///docs/100%25.txt")),
            ("", Some("")),
            (".", Some("")),
            ("/", Some("")),
            ("file:///", Some("")),
            ("FILE:/", Some("")),
            ("docs/../x", Some("file:///docs/../x")),
            ("docs//x", Some("file:///docs//x")),
            ("https://example.com", None),
        ] {
            assert_eq!(meant(written).as_deref(), expected, "{written}");
        }
    }
}
