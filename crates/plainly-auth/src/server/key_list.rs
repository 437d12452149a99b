//! The file of a list of keys: digests, names and scopes. It is replaced as a whole, by one program
//! at a time. It is rejected if another user could have written it.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use plainly_errors::Mistake;
use plainly_schema::Schema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::api_key::{KeyRow, PREFIX};
use plainly_schema::unread::{compiled, known, own_words};

/// The reason why a file has no usable keys.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ApiKeyError {
    /// The file can't be read or written.
    #[error("{} can't be used as a list of keys", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// Other users may read or write the file.
    #[error("other users of this machine can read or write {}: run `chmod 600 {}`", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// The file belongs to another user of this machine, who could change it.
    #[error("{} belongs to the user {owner}, and this program runs as the user {own}: run it as {owner}, or change the owner with `chown`", path.display())]
    OtherOwner {
        /// The file.
        path: PathBuf,
        /// The id of its owner.
        owner: u32,
        /// The id of this program's user.
        own: u32,
    },
    /// The file is no list of keys.
    #[error("{} is not a list of keys: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The mistakes in the list.
        why: String,
    },
    /// The list already has a key of this name.
    #[error("{} already has a key named {name:?}: choose another name, or revoke that key first", path.display())]
    NameTaken {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
    /// A scope of the key has characters that a scope must not have.
    #[error("invalid scope {0:?}: expected visible ASCII without spaces, quotes and backslashes")]
    Scope(String),
    /// No key has this name.
    #[error("{} has no key named {name:?}", path.display())]
    UnknownName {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
    },
}

plainly_errors::debug_with_causes!(ApiKeyError);

/// The content of the file.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct KeyList {
    pub(super) keys: Vec<KeyRow>,
}

static LIST: LazyLock<Schema> =
    LazyLock::new(|| compiled(schemars::schema_for!(KeyList).to_value()));

/// The list, and the metadata of its file.
pub(super) fn read(path: &Path) -> Result<(KeyList, Metadata), ApiKeyError> {
    let unusable = |source| ApiKeyError::unusable(path, source);
    let file = File::open(path).map_err(unusable)?;
    let metadata = file.metadata().map_err(unusable)?;
    check(path, &metadata)?;
    let text = io::read_to_string(file).map_err(unusable)?;
    Ok((parsed(path, &text)?, metadata))
}

/// Changes the list, which is created if it does not exist. Programs that change it at the same
/// time wait for each other.
pub(super) fn change(
    path: &Path,
    work: impl FnOnce(&mut KeyList) -> Result<(), ApiKeyError>,
) -> Result<(), ApiKeyError> {
    let unusable = |source| ApiKeyError::unusable(path, source);
    let (real, file) = lock(path).map_err(unusable)?;
    check(path, &file.metadata().map_err(unusable)?)?;
    let text = io::read_to_string(&file).map_err(unusable)?;
    let is_new = text.is_empty();
    let mut list = match is_new {
        true => KeyList::default(),
        false => parsed(path, &text)?,
    };
    let changed = work(&mut list).and_then(|()| replace(&real, &list).map_err(unusable));
    if changed.is_err() && is_new {
        // An empty file would be an invalid list.
        let _ = remove(&real);
    }
    changed
}

impl ApiKeyError {
    pub(super) fn unusable(path: &Path, source: io::Error) -> Self {
        let path = path.to_owned();
        Self::Unusable { path, source }
    }
}

fn parsed(path: &Path, text: &str) -> Result<KeyList, ApiKeyError> {
    serde_json::from_str(text).map_err(|error| ApiKeyError::Malformed {
        path: path.to_owned(),
        why: without_keys(&mistakes(text, &error)),
    })
}

/// All mistakes in a list that can't be read because of `why`.
fn mistakes(text: &str, why: &serde_json::Error) -> String {
    let Ok(value) = serde_json::from_str(text) else {
        let (line, column) = (why.line(), why.column());
        return format!("it is not JSON; look at line {line}, column {column}");
    };
    let mistakes = LIST.failures_of(&value);
    match own_words(&why.to_string()) {
        Some(words) if mistakes.is_empty() => words.to_owned(),
        Some(_) | None => Mistake::list(&known(mistakes)),
    }
}

/// The mistakes of a list, without any keys that the list contains by mistake.
fn without_keys(why: &str) -> String {
    let is_of_key = |it: char| it.is_ascii_alphanumeric() || it == '_' || it == '-';
    let mut parts = why.split(PREFIX);
    let mut told = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        told.push_str(PREFIX);
        told.push_str("***");
        told.push_str(part.trim_start_matches(is_of_key));
    }
    told
}

#[cfg(unix)]
fn check(path: &Path, metadata: &Metadata) -> Result<(), ApiKeyError> {
    use std::os::unix::fs::MetadataExt as _;

    let path = path.to_owned();
    let (owner, own) = (metadata.uid(), rustix::process::geteuid().as_raw());
    if owner != own {
        return Err(ApiKeyError::OtherOwner { path, owner, own });
    }
    match metadata.mode() & 0o077 {
        0 => Ok(()),
        _ => Err(ApiKeyError::Open { path }),
    }
}

/// On other systems, the directory decides who may read its files.
#[cfg(not(unix))]
#[expect(
    clippy::unnecessary_wraps,
    reason = "other systems have modes and owners"
)]
fn check(_path: &Path, _metadata: &Metadata) -> Result<(), ApiKeyError> {
    Ok(())
}

/// Opens or creates the file, and locks it. If `path` is a link, the file is its target.
fn lock(path: &Path) -> io::Result<(PathBuf, File)> {
    loop {
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(path)?;
        file.lock()?;
        let real = fs::canonicalize(path)?;
        // Another program may have replaced the file meanwhile.
        if is_same(&file.metadata()?, &fs::metadata(&real)?) {
            return Ok((real, file));
        }
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

/// Always true, because the standard library can't compare files on other systems.
#[cfg(not(unix))]
fn is_same(_one: &Metadata, _other: &Metadata) -> bool {
    true
}

/// Writes the whole list beside the file, and replaces the file by it, so that readers find either
/// the old list or the new one.
fn replace(path: &Path, list: &KeyList) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(list)?;
    text.push('\n');
    // The file is hidden, in case the directory is served.
    let mut beside = OsString::from(".");
    beside.push(path.file_name().unwrap_or_default());
    beside.push(".new");
    let beside = path.with_file_name(beside);
    // A killed program may have left the file. The lock ensures that no other program writes it
    // now.
    remove(&beside)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&beside)?;
    let written = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all());
    let moved = written.and_then(|()| fs::rename(&beside, path));
    if moved.is_err() {
        // The first error says more.
        let _ = remove(&beside);
    }
    moved
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}
