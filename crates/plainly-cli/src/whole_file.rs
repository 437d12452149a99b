//! Files written whole or not at all: beside the file, then in its place.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes these bytes to a file, a pipe or a device. A file has either all of them or what it had before; links to it are followed.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let path = real(path)?;
    let mode = match fs::metadata(&path) {
        Ok(about) if !about.is_file() => return fs::write(path, bytes),
        Ok(about) => Some(about.permissions()),
        Err(error) if is_missing(&error) => None,
        Err(error) => return Err(error),
    };
    match replace(&path, bytes, mode, false, || true) {
        // Nothing new can be written in some directories.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => fs::write(path, bytes),
        replaced => replaced.map(drop),
    }
}

/// The target of a path, through links, also if nothing exists there yet: they are the user's way
/// of moving such files elsewhere.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let missing = match fs::canonicalize(path) {
        Err(error) if is_missing(&error) => error,
        found => return found,
    };
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(missing);
    };
    // A bare name is in the current directory.
    let parent = match parent.as_os_str().is_empty() {
        true => Path::new("."),
        false => parent,
    };
    match fs::read_link(path) {
        Ok(to) => real(&parent.join(to)),
        Err(_) => Ok(real(parent)?.join(name)),
    }
}

/// Puts a fresh file with these bytes in the place of whatever is there, if `is_wanted` still; returns whether it was. A link is
/// replaced, not followed: a repository may bring one that leads out of it.
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
        // If that fails as well, the first error says more.
        let _ = fs::remove_file(&new);
    }
    written
}

/// A file of the same name with another ending.
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
