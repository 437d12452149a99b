//! Keys in a file, as a verifier. The file is read again when it changes, so a key that is removed
//! from it is rejected from the next request on.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_oauth::Secret;
use plainly_oauth::jose::TokenRefusal;
use plainly_oauth::scope::is_scope;

use super::api_key::{KeyEnd, KeyRow, TokenDigest, digest, is_meant, is_well_formed};
use super::key_list::{self, ApiKeyError};
use super::verifier::{VerificationError, VerifiedToken, Verifier};
use plainly_transport::file_look::FileLook;
use plainly_transport::lock::Lock;

/// Keys in a file, as a verifier.
#[derive(Debug)]
pub struct ApiKeys {
    path: PathBuf,
    read: Lock<Option<KeyReading>>,
}

/// The keys, and what the file looked like when they were read.
#[derive(Debug)]
struct KeyReading {
    look: FileLook,
    keys: Arc<HashMap<TokenDigest, KeyRow>>,
}

impl ApiKeys {
    /// Reads the keys in this file, which must exist and be readable only by its owner.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, ApiKeyError> {
        let keys = Self {
            path: path.into(),
            read: Lock::new(None),
        };
        keys.current()?;
        Ok(keys)
    }

    /// Adds a key to the file, which is created if it does not exist. Names are unique, because
    /// they identify the keys.
    pub fn add(path: &Path, row: KeyRow) -> Result<(), ApiKeyError> {
        if let Some(scope) = row.scopes.iter().find(|scope| !is_scope(scope)) {
            return Err(ApiKeyError::Scope(scope.clone()));
        }
        key_list::change(path, |list| {
            if list.keys.iter().any(|own| own.name == row.name) {
                let (path, name) = (path.to_owned(), row.name);
                return Err(ApiKeyError::NameTaken { path, name });
            }
            list.keys.push(row);
            Ok(())
        })
    }

    /// Removes the keys of this name from the file. A server with this file rejects them from the
    /// next request on.
    pub fn revoke(path: &Path, name: &str) -> Result<(), ApiKeyError> {
        // A change makes the file if there is none.
        fs::metadata(path).map_err(|source| ApiKeyError::unusable(path, source))?;
        key_list::change(path, |list| {
            let before = list.keys.len();
            list.keys.retain(|row| row.name != name);
            if list.keys.len() == before {
                let (path, name) = (path.to_owned(), name.to_owned());
                return Err(ApiKeyError::UnknownName { path, name });
            }
            Ok(())
        })
    }

    /// The rows of the file.
    pub fn list(path: &Path) -> Result<Vec<KeyRow>, ApiKeyError> {
        Ok(key_list::read(path)?.0.keys)
    }

    /// The keys that are in the file now.
    fn current(&self) -> Result<Arc<HashMap<TokenDigest, KeyRow>>, ApiKeyError> {
        let unusable = |source| ApiKeyError::unusable(&self.path, source);
        let mut read = self.read.lock();
        let look = FileLook::of(&fs::metadata(&self.path).map_err(unusable)?);
        if let Some(reading) = &*read
            && reading.look == look
        {
            return Ok(Arc::clone(&reading.keys));
        }
        // The earlier keys are dropped first, so that an unreadable file accepts no key.
        *read = None;
        let (list, metadata) = key_list::read(&self.path)?;
        let mut keys = HashMap::new();
        for row in list.keys {
            let digest = row.digest().ok_or_else(|| ApiKeyError::Malformed {
                path: self.path.clone(),
                why: format!("the sha256 of {:?} is not 64 hexadecimal digits", row.name),
            })?;
            keys.insert(digest, row);
        }
        let keys = Arc::new(keys);
        *read = Some(KeyReading {
            look: FileLook::of(&metadata),
            keys: Arc::clone(&keys),
        });
        Ok(keys)
    }

    fn judge(&self, token: &str, now: u64) -> Result<VerifiedToken, VerificationError> {
        if !is_well_formed(token) {
            return Err(TokenRefusal::Malformed.into());
        }
        let keys = self.current().map_err(|error| {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}"));
            VerificationError::Unavailable(format!("{error}{}", source.unwrap_or_default()))
        })?;
        let row = keys.get(&digest(token)).ok_or(TokenRefusal::Revoked)?;
        let expires_at = row.expires.map(|KeyEnd(at)| at);
        // There is no tolerance, because the same clock set the key's end.
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

    fn asks_elsewhere(&self) -> bool {
        false
    }

    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, VerificationError>> {
        std::future::ready(self.judge(token.expose(), now)).boxed()
    }
}
