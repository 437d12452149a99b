//! Reads a file as it was when it was opened, up to the size limit, or a directory as its small
//! files.

use std::ffi::{OsStr, OsString};
use std::io::{Seek as _, SeekFrom};
use std::iter;
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::fs::{File, Metadata};
use plainly::protocol::types::{Body, Resource, ResourceContents};
use plainly::store::{ByteRange, Ranged, StoreError};

use super::describe;
use super::handle::{self, refuse};
use super::place::{OpenEntry, OpenFile, Place};
use super::system;
use super::walk::{Entry, Walk};

/// The number of times a changing file is awaited until it has settled. After that, it is read
/// between two of its changes.
const ATTEMPTS: usize = 3;

/// The maximum time in which a changing file is read again, and the pause between two attempts.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(1);

/// The minimum age of the last change of a file before it is read. The clock of a file system ticks
/// up to every 10 ms, so changes between two ticks have the same time.
pub(super) const SETTLED: Duration = Duration::from_millis(20);

/// The bytes of a growing file that are compared at once.
const PIECE: usize = 64 << 10;

/// The limits of reading a collection: number of files, bytes of one file, and bytes of all.
const FILES: usize = 100;
const FILE_BYTES: u64 = 64 << 10;
const ALL_BYTES: u64 = 256 << 10;

/// The maximum number of entries of a collection that are examined.
const LOOKED_AT: usize = 1_000;

/// Reads the file or directory at `path` below `root`.
pub(super) fn read(
    root: &Rc<Place>,
    path: &[OsString],
    uri: &str,
    name: &OsStr,
    limit: u64,
    is_as_is: bool,
) -> Result<Vec<ResourceContents>, StoreError> {
    let end = Instant::now() + PATIENCE;
    let mut attempt = 1;
    while attempt <= ATTEMPTS || Instant::now() < end {
        match root.open(path)? {
            OpenEntry::Directory(place) => {
                root.waiter().hold(ALL_BYTES)?;
                let mut walk = Walk::children(place, uri.to_owned(), None)?;
                return small_files(iter::from_fn(|| walk.next().transpose()), is_as_is);
            }
            OpenEntry::File(file) => {
                // A file that is too large is not read, so it needs no memory.
                if file.metadata.len() <= limit {
                    file.waiter.hold(file.metadata.len())?;
                }
                let found = match attempt <= ATTEMPTS {
                    true => whole(&file, limit)?,
                    false => between_changes(&file, limit)?,
                };
                if let Some(found) = found {
                    let (resource, body) = described(uri, name, &file, found, is_as_is);
                    // The text or base64 may be longer than the file, and some files report no
                    // size.
                    file.waiter.hold(weight(&body))?;
                    return Ok(vec![ResourceContents::new(resource, body)]);
                }
            }
        }
        if attempt >= ATTEMPTS {
            thread::sleep(PAUSE);
        }
        attempt += 1;
    }
    Err(unstable())
}

/// The size of a content in a message, in bytes.
fn weight(body: &Body) -> u64 {
    let size = body.as_bytes().len() as u64;
    match body {
        Body::Text(_) => size,
        Body::Blob(_) => size.div_ceil(3) * 4,
    }
}

/// The resource and the body of a file that was read.
fn described(
    uri: &str,
    name: &OsStr,
    file: &OpenFile,
    (metadata, content): (Metadata, Vec<u8>),
    is_as_is: bool,
) -> (Resource, Body) {
    let mut resource = describe::with_content(uri, name, &metadata, &content);
    describe::entitle(&mut resource, &content);
    // The tag from before the read, because the file may have grown meanwhile.
    let mut resource = tagged(resource, &file.metadata, || content.is_empty());
    let body = match is_as_is {
        true => Body::of_bytes(content),
        false => describe::body(content, &mut resource),
    };
    (resource, body)
}

/// Reads the metadata and the bytes of a file once it has settled; `None` if it changed meanwhile.
pub(super) fn whole(
    file: &OpenFile,
    limit: u64,
) -> Result<Option<(Metadata, Vec<u8>)>, StoreError> {
    if file.metadata.len() <= limit {
        settle(&file.metadata);
    }
    at_once(file, limit)
}

