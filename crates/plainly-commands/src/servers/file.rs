//! Files of hosts, which are read and written as a whole. The earlier contents are preserved in a
//! backup.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use super::syntax::FileFault;
use crate::state;
use crate::whole_file::{beside, is_missing, real, replace};

/// The largest file that is read, in bytes. A larger file contains no settings.
const LARGEST: u64 = 64 << 20;

/// The text of a file; `None` if the file does not exist.
pub(crate) fn read(path: &Path) -> Result<Option<String>, FileFault> {
    let broken = |why: String| FileFault {
        path: path.to_owned(),
        place: None,
        why,
    };
    match fs::metadata(path) {
        // Reading anything but a file may never end.
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

/// The outcome of writing a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FileWrite {
    /// The path of the backup with the earlier contents.
    Done(Option<PathBuf>),
    /// Another program has changed the file meanwhile, so nothing was written.
    Outdated,
}

/// The lock of all files, for a change of one: two simultaneous changes could lose one of them. The
/// lock ends when it is dropped. `None` if it can't be acquired; then the change happens without
/// it.
pub(crate) fn lock() -> Option<File> {
    let directory = state::directory()?;
    let locked = (|| {
        state::make_private(&directory)?;
        let mut options = OpenOptions::new();
        let file = options.append(true).create(true);
        let file = file.open(directory.join("servers.lock"))?;
        file.lock().map(|()| file)
    })();
    let failed = |error: &io::Error| tracing::debug!(%error, "files of hosts can't be locked");
    locked.inspect_err(failed).ok()
}

/// Writes the text to a file that contained the text `before`, which is saved in a backup file
/// beside it. Links to the file are followed. If it `is_private`, a new file is readable only by
/// its owner.
pub(crate) fn write(
    path: &Path,
    before: Option<&str>,
    text: &str,
    is_private: bool,
) -> io::Result<FileWrite> {
    let path = real(path)?;
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory)?;
    }
    let mode = match fs::metadata(&path) {
        Ok(about) => Some(about.permissions()),
        Err(error) if is_missing(&error) => None,
        Err(error) => return Err(error),
    };
    let backup = match before {
        Some(before) => Some(back_up(&path, before.as_bytes(), mode.clone(), is_private)?),
        None => None,
    };
    // Hosts write their files at any time, and don't use this lock.
    let is_same = || fs::read(&path).ok().as_deref() == before.map(str::as_bytes);
    match replace(&path, text.as_bytes(), mode, is_private, is_same)? {
        true => Ok(FileWrite::Done(backup)),
        false => Ok(FileWrite::Outdated),
    }
}

/// Saves these bytes in a file beside this one. The first backup is never replaced, because it has
/// the contents before plainly's first change.
fn back_up(
    path: &Path,
    bytes: &[u8],
    mode: Option<Permissions>,
    is_private: bool,
) -> io::Result<PathBuf> {
    let first = beside(path, "plainly-backup");
    let backup = match fs::symlink_metadata(&first) {
        Ok(about) if about.is_file() && fs::read(&first)? == bytes => return Ok(first),
        Ok(_) => beside(path, "plainly-backup-last"),
        Err(_) => first,
    };
    replace(&backup, bytes, mode, is_private, || true)?;
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_as_it_is() {
        let directory = tempfile::TempDir::new().unwrap();
        let path = directory.path().join("f");
        for (there, before) in [
            (Some("theirs"), None),
            (Some("theirs"), Some("old")),
            (None, Some("old")),
        ] {
            let _ = fs::remove_file(&path);
            there.inspect(|text| fs::write(&path, text).unwrap());
            assert_eq!(
                write(&path, before, "ours", true).unwrap(),
                FileWrite::Outdated
            );
            assert_eq!(read(&path).unwrap().as_deref(), there);
        }
        fs::write(&path, "theirs").unwrap();
        let written = write(&path, Some("theirs"), "ours", true).unwrap();
        assert!(matches!(written, FileWrite::Done(Some(_))), "{written:?}");
        assert_eq!(read(&path).unwrap().as_deref(), Some("ours"));
    }
}
