//! Temporary files of a killed process. At the next start, the server removes files that were being
//! written. A file that was being removed is renamed and stays, because no process has checked
//! whether it was the right one.

use std::io;
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, SystemTime};

use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::fs::{Dir, DirEntry};

use super::temporary;
use crate::place::MAX_DEPTH;
use crate::request::Mounts;
use crate::{handle, own_names, trash};

/// The age after which a temporary file is no longer in use.
const OLD: Duration = Duration::from_secs(60 * 60);

/// Cleans all writable mounts, on a separate thread: removes temporary files, and old entries of
/// the trash.
pub(crate) fn clean(mounts: &Arc<Mounts>) {
    if !mounts.roots.iter().any(|root| root.is_writable) {
        return;
    }
    let mounts = Arc::downgrade(mounts);
    let thread = thread::Builder::new().name("plainly-clean".to_owned());
    let started = thread.spawn(move || clean_all(&mounts));
    if let Err(error) = started {
        tracing::warn!(%error, "temporary files of earlier servers are not removed");
    }
}

fn clean_all(mounts: &Weak<Mounts>) {
    let Some(served) = mounts.upgrade() else {
        return;
    };
    // Next to a single served file, no file belongs to the server.
    let roots = served
        .roots
        .iter()
        .filter(|root| root.is_writable && root.file.is_none());
    let dirs: Vec<_> = roots
        .map(|root| {
            let dir = root.dir();
            let swept = trash::sweep(&dir, &root.trash);
            (root.uri.clone(), dir, swept)
        })
        .collect();
    drop(served);
    for (uri, dir, swept) in dirs {
        let cleaned = swept.and_then(|()| {
            let cleaning = Cleaning {
                device: dir.dir_metadata()?.dev(),
                older_than: OLD,
                is_wanted: &|| mounts.strong_count() > 0,
            };
            cleaning.directory(&dir, 0)
        });
        if let Err(error) = cleaned {
            tracing::warn!(uri, %error, "temporary files of earlier servers are not removed");
        }
    }
}

/// The removal of temporary files on one disk.
pub(super) struct Cleaning<'a> {
    pub(super) device: u64,
    pub(super) older_than: Duration,
    pub(super) is_wanted: &'a dyn Fn() -> bool,
}

impl Cleaning<'_> {
    /// Removes the temporary files in a directory and all below it.
    pub(super) fn directory(&self, dir: &Dir, depth: usize) -> io::Result<()> {
        for entry in dir.entries()? {
            if !(self.is_wanted)() {
                return Ok(());
            }
            // A directory that can't be opened contains no temporary files of this server.
            let _left = entry.and_then(|entry| self.entry(dir, &entry, depth));
        }
        Ok(())
    }

    fn entry(&self, dir: &Dir, entry: &DirEntry, depth: usize) -> io::Result<()> {
        let name = entry.file_name();
        let is_directory = entry.file_type()?.is_dir();
        if own_names::is_leftover(&name) {
            let changed = handle::changed(&handle::look(dir, &name)?);
            let age = changed.and_then(|it| SystemTime::now().duration_since(it).ok());
            return match age.is_some_and(|age| age >= self.older_than) {
                true if own_names::is_taken(&name) => {
                    temporary::set_aside(dir, &name);
                    Ok(())
                }
                true if is_directory => dir.remove_dir_all(&name),
                true => dir.remove_file(&name),
                false => Ok(()),
            };
        }
        if is_directory && depth < MAX_DEPTH && !own_names::is_own(&name) {
            let inner = dir.open_dir_nofollow(&name)?;
            if inner.dir_metadata()?.dev() == self.device {
                return self.directory(&inner, depth + 1);
            }
        }
        Ok(())
    }
}