/// Reads the metadata and the bytes of a file that may not have settled; `None` if it changed
/// meanwhile, or if a change meanwhile could have the same time as the one before.
fn between_changes(file: &OpenFile, limit: u64) -> Result<Option<(Metadata, Vec<u8>)>, StoreError> {
    let before = &file.metadata;
    let has_passed = handle::changed(before).is_some_and(system::has_passed);
    // An empty file was probably truncated to be written anew.
    if !has_passed || before.len() == 0 {
        return Ok(None);
    }
    let found = at_once(file, limit)?;
    Ok(found.filter(|(after, _)| is_same(before, after)))
}

/// Reads the metadata and the bytes of a file; `None` if its time or size changed meanwhile.
fn at_once(file: &OpenFile, limit: u64) -> Result<Option<(Metadata, Vec<u8>)>, StoreError> {
    let before = &file.metadata;
    if before.len() > limit {
        return Err(StoreError::TooLarge {
            size: before.len(),
            limit,
        });
    }
    // Some file systems report size 0 for every file.
    let most = match before.len() {
        0 => limit.saturating_add(1),
        length => length,
    };
    let content = handle::read_for(&file.waiter, &file.file, before.len(), most)?;
    let after = file.file.metadata().map_err(refuse)?;
    if content.len() as u64 > limit {
        let size = after.len().max(content.len() as u64);
        return Err(StoreError::TooLarge { size, limit });
    }
    let is_whole = content.len() as u64 >= before.len();
    // A file that only grew, such as a log, still starts with the content that it had when it was
    // opened.
    let is_stable = is_whole
        && (is_same(before, &after)
            || after.len() > before.len() && still_starts_with(file, &content)?);
    Ok(is_stable.then_some((after, content)))
}

