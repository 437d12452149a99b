//! Calls that differ between operating systems. Where a system has no such call, the code compares
//! a name and then renames it, so a concurrent change by another program can be lost.

use std::ffi::OsStr;
use std::io;
use std::time::SystemTime;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::time::{Duration, UNIX_EPOCH};

use cap_std::fs::{Dir, Metadata};

/// Renames a file or directory to a name at which nothing may exist.
pub(super) fn rename_new(from: &Dir, name: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
    match flags::rename_new(from, name, to, new) {
        Err(error) if is_missing(&error) => {}
        done => return done,
    }
    if to.symlink_metadata(new).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    from.rename(name, to, new)
}

/// Exchanges the entries under two names in a directory; `false` where the system can't.
pub(super) fn exchange(dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<bool> {
    match flags::exchange(dir, one, other) {
        Err(error) if is_missing(&error) => Ok(false),
        done => done.map(|()| true),
    }
}

/// Whether the system, or this file system, has no such call.
fn is_missing(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput
    )
}

/// Whether a change from now on would have a later time, by the clock of local file systems.
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) fn has_passed(time: SystemTime) -> bool {
    use rustix::time::{ClockId, clock_gettime};

    let now = Duration::try_from(clock_gettime(ClockId::RealtimeCoarse));
    time.duration_since(UNIX_EPOCH)
        .is_ok_and(|time| now.is_ok_and(|now| now > time))
}

/// Whether a change from now on would have a later time. Unknown.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
pub(super) fn has_passed(_: SystemTime) -> bool {
    false
}

/// The space of a disk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Space {
    pub(super) total: u64,
    /// The bytes that this process may use.
    pub(super) free: u64,
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
mod flags {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::Dir;
    use rustix::fs::{RenameFlags, renameat_with};

    pub(super) fn rename_new(from: &Dir, name: &OsStr, to: &Dir, new: &OsStr) -> io::Result<()> {
        Ok(renameat_with(from, name, to, new, RenameFlags::NOREPLACE)?)
    }

