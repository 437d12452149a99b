//! The list of keys in a file: digests, names and scopes. It is read again when it changes, so that a key that is taken out of it
//! is refused from the next request on.

use std::collections::HashMap;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_errors::Mistake;
use plainly_oauth::Secret;
use plainly_oauth::jose::TokenRefusal;
use plainly_schema::Schema;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::api_key::{KeyEnd, KeyRow, PREFIX, TokenDigest, digest, is_meant, is_well_formed};
use super::verifier::{Unverified, VerifiedToken, Verifier};
use crate::lock::Lock;
use crate::unread::{compiled, known, own_words};

/// Keys in a file, as a verifier.
#[derive(Debug)]
pub struct ApiKeys {
    path: PathBuf,
    read: Lock<Option<KeyReading>>,
}

/// Why there are no keys to be had from a file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ApiKeyError {
    /// It can't be read or written.
    #[error("{} can't be used as a list of keys", path.display())]
    Unusable {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: io::Error,
    },
    /// Others may read or write it.
    #[error("{} may be read or written by other users of this machine: run `chmod 600 {}`", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
    },
    /// It is no list of keys.
    #[error("{} is not a list of keys: {why}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        why: String,
    },
}

/// What the file has.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyList {
    keys: Vec<KeyRow>,
}

static LIST: LazyLock<Schema> =
    LazyLock::new(|| compiled(schemars::schema_for!(KeyList).to_value()));

/// What was read of a file that looked like this.
#[derive(Debug)]
struct KeyReading {
    look: Look,
    keys: Arc<HashMap<TokenDigest, KeyRow>>,
}

/// By what a change of the file shows.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    length: u64,
    modified: Option<SystemTime>,
    #[cfg(unix)]
    file: (u64, i64, i64),
}

impl ApiKeys {
    /// The keys in this file, which must be there and readable for nobody else.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ApiKeyError> {
        let keys = Self {
            path: path.into(),
            read: Lock::new(None),
        };
        keys.current()?;
        Ok(keys)
    }

    /// Adds a key to the file, which is made if there is none.
    pub fn add(path: &Path, row: KeyRow) -> Result<(), ApiKeyError> {
        let unusable = |source| ApiKeyError::Unusable {
            path: path.to_owned(),
            source,
        };
        let mut list = match File::open(path) {
            Ok(file) => {
                check_mode(path, &file.metadata().map_err(unusable)?)?;
                let text = io::read_to_string(file).map_err(unusable)?;
                parsed(path, &text)?
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => KeyList::default(),
            Err(error) => return Err(unusable(error)),
        };
        list.keys.push(row);
        write(path, &list).map_err(unusable)
    }

    /// The keys as the file has them now.
    fn current(&self) -> Result<Arc<HashMap<TokenDigest, KeyRow>>, ApiKeyError> {
        let unusable = |source| ApiKeyError::Unusable {
            path: self.path.clone(),
            source,
        };
        let mut read = self.read.lock();
        let look = Look::of(&fs::metadata(&self.path).map_err(unusable)?);
        if let Some(reading) = &*read
            && reading.look == look
        {
            return Ok(Arc::clone(&reading.keys));
        }
        // Of nothing that was read before: what can't be read now lets nobody in.
        *read = None;
        let file = File::open(&self.path).map_err(unusable)?;
        let metadata = file.metadata().map_err(unusable)?;
        check_mode(&self.path, &metadata)?;
        let text = io::read_to_string(file).map_err(unusable)?;
        let mut keys = HashMap::new();
        for row in parsed(&self.path, &text)?.keys {
            let digest = row.digest().ok_or_else(|| ApiKeyError::Malformed {
                path: self.path.clone(),
                why: format!("the sha256 of {:?} is not 64 hexadecimal digits", row.name),
            })?;
            keys.insert(digest, row);
        }
        let keys = Arc::new(keys);
        *read = Some(KeyReading {
            look: Look::of(&metadata),
            keys: Arc::clone(&keys),
        });
        Ok(keys)
    }

    fn judge(&self, token: &str, now: u64) -> Result<VerifiedToken, Unverified> {
        if !is_well_formed(token) {
            return Err(TokenRefusal::Malformed.into());
        }
        let keys = self.current().map_err(|error| {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
            Unverified::Unavailable(format!("{error}{}", source.unwrap_or_default()))
        })?;
        let row = keys.get(&digest(token)).ok_or(TokenRefusal::Revoked)?;
        let expires_at = row.expires.map(|KeyEnd(at)| at);
        // Its time was set by the clock that it is compared with.
        if expires_at.is_some_and(|at| now >= at) {
            return Err(TokenRefusal::Expired.into());
        }
        Ok(VerifiedToken {
            subject: Some(row.name.clone()),
            scopes: row.scopes.clone(),
            expires_at,
            ..VerifiedToken::default()
        })
    }
}

impl Verifier for ApiKeys {
    fn recognises(&self, token: &str) -> bool {
        is_meant(token)
    }

    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, Unverified>> {
        std::future::ready(self.judge(token.expose(), now)).boxed()
    }
}

impl Look {
    fn of(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            length: metadata.len(),
            modified: metadata.modified().ok(),
            #[cfg(unix)]
            file: (metadata.ino(), metadata.ctime(), metadata.ctime_nsec()),
        }
    }
}

fn parsed(path: &Path, text: &str) -> Result<KeyList, ApiKeyError> {
    serde_json::from_str(text).map_err(|error| ApiKeyError::Malformed {
        path: path.to_owned(),
        why: without_keys(&mistakes(text, &error)),
    })
}

/// All that is wrong with a list that can't be read for this reason.
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

/// What is wrong with a list, without the keys that stand in it by mistake.
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
fn check_mode(path: &Path, metadata: &Metadata) -> Result<(), ApiKeyError> {
    use std::os::unix::fs::PermissionsExt as _;

    if metadata.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    let path = path.to_owned();
    Err(ApiKeyError::Open { path })
}

/// Elsewhere the folder decides who may read what is in it.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "other systems have modes")]
fn check_mode(_path: &Path, _metadata: &Metadata) -> Result<(), ApiKeyError> {
    Ok(())
}

/// Writes the whole list beside the file, and puts it in its place: whoever reads it finds the old one or the new one.
fn write(path: &Path, list: &KeyList) -> io::Result<()> {
    let mut text = serde_json::to_string_pretty(list)?;
    text.push('\n');
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
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
        // Nothing of use is in it.
        let _ = fs::remove_file(&beside);
    }
    moved
}
