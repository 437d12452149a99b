//! The handle of a mount's directory, and its replacement: `rm -rf dist && mkdir dist` leaves the handle with a directory
//! that has lost its name. Another directory at the path is served instead if nobody else can have put it there.

use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use cap_fs_ext::{DirExt as _, MetadataExt as _};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};

use super::handle::{self, owner};

/// The least time between two looks at the path of a directory that is still there.
const LOOKED: Duration = Duration::from_secs(1);

/// The administrator, who may lead anywhere.
const ROOT: u32 = 0;

/// The directory as it was last opened.
pub(super) struct Current {
    dir: Arc<Dir>,
    looked: Instant,
    /// Whether a warning was logged.
    has_warned: bool,
}

/// The directory that could take the place of a known one.
enum Replacement {
    /// There is none.
    Missing,
    Found(Dir),
    /// A directory of another user, which isn't served.
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

    /// The directory to serve, which is called `uri`.
    pub(super) fn dir(&mut self, path: &Path, uri: &str) -> Arc<Dir> {
        let Ok(metadata) = self.dir.dir_metadata() else {
            return Arc::clone(&self.dir);
        };
        let is_removed = metadata.nlink() == 0;
        if !is_removed && self.looked.elapsed() < LOOKED {
            return Arc::clone(&self.dir);
        }
        self.looked = Instant::now();
        match find(path, &metadata) {
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

    /// Logs once what is wrong.
    fn warn(&mut self, uri: &str, what: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            tracing::warn!(uri, "{what}");
        }
    }
}

/// Looks whether there is another directory at the path of `known`.
fn find(path: &Path, known: &Metadata) -> Replacement {
    match handle::identity(path) {
        Ok(found) if found != (known.dev(), known.ino()) => {}
        Ok(_) | Err(_) => return Replacement::Missing,
    }
    match open(path, owner(known)) {
        Ok(Some(dir)) => Replacement::Found(dir),
        Ok(None) => Replacement::Foreign,
        Err(_) => Replacement::Missing,
    }
}

/// Opens the directory at the path, if it is of this user, and so is the link that may lead there.
fn open(path: &Path, user: u32) -> io::Result<Option<Dir>> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::ErrorKind::InvalidFilename.into());
    };
    let parent = Dir::open_ambient_dir(parent, ambient_authority())?;
    let entry = parent.symlink_metadata(name)?;
    let dir = if entry.is_symlink() {
        if ![user, ROOT].contains(&owner(&entry)) {
            return Ok(None);
        }
        let dir = Dir::open_ambient_dir(path, ambient_authority())?;
        // It was this link that led there.
        let after = parent.symlink_metadata(name)?;
        if (after.ino(), handle::changed(&after)) != (entry.ino(), handle::changed(&entry)) {
            return Err(io::ErrorKind::NotFound.into());
        }
        dir
    } else {
        parent.open_dir_nofollow(name)?
    };
    // Another one may have been there a moment before.
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

    /// A directory `d` that is served, and has been moved.
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

        /// The names in the directory that is served a second later.
        fn names(&mut self) -> Vec<String> {
            self.current.looked = Instant::now().checked_sub(LOOKED).unwrap();
            let dir = self.current.dir(&self.around.path().join("d"), "file:///d");
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
        let dir = moved.current.dir(&path, "file:///d");
        assert!(dir.exists("before"));
        assert_eq!(moved.names(), ["after"]);
    }

    #[test]
    fn a_link_of_the_same_user_leads_to_another_directory() {
        let mut moved = MovedMount::new();
        symlink("other", moved.around.path().join("d")).unwrap();
        assert_eq!(moved.names(), ["after"]);
        // As it is after a new release.
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
            // A directory of the administrator.
            symlink("/", path(&moved)).unwrap();
            symlink("/usr", path(&linked)).unwrap();
        }
        for moved in [&mut moved, &mut linked] {
            assert_eq!(moved.names(), ["before"]);
            assert!(moved.current.has_warned);
        }
    }
}
