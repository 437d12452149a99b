//! The handle of a mount's directory, and its replacement. After `rm -rf dist && mkdir dist`, the
//! handle refers to a directory without a name. Another directory at the path is served instead,
//! unless another user may have put it there.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cap_fs_ext::{DirExt as _, MetadataExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use super::handle::{self, owner};

/// The minimum time between two checks of the path of a directory that still exists.
const LOOKED: Duration = Duration::from_secs(1);

/// The administrator, whose links are always followed.
const ROOT: u32 = 0;

/// The directory as it was last opened.
pub(super) struct Current {
    dir: Arc<Dir>,
    looked: Instant,
    /// Whether a warning about this directory was logged.
    has_warned: bool,
}

/// The result of looking for a directory that replaces the known one.
pub(super) enum Replacement {
    /// There is no other directory.
    Missing,
    Found(Dir),
    /// A directory of another user, which must not be served.
    Foreign,
}

impl Current {
    pub(super) fn new(dir: Dir) -> Self {
        Self {
            dir: Arc::new(dir),
            looked: Instant::now(),
            has_warned: false,
        }
    }

    /// The directory to serve. `uri` names it in the log.
    pub(super) fn dir(
        &mut self,
        uri: &str,
        find: impl FnOnce(&Metadata) -> Replacement,
    ) -> Arc<Dir> {
        let Ok(metadata) = self.dir.dir_metadata() else {
            return Arc::clone(&self.dir);
        };
        let is_removed = metadata.nlink() == 0;
        if !is_removed && self.looked.elapsed() < LOOKED {
            return Arc::clone(&self.dir);
        }
        self.looked = Instant::now();
        match find(&metadata) {
            Replacement::Found(dir) => {
                tracing::info!(uri, "another directory at its path is served");
                *self = Self::new(dir);
            }
            Replacement::Missing if !is_removed => self.has_warned = false,
            Replacement::Missing => self.warn(
                uri,
                "the directory was removed: nothing is served until it is there again",
            ),
            Replacement::Foreign => self.warn(
                uri,
                "another directory at its path is not served, because another user made it",
            ),
        }
        Arc::clone(&self.dir)
    }

    /// Logs a problem, once per directory.
    fn warn(&mut self, uri: &str, what: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            tracing::warn!(uri, "{what}");
        }
    }
}

/// Looks for another directory at the path of `known`.
pub(super) fn find(path: &Path, known: &Metadata) -> Replacement {
    match handle::identity(path) {
        Ok(found) if found != (known.dev(), known.ino()) => {}
        Ok(_) | Err(_) => return Replacement::Missing,
    }
    let opened = open(path, owner(known), |parent, name, is_link| match is_link {
        true => Dir::open_ambient_dir(path, ambient_authority()),
        false => parent.open_dir_nofollow(name),
    });
    replacement(opened)
}

/// Looks for another directory that contains the file at `path`, or another `name` of that file, if
/// `path` or a directory above is a link.
pub(super) fn find_file(path: &Path, name: &mut Arc<OsStr>, known: &Metadata) -> Replacement {
    let is_known = |(place, found): (PathBuf, Arc<OsStr>)| {
        let identity = handle::identity(&place).ok();
        found == *name && identity == Some((known.dev(), known.ino()))
    };
    if real(path).map_or(true, is_known) {
        return Replacement::Missing;
    }
    let mut new = None;
    let opened = open(path, owner(known), |_, _, _| {
        let (place, name) = real(path)?;
        new = Some(name);
        Dir::open_ambient_dir(place, ambient_authority())
    });
    if let (Ok(Some(_)), Some(new)) = (&opened, new) {
        *name = new;
    }
    replacement(opened)
}

/// The directory that contains the file at `path`, and the name of the file, links resolved.
pub(super) fn real(path: &Path) -> io::Result<(PathBuf, Arc<OsStr>)> {
    let real = path.canonicalize()?;
    match (real.parent(), real.file_name()) {
        (Some(place), Some(name)) => Ok((place.to_owned(), name.into())),
        (None, _) | (_, None) => Err(io::ErrorKind::NotADirectory.into()),
    }
}

fn replacement(opened: io::Result<Option<Dir>>) -> Replacement {
    match opened {
        Ok(Some(dir)) => Replacement::Found(dir),
        Ok(None) => Replacement::Foreign,
        Err(_) => Replacement::Missing,
    }
}

