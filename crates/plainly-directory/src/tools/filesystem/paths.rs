//! Converts paths in arguments and results.

use std::env;
use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

use plainly::store::Store;

use crate::store::DirectoryStore;
use crate::tools::host_paths::HostPaths;
use crate::{tools, uri};

/// The paths of the directories, for local or remote callers.
#[derive(Debug)]
pub(super) struct Paths {
    store: DirectoryStore,
    /// The host paths, if callers may know them.
    local: Option<HostPaths>,
}

impl Paths {
    pub(super) fn local(store: &DirectoryStore) -> Self {
        Self {
            local: Some(HostPaths::of(store)),
            store: store.clone(),
        }
    }

    pub(super) fn remote(store: &DirectoryStore) -> Self {
        Self {
            local: None,
            store: store.clone(),
        }
    }

    /// The URI for a path: below the name of a directory, on this machine, or relative to the first
    /// directory, in this order.
    pub(super) fn uri(&self, written: &str) -> Option<String> {
        let meant = tools::meant(written);
        if meant.as_deref().is_some_and(|uri| self.store.serves(uri)) {
            return meant;
        }
        if uri::is_file(written) {
            return self
                .local
                .as_ref()
                .and_then(|paths| paths.uri(written))
                .or(meant);
        }
        let path = resolved(&with_home(written));
        if let Some(paths) = &self.local
            && let Some(uri) = path.to_str().and_then(|path| paths.uri(path))
        {
            return Some(uri);
        }
        match self.store.mounts.roots.first() {
            Some(first) if path.is_relative() && meant.is_some() => {
                let names = path.iter();
                Some(names.fold(first.uri.clone(), |uri, name| uri::child(&uri, name)))
            }
            _ => meant,
        }
    }

    /// The path under which a caller can use this URI.
    pub(super) fn shown(&self, uri: &str) -> String {
        let roots = &self.store.mounts.roots;
        let found = roots.iter().find_map(|root| {
            let below = match uri == root.uri {
                true => PathBuf::new(),
                false => uri::below(&root.uri, uri)?,
            };
            let top = match &self.local {
                Some(_) => root.path.clone(),
                None => Path::new("/").join(&root.name),
            };
            let is_top = below.as_os_str().is_empty();
            Some(if is_top { top } else { top.join(below) })
        });
        // A name that isn't UTF-8 can only be written as a URI.
        let path = found.and_then(|path| path.to_str().map(str::to_owned));
        path.unwrap_or_else(|| uri.to_owned())
    }
}

/// Replaces a tilde at the beginning of the path by the home directory.
fn with_home(written: &str) -> PathBuf {
    let rest = match written.strip_prefix('~') {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => return PathBuf::from(written),
    };
    match env::home_dir() {
        Some(home) => home.join(rest),
        None => PathBuf::from(written),
    }
}

/// Resolves `.` and `..` in the text of the path, without following links. Surplus `..` are left,
/// and such a path is not found.
fn resolved(path: &Path) -> PathBuf {
    let mut resolved = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if resolved
                    .file_name()
                    .is_some_and(|name| name != OsStr::new("..")) =>
            {
                resolved.pop();
            }
            Component::Prefix(_)
            | Component::RootDir
            | Component::ParentDir
            | Component::Normal(_) => resolved.push(part),
        }
    }
    resolved
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_are_resolved_as_far_as_there_are_names() {
        for (path, expected) in [
            ("/a/./b", "/a/b"),
            ("/a/../b/", "/b"),
            ("a/..", ""),
            ("a/../..", ".."),
            ("../a/../b", "../b"),
            (".", ""),
        ] {
            assert_eq!(resolved(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