/// Whether the file was not overwritten while this content was read from its start.
fn still_starts_with(file: &OpenFile, content: &[u8]) -> Result<bool, StoreError> {
    let mut again = &file.file;
    again.rewind().map_err(refuse)?;
    for piece in content.chunks(PIECE) {
        file.waiter.check()?;
        if handle::read_up_to(again, piece.len() as u64).map_err(refuse)? != piece {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Reads a range of a file of any size, as it is at this moment.
pub(super) fn range(
    root: &Rc<Place>,
    path: &[OsString],
    range: ByteRange,
) -> Result<Ranged, StoreError> {
    let OpenEntry::File(file) = root.open(path)? else {
        return Err(no_bytes());
    };
    let size = file.metadata.len();
    let (first, length) = range.within(size)?;
    file.waiter.hold(length)?;
    // The standard library's file reads into memory without zeroing it first.
    let mut bytes = file.file.into_std();
    bytes.seek(SeekFrom::Start(first)).map_err(refuse)?;
    let bytes = handle::read_for(&file.waiter, bytes, length, length)?;
    // If the file became shorter meanwhile, the range ends at the new end of the file.
    let size = match (bytes.len() as u64) < length {
        true => first + bytes.len() as u64,
        false => size,
    };
    let ranged = Ranged::new(bytes, first, size);
    Ok(match tag(&file.metadata) {
        Some(tag) => ranged.tag(tag),
        None => ranged,
    })
}

/// The error of reading a range of a directory.
pub(super) fn no_bytes() -> StoreError {
    let why = "a directory has no bytes".into();
    StoreError::InvalidUri { why }
}

/// Adds the file's tag to the resource.
pub(super) fn tagged(
    resource: Resource,
    metadata: &Metadata,
    is_empty: impl FnOnce() -> bool,
) -> Resource {
    // Files that report size 0 although they have content, as in `/proc`, don't report changes
    // either.
    match tag(metadata).filter(|_| metadata.len() > 0 || is_empty()) {
        Some(tag) => resource.tag(tag),
        None => resource,
    }
}

/// A text that changes whenever the file changes; `None` where the file system has no time of
/// change.
pub(super) fn tag(metadata: &Metadata) -> Option<String> {
    let since = handle::changed(metadata)?.duration_since(SystemTime::UNIX_EPOCH);
    // 64 bits last until the year 2554, and formatting a wider number takes ten times as long.
    let nanos = since.map_or(0, |since| {
        u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
    });
    Some(format!(
        "{:x}-{:x}-{nanos:x}",
        metadata.ino(),
        metadata.len()
    ))
}

/// Whether a file has no bytes, whatever size its metadata reports.
pub(super) fn is_empty(mut file: &File) -> bool {
    file.rewind().is_ok() && handle::read_up_to(file, 1).is_ok_and(|bytes| bytes.is_empty())
}

/// The error of a file that changed each time it was read.
pub(super) fn unstable() -> StoreError {
    StoreError::Unstable
}

/// The first small files among a collection's entries, as many as fit. With `is_as_is`, their text
/// is not decoded.
pub(super) fn small_files(
    entries: impl Iterator<Item = Result<Entry, StoreError>>,
    is_as_is: bool,
) -> Result<Vec<ResourceContents>, StoreError> {
    let mut contents = Vec::new();
    let mut left = ALL_BYTES;
    for entry in entries.take(LOOKED_AT) {
        let entry = entry?;
        let OpenEntry::File(file) = &entry.opened else {
            continue;
        };
        // A large, changing or unreadable file is left out. Reading it on its own reports the
        // error.
        let limit = left.min(FILE_BYTES);
        if let Ok(Some(found)) = whole(file, limit)
            && let (resource, body) = described(&entry.uri, &entry.name, file, found, is_as_is)
            // The text may be longer than its file.
            && let Some(rest) = left.checked_sub(body.as_bytes().len() as u64)
        {
            left = rest;
            contents.push(ResourceContents::new(resource, body));
        }
        if contents.len() == FILES {
            break;
        }
    }
    Ok(contents)
}

/// Waits until any further change of the file will have a different time.
pub(super) fn settle(file: &Metadata) {
    let age = age(handle::changed(file));
    if let Some(left) = age.and_then(|age| SETTLED.checked_sub(age)) {
        thread::sleep(left);
    }
}

/// The time since a change; `None` if it is unknown, or in the future, because another machine may
/// have set the time.
pub(super) fn age(changed: Option<SystemTime>) -> Option<Duration> {
    SystemTime::now().duration_since(changed?).ok()
}

/// Whether the content is from one moment, as far as the file system's clock shows. Replacing the
/// file takes its name away, which changes its metadata but not its content.
fn is_same(before: &Metadata, after: &Metadata) -> bool {
    before.len() == after.len()
        && before.modified().ok() == after.modified().ok()
        && (handle::changed(before) == handle::changed(after) || before.nlink() > after.nlink())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;
    use std::sync::Arc;

    use cap_std::ambient_authority;
    use cap_std::fs::Dir;

    use super::*;
    use crate::job::Waiter;
    use crate::place::VisibleNames;

    fn root(directory: &Path, waiter: Waiter) -> Rc<Place> {
        let dir = Dir::open_ambient_dir(directory, ambient_authority()).unwrap();
        Place::root(
            Arc::new(dir),
            VisibleNames::default(),
            Arc::default(),
            waiter,
        )
    }

    /// The file `x` in a directory.
    fn open(directory: &Path, waiter: Waiter) -> OpenFile {
        match root(directory, waiter).open(&["x".into()]).unwrap() {
            OpenEntry::File(file) => file,
            OpenEntry::Directory(_) => panic!("a directory"),
        }
    }

    /// Opens a file, runs `meanwhile`, and reads it. Returns the text; `None` if the file changed.
    fn read_after(meanwhile: impl FnOnce(&fs::File)) -> Option<String> {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("x");
        fs::write(&path, "old").unwrap();
        let writer = fs::File::options().write(true).open(&path).unwrap();
        // Makes the file old enough for the file system's clock to show the change.
        writer.set_modified(SystemTime::UNIX_EPOCH).unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let opened = open(around.path(), waiter);
        meanwhile(&writer);
        let (_, content) = whole(&opened, 100).unwrap()?;
        String::from_utf8(content).ok()
    }

    #[test]
    fn what_changes_between_opening_and_reading_is_no_answer() {
        use std::io::Write;

        assert_eq!(read_after(|_| {}).as_deref(), Some("old"));
        assert_eq!(read_after(|mut file| file.write_all(b"new").unwrap()), None);
        assert_eq!(read_after(|file| file.set_len(2).unwrap()), None);
    }

    #[test]
    fn what_grows_is_read_as_it_was_when_it_was_opened() {
        use std::io::{Seek, SeekFrom, Write};

        let append = |mut file: &fs::File| {
            file.seek(SeekFrom::End(0)).unwrap();
            file.write_all(b" and new").unwrap();
        };
        assert_eq!(read_after(append).as_deref(), Some("old"));
    }

    #[test]
    fn the_error_of_what_never_stays_the_same_says_what_to_do() {
        assert_eq!(
            unstable().into_protocol_error("file:///x").message(),
            "file:///x changed each time it was read: try again, or read a part such as file:///x#bytes=0-65535"
        );
    }

    #[test]
    fn what_was_overwritten_meanwhile_has_not_only_grown() {
        let around = tempfile::tempdir().unwrap();
        let path = around.path().join("x");
        fs::write(&path, "old").unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let opened = open(around.path(), waiter);
        fs::write(&path, "old and new").unwrap();
        assert!(still_starts_with(&opened, b"old").unwrap());
        fs::write(&path, "other").unwrap();
        assert!(!still_starts_with(&opened, b"old").unwrap());
        fs::write(&path, "").unwrap();
        assert!(!still_starts_with(&opened, b"old").unwrap());
    }

    #[test]
    fn a_file_that_was_just_written_is_read_once_the_clock_has_moved() {
        let around = tempfile::tempdir().unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        for text in ["one", "two", "three"] {
            fs::write(around.path().join("x"), text).unwrap();
            let opened = open(around.path(), waiter.clone());
            let (_, content) = whole(&opened, 100).unwrap().unwrap();
            assert_eq!(content, text.as_bytes());
            let changed = handle::changed(&opened.metadata).unwrap();
            assert!(changed + SETTLED <= SystemTime::now());
        }
    }

    /// Windows doesn't let a file lose its name while it is open like this.
    #[cfg(unix)]
    #[test]
    fn a_file_that_loses_its_name_is_read_to_the_end() {
        let around = tempfile::tempdir().unwrap();
        fs::write(around.path().join("x"), "old").unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let opened = open(around.path(), waiter);
        fs::write(around.path().join("y"), "replaced").unwrap();
        fs::rename(around.path().join("y"), around.path().join("x")).unwrap();
        let (_, content) = whole(&opened, 100).unwrap().unwrap();
        assert_eq!(content, b"old");
    }

    #[test]
    fn what_is_held_is_the_text_and_not_only_the_file() {
        let around = tempfile::tempdir().unwrap();
        let text = "Съешь же ещё этих мягких французских булок, да выпей чаю. ".repeat(100);
        let (windows_1251, ..) = encoding_rs::WINDOWS_1251.encode(&text);
        fs::write(around.path().join("x"), &windows_1251).unwrap();
        let (waits, waiter) = Waiter::until_dropped();
        let root = root(around.path(), waiter);
        let path = ["x".into()];
        let read = read(&root, &path, "file:///x", "x.txt".as_ref(), 99_999, false);
        assert_eq!(waits.held(), (text.len() as u64).next_multiple_of(1 << 10));
        assert_eq!(read.unwrap()[0].body, Body::Text(text));
    }

    #[test]
    fn a_file_of_no_size_that_grows_beyond_the_limit_is_too_large() {
        let around = tempfile::tempdir().unwrap();
        fs::write(around.path().join("x"), "").unwrap();
        let (_waits, waiter) = Waiter::until_dropped();
        let opened = open(around.path(), waiter);
        fs::write(around.path().join("x"), "x".repeat(101)).unwrap();
        let error = whole(&opened, 100).unwrap_err();
        assert!(matches!(
            error,
            StoreError::TooLarge {
                size: 101,
                limit: 100
            }
        ));
    }

    #[test]
    fn nobody_is_read_for_who_has_gone() {
        let around = tempfile::tempdir().unwrap();
        fs::write(around.path().join("x"), "x").unwrap();
        let (waits, waiter) = Waiter::until_dropped();
        let opened = open(around.path(), waiter);
        drop(waits);
        let error = whole(&opened, 100).unwrap_err();
        assert!(matches!(error, StoreError::Failed(_)), "{error}");
    }
}
