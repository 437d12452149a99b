//! Private files and directories, which other users can't read or change. They are created with
//! these permissions, and rejected with others.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::fault::Fault;

/// The largest file that is read, in bytes.
const LARGEST: u64 = 16 << 20;

/// The contents of the file; `None` if it does not exist.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, Fault> {
    check_directory(path)?;
    let Some(file) = existing(path, OpenOptions::new().read(true))? else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    file.take(LARGEST + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > LARGEST {
        true => Err(Fault::TooLarge),
        false => Ok(Some(bytes)),
    }
}

/// Replaces the contents of the file, or leaves it unchanged. Callers must not run this at the same
/// time.
pub(super) fn replace(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let new = beside(path);
    // A killed process may have left this file.
    remove(&new)?;
    let written = (|| {
        let mut file = create(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&new, path)
    })();
    if let Err(error) = written {
        // If this fails too, the first error says more.
        let _ = remove(&new);
        return Err(error.into());
    }
    sync_directory(path)
}

/// A file that only exists to be locked.
pub(super) fn lockable(path: &Path) -> Result<File, Fault> {
    if let Some(directory) = path.parent() {
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(directory)?;
    }
    check_directory(path)?;
    loop {
        match create(path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            created => return Ok(created?),
        }
        // The file may have been removed just now, in which case it is created again.
        if let Some(file) = existing(path, OpenOptions::new().write(true))? {
            return Ok(file);
        }
    }
}

fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    name.into()
}

/// Opens a private file; `None` if it does not exist.
fn existing(path: &Path, options: &mut OpenOptions) -> Result<Option<File>, Fault> {
    match fs::symlink_metadata(path) {
        Ok(about) if about.is_symlink() => return Err(Fault::Link),
        Ok(about) if !about.is_file() => return Err(Fault::NotAFile),
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    // The file may have been replaced meanwhile: a link is not followed, and a pipe is not waited
    // for.
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK;
        std::os::unix::fs::OpenOptionsExt::custom_flags(options, flags.bits().cast_signed());
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(Fault::NotAFile);
    }
    check(&about, 0o077)?;
    Ok(Some(file))
}

/// Rejects a directory in which other users could replace this file. They may list the directory,
/// because a program's other files there may be public.
fn check_directory(path: &Path) -> Result<(), Fault> {
    let directory = path.parent().unwrap_or(path);
    match fs::metadata(directory) {
        Ok(about) => check(&about, 0o022).map_err(|fault| Fault::OfDirectory(Box::new(fault))),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error.into()),
    }
}

#[cfg(unix)]
fn check(about: &fs::Metadata, of_others: u32) -> Result<(), Fault> {
    use std::os::unix::fs::MetadataExt as _;
    let (mode, owner) = (about.mode() & 0o777, about.uid());
    let own = rustix::process::geteuid().as_raw();
    if owner != own {
        return Err(Fault::OtherOwner { owner, own });
    }
    match (mode & of_others != 0, about.is_dir()) {
        (false, _) => Ok(()),
        (true, true) => Err(Fault::OpenDirectory(mode)),
        (true, false) => Err(Fault::OpenFile(mode)),
    }
}

/// On Windows, both follow from the directory, which belongs to the user by default.
#[cfg(not(unix))]
fn check(_about: &fs::Metadata, _of_others: u32) -> Result<(), Fault> {
    Ok(())
}

/// Makes a new file name survive a power failure.
fn sync_directory(path: &Path) -> Result<(), Fault> {
    // On other systems, a directory can't be opened.
    #[cfg(unix)]
    if let Some(directory) = path.parent() {
        File::open(directory)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = path;
    Ok(())
}
