//! The mounts by their host paths. Paths are only compared as text, so comparing one never accesses
//! the disk.

use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;

use crate::store::DirectoryStore;
use crate::uri;

/// Pairs of a mount's path and its URI. Each mount also has a pair for its path with links
/// resolved.
#[derive(Debug)]
pub(super) struct HostPaths(Vec<(PathBuf, String)>);

impl HostPaths {
    pub(super) fn of(store: &DirectoryStore) -> Self {
        let mut paths = Vec::new();
        for root in &store.mounts.roots {
            let path = root.path.clone();
            let resolved = path.canonicalize().ok();
            for path in [Some(path), resolved].into_iter().flatten() {
                paths.push((path, root.uri.clone()));
            }
        }
        // Innermost mounts come first, because mounts may be nested.
        paths.sort_by_key(|(path, _)| std::cmp::Reverse(path.components().count()));
        Self(paths)
    }

    /// The URI of the entry at this host path or `file:` URI, if it is in a mount.
    pub(super) fn uri(&self, written: &str) -> Option<String> {
        let path = path_of(written)?;
        self.0.iter().find_map(|(mount, uri)| {
            let below = path.strip_prefix(mount).ok()?;
            Some(
                below
                    .iter()
                    .fold(uri.clone(), |uri, name| uri::child(&uri, name)),
            )
        })
    }
}

/// The absolute path in this text, which is a path or a URI.
fn path_of(written: &str) -> Option<PathBuf> {
    let path = match written.strip_prefix(uri::ROOT) {
        Some(rest) => {
            // On Windows, a drive follows the slash: file:///C:/notes.
            let begin = if cfg!(windows) { "" } else { "/" };
            // Each name is decoded on its own, so that an encoded slash doesn't separate names.
            let names = rest.split('/').map(|name| {
                let name: Vec<u8> = percent_decode_str(name).collect();
                let is_one = !name.contains(&b'/');
                is_one.then(|| uri::from_bytes(name)).flatten()
            });
            let path: PathBuf = names.collect::<Option<_>>()?;
            Path::new(begin).join(path)
        }
        None => PathBuf::from(written),
    };
    path.is_absolute().then_some(path)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn paths_below_a_mount_are_in_it() {
        let mounts = [("/home/me/docs/deep", "b"), ("/home/me/docs", "a")];
        let paths = mounts.map(|(path, name)| (path.into(), format!("file:///{name}")));
        let paths = HostPaths(paths.into());
        for (written, expected) in [
            ("/home/me/docs/x.md", Some("file:///a/x.md")),
            ("/home/me/docs", Some("file:///a")),
            ("/home/me/docs/", Some("file:///a")),
            ("file:///home/me/docs/a%20b", Some("file:///a/a%20b")),
            ("/home/me/docs/a b", Some("file:///a/a%20b")),
            ("/home/me/docs/a%20b", Some("file:///a/a%2520b")),
            ("/home/me/docs/deep/x", Some("file:///b/x")),
            ("/home/me/docs/deeper", Some("file:///a/deeper")),
            ("/home/me/docs/../x", Some("file:///a/../x")),
            ("file:///home/me/docs/%2e%2e/x", Some("file:///a/../x")),
            ("file:///home/me/docs/a%2Fb", None),
            ("file:///home%2Fme/docs/a", None),
            ("/home/me/docs2/x", None),
            ("/home/me", None),
            ("home/me/docs/x.md", None),
            ("file://localhost/home/me/docs/x", None),
            ("", None),
        ] {
            assert_eq!(paths.uri(written).as_deref(), expected, "{written}");
        }
    }
}