    pub(super) fn exchange(dir: &Dir, one: &OsStr, other: &OsStr) -> io::Result<()> {
        Ok(renameat_with(dir, one, dir, other, RenameFlags::EXCHANGE)?)
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
mod flags {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::Dir;

    pub(super) fn rename_new(_: &Dir, _: &OsStr, _: &Dir, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn exchange(_: &Dir, _: &OsStr, _: &OsStr) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod attributes {
    use cap_std::fs::File;
    use rustix::fs::{XattrFlags, fgetxattr, flistxattr, fsetxattr};

    /// The attribute with the rights of other users and groups. With it, the group bits of the mode
    /// limit these rights.
    const ACCESS: &[u8] = b"system.posix_acl_access";

    /// The maximum size of a value, and of all names, in Linux.
    const BYTES: usize = 64 << 10;

    /// Copies the attributes that users set, and the access list. Returns whether the access lists
    /// are the same afterwards.
    pub(super) fn copy(from: &File, to: &File) -> bool {
        let mut names = vec![0; BYTES];
        let length = flistxattr(from, &mut names).unwrap_or_default();
        names.truncate(length);
        let copy = |name: &[u8]| {
            let mut value = vec![0; BYTES];
            let length = fgetxattr(from, name, &mut value)?;
            value.truncate(length);
            fsetxattr(to, name, &value, XattrFlags::empty())
        };
        let mut all = names.split(|byte| *byte == 0);
        for name in all.clone().filter(|name| name.starts_with(b"user.")) {
            // The file system may have no space for the attribute.
            let _copied = copy(name);
        }
        // Copied last, because the access list may deny the owner further writes.
        all.all(|name| name != ACCESS) || copy(ACCESS).is_ok()
    }
}

#[cfg(all(unix, not(any(target_os = "linux", target_os = "android"))))]
mod attributes {
    use cap_std::fs::File;

    /// Copies nothing.
    pub(super) fn copy(_: &File, _: &File) -> bool {
        true
    }
}

#[cfg(unix)]
mod calls {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::{
        Dir, File, Metadata, MetadataExt, OpenOptions, OpenOptionsExt, Permissions, PermissionsExt,
    };
    use rustix::fs::{
        AtFlags, FlockOperation, Mode, OFlags, chownat, fchown, flock, fstatvfs, fsync, openat,
    };
    use rustix::process::{Gid, geteuid};

    use super::{Space, attributes};

    /// Syncs the names in a directory to disk.
    pub(crate) fn sync(dir: &Dir) -> io::Result<()> {
        // The given handle may be a path-only handle (`O_PATH`), which can't be synced.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(fsync(openat(dir, ".", flags, Mode::empty())?)?)
    }

    /// The disk that a directory is on.
    pub(crate) fn space(dir: &Dir) -> io::Result<Option<Space>> {
        let found = fstatvfs(dir)?;
        Ok(Some(Space {
            total: found.f_blocks.saturating_mul(found.f_frsize),
            free: found.f_bavail.saturating_mul(found.f_frsize),
        }))
    }

    /// Locks a file against other callers of this function; `false` if another one has the lock. If
    /// the file system has no locks, the file counts as locked.
    pub(crate) fn try_lock(file: &File) -> bool {
        let locked = flock(file, FlockOperation::NonBlockingLockExclusive);
        locked != Err(rustix::io::Errno::WOULDBLOCK)
    }

    /// Whether this process's user owns the file.
    pub(crate) fn is_own(metadata: &Metadata) -> bool {
        crate::handle::owner(metadata) == geteuid().as_raw()
    }

    /// Restricts the new file to this user.
    pub(crate) fn make_private(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    /// Gives a new file the group, the attributes and the mode of another file, whose metadata is
    /// given too. The group's part of the mode is left out if the group or the access list can't be
    /// copied.
    pub(crate) fn make_like(file: &File, other: &File, metadata: &Metadata) -> io::Result<()> {
        let group = Gid::from_raw(metadata.gid());
        let has_group =
            file.metadata()?.gid() == metadata.gid() || fchown(file, None, Some(group)).is_ok();
        let has_all = attributes::copy(other, file) && has_group;
        let mode = metadata.mode() & if has_all { 0o777 } else { 0o707 };
        file.set_permissions(Permissions::from_mode(mode))
    }

    /// Gives a new directory the group and the mode of another one, and its owner all rights. The
    /// group's part of the mode is left out if the group can't be set.
    pub(crate) fn make_directory_like(dir: &Dir, name: &OsStr, other: &Metadata) -> io::Result<()> {
        let group = Some(Gid::from_raw(other.gid()));
        let has_group = chownat(dir, name, None, group, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        let mode = other.mode() & if has_group { 0o3777 } else { 0o1707 } | 0o700;
        dir.set_permissions(name, Permissions::from_mode(mode))
    }

    /// Restricts new directories to this user.
    pub(crate) fn directory_builder() -> cap_std::fs::DirBuilder {
        use cap_std::fs::DirBuilderExt;

        let mut builder = cap_std::fs::DirBuilder::new();
        builder.mode(0o700);
        builder
    }
}

#[cfg(not(unix))]
mod calls {
    use std::ffi::OsStr;
    use std::io;

    use cap_std::fs::{Dir, File, Metadata, OpenOptions};

    use super::Space;

    /// Does nothing, because directories have nothing to sync here.
    pub(crate) fn sync(_: &Dir) -> io::Result<()> {
        Ok(())
    }

    /// Returns `None`, because the space is unknown here.
    pub(crate) fn space(_: &Dir) -> io::Result<Option<Space>> {
        Ok(None)
    }

    /// Takes no lock, because a lock would keep readers out here.
    pub(crate) fn try_lock(_: &File) -> bool {
        true
    }

    /// Returns `true`, because ownership is not checked here.
    pub(crate) fn is_own(_: &Metadata) -> bool {
        true
    }

    /// Does nothing: a new file has the rights of its directory.
    pub(crate) fn make_private(_: &mut OpenOptions) {}

    /// Does nothing: a new file has the rights of its directory.
    pub(crate) fn make_like(_: &File, _: &File, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    /// Does nothing: a new directory has the rights of its parent.
    pub(crate) fn make_directory_like(_: &Dir, _: &OsStr, _: &Metadata) -> io::Result<()> {
        Ok(())
    }

    /// A builder of directories, which have the rights of their parents.
    pub(crate) fn directory_builder() -> cap_std::fs::DirBuilder {
        cap_std::fs::DirBuilder::new()
    }
}

pub(super) use self::calls::{
    directory_builder, is_own, make_directory_like, make_like, make_private, space, sync, try_lock,
};

/// Whether both are the same file or directory.
pub(super) fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use cap_fs_ext::MetadataExt;

    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Whether both are the same file or directory and, for a file, the content is the same as far as
/// size and time show. A rename changes neither.
pub(super) fn is_unchanged(one: &Metadata, other: &Metadata) -> bool {
    is_same(one, other)
        && one.file_type() == other.file_type()
        && (one.is_dir()
            || one.len() == other.len() && one.modified().ok() == other.modified().ok())
}
