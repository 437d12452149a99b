//! Files of hosts, written whole or not at all: beside the file, then in its place. What was there before is kept.

use std::ffi::OsString;
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::syntax::Broken;

/// The largest file that is read, in bytes: what is larger has no settings in it.
const LARGEST: u64 = 64 << 20;

/// The text of a file; nothing if there is none.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Broken> {
    let broken = |why: String| Broken {
        path: path.to_owned(),
        place: None,
        why,
    };
    match fs::metadata(path) {
        // Reading anything else may take for ever.
        Ok(about) if !about.is_file() => return Err(broken("it is not a file".to_owned())),
        Ok(about) if about.len() > LARGEST => return Err(broken("it is too large".to_owned())),
        Ok(_) | Err(_) => {}
    }
    match fs::read(path) {
        Ok(bytes) => match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(broken("it is not UTF-8".to_owned())),
        },
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(broken(format!("cannot read it: {error}"))),
    }
}

fn is_missing(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound};
    matches!(error.kind(), NotFound | NotADirectory)
}

/// Puts the text into the file, and what the file had before into another beside it, whose path it returns. Links to the file
/// are followed. A new one is for its owner alone if it `is_private`.
pub(crate) fn write(path: &Path, text: &str, is_private: bool) -> io::Result<Option<PathBuf>> {
    // Through a link that leads nowhere yet, too: it is the user's way of keeping such files elsewhere.
    let linked = fs::read_link(path)
        .ok()
        .and_then(|to| Some(path.parent()?.join(to)));
    let path = fs::canonicalize(path).unwrap_or(linked.unwrap_or_else(|| path.to_owned()));
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let before = match fs::metadata(&path) {
        Ok(about) => Some(about.permissions()),
        Err(error) if is_missing(&error) => None,
        Err(error) => return Err(error),
    };
    let backup = before.is_some().then(|| beside(&path, "plainly-backup"));
    if let Some(backup) = &backup {
        replace(backup, &fs::read(&path)?, before.clone(), is_private)?;
    }
    replace(&path, text.as_bytes(), before, is_private)?;
    Ok(backup)
}

/// Puts a fresh file with these bytes in the place of whatever is there. A link is replaced, not followed: a repository may
/// bring one that leads out of it.
fn replace(
    path: &Path,
    bytes: &[u8],
    mode: Option<Permissions>,
    is_private: bool,
) -> io::Result<()> {
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
        fs::rename(&new, path)
    })();
    if written.is_err() {
        // If that fails as well, the first error says more.
        let _ = fs::remove_file(&new);
    }
    written
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.file_name().unwrap_or_default());
    name.push(".");
    name.push(suffix);
    path.with_file_name(name)
}
