//! Opening a name in a directory, and reading the opened file. Its type is read from the handle,
//! never from the name.

use std::error::Error;
use std::ffi::OsStr;
use std::io::{self, Read};
use std::path::Path;
use std::time::SystemTime;
#[cfg(unix)]
use std::time::{Duration, UNIX_EPOCH};

use cap_fs_ext::{
    FollowSymlinks, OpenOptionsFollowExt, OpenOptionsMaybeDirExt, OpenOptionsSyncExt,
};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use plainly::store::StoreError;

#[cfg(all(test, unix))]
use self::faults::Operation;
use super::job::Waiter;

/// The bytes of a file read between two checks whether the caller still waits. Large, because
/// `read_to_end` begins each piece with small reads.
const PIECE: u64 = 1 << 20;

/// The bytes that a message adds to a file's content, mostly metadata.
const AROUND: usize = 2 << 10;

/// Opens a file or directory for reading. Never follows a link, and never waits for the other end
/// of a pipe.
pub(super) fn open(dir: &Dir, name: &OsStr) -> io::Result<File> {
    #[cfg(all(test, unix))]
    faults::strike(Operation::Open, name)?;
    let mut options = OpenOptions::new();
    options
        .read(true)
        .follow(FollowSymlinks::No)
        .nonblock(true)
        .maybe_dir(true);
    dir.open_with(name, &options)
}

/// The metadata of a name in a directory; links are not followed.
pub(super) fn look(dir: &Dir, name: &OsStr) -> io::Result<Metadata> {
    #[cfg(all(test, unix))]
    faults::strike(Operation::Look, name)?;
    dir.symlink_metadata(name)
}

/// The file size above which its memory is returned to the system as soon as it is freed.
const LARGE: usize = 2 << 20;

/// The capacity from which glibc returns freed memory to the system at once. It caches several
/// smaller buffers for each thread that reads files, once one was freed.
const GIVEN_BACK: usize = (32 << 20) + 1;

/// Whether glibc allocates the memory.
const HAS_GLIBC: bool = cfg!(all(
    target_os = "linux",
    target_env = "gnu",
    target_pointer_width = "64"
));

/// Reads the rest of the file, at most `limit` bytes.
pub(super) fn read_up_to(file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Reads a large file, of about `length` bytes and at most `limit`, while the caller waits. The
/// buffer has room to become a message in place, as base64 if necessary; unused room uses no
/// memory.
///
/// A buffer that grows by doubling would leave holes of its own size in the memory of each thread
/// that reads files: glibc kept three times the largest file for each of them.
pub(super) fn read_for(
    waiter: &Waiter,
    file: impl Read,
    length: u64,
    limit: u64,
) -> Result<Vec<u8>, StoreError> {
    let length = usize::try_from(length.min(limit)).unwrap_or_default();
    let room = length + length / 3 + AROUND;
    let mut bytes = Vec::with_capacity(match HAS_GLIBC && length > LARGE {
        true => room.max(GIVEN_BACK),
        false => room,
    });
    let mut rest = file.take(limit);
    while (&mut rest)
        .take(PIECE)
        .read_to_end(&mut bytes)
        .map_err(refuse)?
        > 0
    {
        waiter.check()?;
    }
    Ok(bytes)
}

/// The time of the last change of content or metadata.
#[cfg(unix)]
pub(super) fn changed(metadata: &Metadata) -> Option<SystemTime> {
    use cap_std::fs::MetadataExt;

    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let nanos = u32::try_from(metadata.ctime_nsec()).ok()?;
    UNIX_EPOCH.checked_add(Duration::new(seconds, nanos))
}

/// The time of the last write; other changes are unknown.
#[cfg(not(unix))]
pub(super) fn changed(metadata: &Metadata) -> Option<SystemTime> {
    metadata.modified().ok().map(|time| time.into_std())
}

/// The device and inode that a path leads to. The file is not opened, because it may be a pipe.
#[cfg(unix)]
pub(super) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = std::fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
pub(super) fn identity(path: &Path) -> io::Result<(u64, u64)> {
    use cap_fs_ext::MetadataExt as _;

    let mut options = std::fs::OpenOptions::new();
    options.read(true);
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt as _;

        // Windows opens directories only with this flag.
        const FILE_FLAG_BACKUP_SEMANTICS: u32 = 0x0200_0000;
        options.custom_flags(FILE_FLAG_BACKUP_SEMANTICS);
    }
    let file = File::from_std(options.open(path)?);
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}

/// The user that owns the file or directory, where the system has users.
#[cfg(unix)]
pub(super) fn owner(metadata: &Metadata) -> u32 {
    use cap_std::fs::MetadataExt as _;

    metadata.uid()
}

#[cfg(not(unix))]
pub(super) fn owner(_: &Metadata) -> u32 {
    0
}

/// Converts an error. Missing and forbidden files look the same; other errors are failures.
pub(super) fn refuse(error: io::Error) -> StoreError {
    use io::ErrorKind as Kind;

    let is_not_there = matches!(
        error.kind(),
        Kind::NotFound
            | Kind::PermissionDenied
            | Kind::NotADirectory
            | Kind::IsADirectory
            | Kind::InvalidFilename
            | Kind::InvalidInput
    );
    if is_not_there {
        StoreError::NotFound
    } else {
        StoreError::Failed(error.into())
    }
}

/// Whether the error shows that the name doesn't exist or isn't a valid name.
pub(super) fn is_nothing(error: &io::Error) -> bool {
    use io::ErrorKind as Kind;

    matches!(error.kind(), Kind::NotFound | Kind::InvalidFilename)
}

/// Whether the error concerns only one name, so that other names are unaffected.
pub(super) fn is_of_one(error: &(dyn Error + 'static)) -> bool {
    error
        .downcast_ref::<io::Error>()
        .is_some_and(|error| !is_exhausted(error))
}

/// Whether this process or machine has run out of a resource. Such an error reveals nothing about
/// the name.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    // `ErrorKind` has none for too many open files: EMFILE and ENFILE, or
    // ERROR_TOO_MANY_OPEN_FILES.
    const TOO_MANY_OPEN: &[i32] = if cfg!(windows) { &[4] } else { &[24, 23] };

    error.kind() == io::ErrorKind::OutOfMemory
        || error
            .raw_os_error()
            .is_some_and(|code| TOO_MANY_OPEN.contains(&code))
}

/// Simulated errors of the operating system for tests: looking at or opening a name fails.
#[cfg(all(test, unix))]
pub(crate) mod faults {
    use std::cell::RefCell;
    use std::ffi::OsStr;
    use std::io;

    /// An operation of the operating system.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Operation {
        Look,
        Open,
        /// Listing a directory.
        List,
    }

    /// An operation, the name for which it fails, and the error number.
    pub(crate) type Fault = (Operation, &'static str, i32);

    thread_local! {
        static FAULTS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
    }

    /// Fails if `during` set a fault for this operation and name on this thread.
    pub(crate) fn strike(operation: Operation, name: &OsStr) -> io::Result<()> {
        FAULTS.with_borrow(|faults| {
            for (failing, called, number) in faults {
                if (*failing, OsStr::new(called)) == (operation, name) {
                    return Err(io::Error::from_raw_os_error(*number));
                }
            }
            Ok(())
        })
    }

    /// Runs `work` with these `faults` on this thread.
    pub(crate) fn during<T>(faults: &[Fault], work: impl FnOnce() -> T) -> T {
        FAULTS.set(faults.to_vec());
        let done = work();
        FAULTS.take();
        done
    }
}
