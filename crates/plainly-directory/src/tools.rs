//! The directories as tools: those over any store, and the search through their files. Defines the
//! spellings that models may use for paths; the store decides which exist, as for every other URI.

mod host_paths;

use percent_encoding::percent_decode_str;
use plainly::server::Tool;
use plainly::store::Store;
use plainly::store::tools::StoreTools;

use self::host_paths::HostPaths;
use super::store::DirectoryStore;
use super::{search, uri};

impl DirectoryStore {
    /// The tools with which a model looks at the directories: those of [`StoreTools`], and `search`, which finds lines by a
    /// regular expression and files by their names. None changes anything.
    ///
    /// Where a URI is asked for, the path below a mount does as well, its name first: `docs/guide/intro.md`. A search sees
    /// no more than is listed, and of that no file that is binary; text of any size.
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
        self.tools_with(StoreTools::new(self.clone()).spelling(meant))
    }

    /// The [`tools`](Self::tools) for callers on this machine, who may know the directories by their paths here: an argument
    /// that is such a path, or a `file:` URI of one, means what is there in its mount. A URI of a mount takes precedence.
    /// No path is looked at that is not below a mount.
    ///
    /// Offer these where only programs on this machine can call them, such as on [standard input and
    /// output](plainly::Server::serve_stdio): they confirm which path a mount has.
    pub fn local_tools(&self) -> Vec<Tool> {
        let paths = HostPaths::of(self);
        let store = self.clone();
        let spelling = move |written: &str| {
            let meant = meant(written);
            if meant.as_deref().is_some_and(|uri| store.serves(uri)) {
                return meant;
            }
            paths.uri(written).or(meant)
        };
        self.tools_with(StoreTools::new(self.clone()).spelling(spelling))
    }

    fn tools_with(&self, of_any_store: StoreTools<Self>) -> Vec<Tool> {
        let mut tools = of_any_store.clone().build();
        tools.push(search::tool(self.clone(), of_any_store));
        tools
    }
}

/// The URI that is meant by a URI in any percent-encoding, or by a path below a mount. Empty for
/// the level above all mounts.
fn meant(written: &str) -> Option<String> {
    let names: Vec<Vec<u8>> = match written.strip_prefix(uri::ROOT) {
        Some(rest) => names(rest)
            .map(|name| percent_decode_str(name).collect())
            .collect(),
        None if written.contains("://") => return None,
        None => names(written.strip_prefix("./").unwrap_or(written))
            .map(|name| name.as_bytes().to_vec())
            .collect(),
    };
    let segments: Vec<String> = names.iter().map(|name| uri::encode_bytes(name)).collect();
    match segments.as_slice() {
        [] => Some(String::new()),
        segments => Some(format!("{}{}", uri::ROOT, segments.join("/"))),
    }
}

/// The names of a path, whether or not it begins or ends with a slash.
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
    fn paths_and_loose_spellings_mean_the_one_uri() {
        for (written, expected) in [
            ("file:///docs/a%20b.md", Some("file:///docs/a%20b.md")),
            ("file:///docs/a b.md", Some("file:///docs/a%20b.md")),
            ("file:///docs/%61", Some("file:///docs/a")),
            ("file:///docs/caf%c3%a9", Some("file:///docs/caf%C3%A9")),
            ("file:///docs/", Some("file:///docs")),
            ("docs/a b.md", Some("file:///docs/a%20b.md")),
            ("docs/a%20b.md", Some("file:///docs/a%2520b.md")),
            ("./docs/a", Some("file:///docs/a")),
            ("/docs/a/", Some("file:///docs/a")),
            ("docs/100%.txt", Some("file:///docs/100%25.txt")),
            ("", Some("")),
            (".", Some("")),
            ("/", Some("")),
            ("file:///", Some("")),
            ("docs/../x", Some("file:///docs/../x")),
            ("docs//x", Some("file:///docs//x")),
            ("file:///docs/%2e%2e%2fx", Some("file:///docs/..%2Fx")),
            ("file://localhost/docs", None),
            ("https://example.com", None),
        ] {
            assert_eq!(meant(written).as_deref(), expected, "{written}");
        }
    }
}