/// Opens a directory that the path leads to. Returns `None` if another user owns it or the link at
/// the path.
fn open(
    path: &Path,
    user: u32,
    open: impl FnOnce(&Dir, &OsStr, bool) -> io::Result<Dir>,
) -> io::Result<Option<Dir>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let parent = Dir::open_ambient_dir(parent, ambient_authority())?;
    let entry = parent.symlink_metadata(name)?;
    let is_link = entry.is_symlink();
    if is_link && ![user, ROOT].contains(&owner(&entry)) {
        return Ok(None);
    }
    let dir = open(&parent, name, is_link)?;
    if is_link {
        // The link may have been replaced between the check and the opening.
        let after = parent.symlink_metadata(name)?;
        if (after.ino(), handle::changed(&after)) != (entry.ino(), handle::changed(&entry)) {
            return Err(io::ErrorKind::NotFound.into());
        }
    }
    // The directory may have been replaced before it was opened, so the check uses the handle.
    let is_own = owner(&dir.dir_metadata()?) == user;
    Ok(is_own.then_some(dir))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use rustix::fs::{AtFlags, CWD, Uid, chownat};
    use rustix::process::geteuid;
    use tempfile::TempDir;

    use super::*;

    /// A served directory `d` that has been moved away.
    struct MovedMount {
        around: TempDir,
        current: Current,
    }

    impl MovedMount {
        fn new() -> Self {
            let around = tempfile::tempdir().unwrap();
            let path = around.path().join("d");
            fs::create_dir(&path).unwrap();
            let dir = Dir::open_ambient_dir(&path, ambient_authority()).unwrap();
            dir.write("before", "").unwrap();
            fs::rename(&path, around.path().join("moved")).unwrap();
            fs::create_dir_all(around.path().join("other/after")).unwrap();
            let current = Current::new(dir);
            Self { around, current }
        }

        /// The names in the directory that is served one second later.
        fn names(&mut self) -> Vec<String> {
            self.current.looked = Instant::now().checked_sub(LOOKED).unwrap();
            let path = self.around.path().join("d");
            let dir = self.current.dir("file:///d", |known| find(&path, known));
            let names = dir
                .entries()
                .unwrap()
                .map(|entry| entry.unwrap().file_name());
            names.map(|name| name.into_string().unwrap()).collect()
        }
    }

    #[test]
    fn another_directory_is_looked_for_once_in_a_second() {
        let mut moved = MovedMount::new();
        let path = moved.around.path().join("d");
        assert_eq!(moved.names(), ["before"]);
        fs::rename(moved.around.path().join("other"), &path).unwrap();
        let dir = moved.current.dir("file:///d", |known| find(&path, known));
        assert!(dir.exists("before"));
        assert_eq!(moved.names(), ["after"]);
    }

    #[test]
    fn a_link_of_the_same_user_leads_to_another_directory() {
        let mut moved = MovedMount::new();
        symlink("other", moved.around.path().join("d")).unwrap();
        assert_eq!(moved.names(), ["after"]);
        // A link replaced by another one, as deployments do.
        let next = moved.around.path().join("next");
        symlink("moved", &next).unwrap();
        fs::rename(next, moved.around.path().join("d")).unwrap();
        assert_eq!(moved.names(), ["before"]);
    }

    #[test]
    fn what_another_user_put_there_is_not_served() {
        let (mut moved, mut linked) = (MovedMount::new(), MovedMount::new());
        let path = |moved: &MovedMount| moved.around.path().join("d");
        if geteuid().is_root() {
            let give = |path: &Path| {
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                chownat(CWD, path, Some(Uid::from_raw(1)), None, flags).unwrap();
            };
            fs::create_dir(path(&moved)).unwrap();
            give(&path(&moved));
            symlink("other", path(&linked)).unwrap();
            give(&path(&linked));
        } else {
            // Directories that the administrator owns.
            symlink("/", path(&moved)).unwrap();
            symlink("/usr", path(&linked)).unwrap();
        }
        for moved in [&mut moved, &mut linked] {
            assert_eq!(moved.names(), ["before"]);
            assert!(moved.current.has_warned);
        }
    }
}
