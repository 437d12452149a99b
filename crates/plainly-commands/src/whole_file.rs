//! Writes files completely or not at all: a new file is written beside the old one, and then
//! replaces it.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes these bytes to a file, a pipe or a device. A file contains either all of them or its
/// earlier contents. Links are followed.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = real(path)?;
    let mode = match fs::metadata(&path) {
        Ok(about) if !about.is_file() => return fs::write(path, bytes),
        Ok(about) => Some(about.permissions()),
        Err(error) if is_missing(&error) => None,
        Err(error) => return Err(error),
    };
    match replace(&path, bytes, mode, false, || true) {
        // Some directories don't allow new files.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => fs::write(path, bytes),
        replaced => replaced.map(drop),
    }
}

/// The target of a path after following links, even if it does not exist yet, because users may
/// have moved such files elsewhere and left links.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let missing = match fs::canonicalize(path) {
        Err(error) if is_missing(&error) => error,
        found => return found,
    };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(missing);
    };
    // A plain name is in the current directory.
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    match fs::read_link(path) {
        Ok(to) => real(&parent.join(to)),
        Err(_) => Ok(real(parent)?.join(name)),
    }
}

/// Replaces the file at this path by a new one with these bytes, if `is_wanted` still holds;
/// returns whether it did. A link is replaced and not followed, because a repository may contain a
/// link that leads out of it.
pub(crate) fn replace(
    path: &Path,
    bytes: &[u8],
    mode: Option<Permissions>,
    is_private: bool,
    is_wanted: impl FnOnce() -> bool,
) -> io::Result<bool> {
    let new = beside(path, &format!("plainly-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if is_private || mode.is_some() {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = is_private;
    let mut file = options.open(&new)?;
    let written = (|| {
        if let Some(mode) = mode {
            file.set_permissions(mode)?;
        }
        file.write_all(bytes)?;
        file.sync_all()?;
        let is_wanted = is_wanted();
        if is_wanted {
            fs::rename(&new, path)?;
        }
        Ok(is_wanted)
    })();
    if !matches!(written, Ok(true)) {
        // If this fails too, the first error says more.
        let _ = fs::remove_file(&new);
    }
    written
}

/// A file with the same name and an added suffix.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}

pub(crate) fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}
