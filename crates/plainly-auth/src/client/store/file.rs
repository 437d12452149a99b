//! The store in a file of the user, which all programs that use it share.
//!
//! ```text
//! DIRECTORY/credentials.json        all that is kept, for its owner alone
//! DIRECTORY/credentials.sealed      the same, encrypted with a key that is in a keychain
//! DIRECTORY/….new                   one of the two, while it is written
//! DIRECTORY/credentials.lock        held while it is changed
//! DIRECTORY/locks/DIGEST            held while something of it is worked on
//! ```

mod document;
mod fault;
mod lock;
mod place;
mod private;
mod sealed;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use plainly_oauth::credentials::Credentials;
use ring::digest::{SHA256, digest};

use self::fault::{Fault, shown};
use self::sealed::SealingKey;
use super::{Keychain, StoreLock, TokenStore, TokenStoreError};

/// The longest wait for a keychain, including the user that it asks.
const KEYCHAIN_PATIENCE: Duration = Duration::from_secs(120);

/// Stores tokens in the file `credentials.json` of a directory, readable only by its owner. Its
/// clones and other programs with the same directory share the file.
///
/// A file is rejected, and left unchanged, if other users can read it, if it belongs to another
/// user, or if this program can't have written it. On Windows, its directory decides who can read
/// it.
#[derive(Clone)]
pub struct FileStore {
    directory: Arc<Path>,
    keychain: Option<Arc<dyn Keychain>>,
}

impl FileStore {
    /// The store in this directory. Neither the directory nor the file has to exist.
    pub fn new(directory: impl Into<PathBuf>) -> Self {
        let directory = match directory.into() {
            // An empty path means the current directory, but no system accepts it as that
            // directory's name.
            path if path.as_os_str().is_empty() => PathBuf::from("."),
            path => path,
        };
        Self {
            directory: directory.into(),
            keychain: None,
        }
    }

    /// Uses the file `credentials.sealed` instead, which is encrypted with a key in the keychain. A
    /// copy of the file, from a backup or a disk, can't be read. If the keychain can't be reached,
    /// every operation fails.
    #[must_use]
    pub fn sealed(mut self, keychain: impl Keychain + 'static) -> Self {
        self.keychain = Some(Arc::new(keychain));
        self
    }

    /// The store of the user who runs the program: in `plainly` in `$XDG_STATE_HOME` or
    /// `~/.local/state`, on macOS in `~/Library/Application Support`, on Windows in
    /// `%LOCALAPPDATA%`.
    ///
    /// # Errors
    ///
    /// If there is no such directory, because the user has no home directory.
    pub fn of_user() -> Result<Self, TokenStoreError> {
        match place::of_user() {
            Some(directory) => Ok(Self::new(directory)),
            None => Err(TokenStoreError::new("cannot store logins")
                .because("this user has no home directory; set XDG_STATE_HOME to one")),
        }
    }

    /// The path of the file.
    pub fn path(&self) -> PathBuf {
        self.directory.join(match self.keychain {
            Some(_) => "credentials.sealed",
            None => "credentials.json",
        })
    }

    /// The stored credentials, and the sealing key if they are encrypted.
    async fn read(&self) -> Result<(Credentials, Option<SealingKey>), TokenStoreError> {
        let (path, keychain) = (self.path(), self.keychain.clone());
        self.waiting(move || read(&path, keychain.as_deref())).await
    }

    /// The lock on the file while it is changed.
    async fn lock_file(&self) -> Result<std::fs::File, TokenStoreError> {
        lock::lock(self.directory.join("credentials.lock"), &self.path()).await
    }

    /// Ensures that the keychain has a key before work starts that would otherwise be lost.
    async fn prepare(&self) -> Result<(), TokenStoreError> {
        let Some(keychain) = self.keychain.clone() else {
            return Ok(());
        };
        let held = self.lock_file().await?;
        let path = self.path();
        self.waiting(move || {
            let _held = held;
            match path.exists() {
                true => Ok(()),
                false => key(&*keychain).map(drop),
            }
        })
        .await
    }

    /// Runs work that may wait for a disk or for a keychain.
    async fn waiting<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, TokenStoreError> + Send + 'static,
    ) -> Result<T, TokenStoreError> {
        let Some(keychain) = &self.keychain else {
            return apart(work).await;
        };
        match tokio::time::timeout(KEYCHAIN_PATIENCE, apart(work)).await {
            Ok(done) => done,
            Err(_elapsed) => Err(
                TokenStoreError::new(format!("cannot use {}", keychain.place())).because(format!(
                    "no answer within {} seconds; it may be locked: unlock it",
                    KEYCHAIN_PATIENCE.as_secs()
                )),
            ),
        }
    }
}

impl fmt::Debug for FileStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileStore")
            .field("path", &self.path())
            .field("keychain", &self.keychain)
            .finish()
    }
}

impl TokenStore for FileStore {
    fn load(&self) -> BoxFuture<'_, Result<Credentials, TokenStoreError>> {
        Box::pin(async { Ok(self.read().await?.0) })
    }

    fn update<'a>(
        &'a self,
        change: Box<dyn FnOnce(&mut Credentials) + Send + 'a>,
    ) -> BoxFuture<'a, Result<(), TokenStoreError>> {
        Box::pin(async move {
            let held = self.lock_file().await?;
            let (kept, sealing_key) = self.read().await?;
            let mut changed = kept.clone();
            change(&mut changed);
            if changed == kept {
                return Ok(());
            }
            // Dropping the future does not stop the write, and does not release the lock before the
            // write is done.
            let (path, keychain) = (self.path(), self.keychain.clone());
            self.waiting(move || {
                let sealing_key = match (sealing_key, keychain) {
                    (None, Some(keychain)) => Some(key(&*keychain)?),
                    (sealing_key, _) => sealing_key,
                };
                let written = write(&path, &changed, sealing_key.as_ref());
                drop(held);
                written.map_err(|fault| fault.at("written", &path))
            })
            .await
        })
    }

    fn lock<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<StoreLock, TokenStoreError>> {
        let digest = digest(&SHA256, name.as_bytes());
        let name: String = digest
            .as_ref()
            .iter()
            .map(|it| format!("{it:02x}"))
            .collect();
        let path = self.directory.join("locks").join(name);
        Box::pin(async move {
            let held = lock::lock(path, &self.path()).await?;
            self.prepare().await?;
            Ok(StoreLock::new(held))
        })
    }

    fn place(&self) -> String {
        let path = shown(&self.path());
        match &self.keychain {
            Some(keychain) => format!("{path}, encrypted with a key in {}", keychain.place()),
            None => path,
        }
    }
}

fn read(
    path: &Path,
    keychain: Option<&dyn Keychain>,
) -> Result<(Credentials, Option<SealingKey>), TokenStoreError> {
    let fault = |fault: Fault| fault.at("read", path);
    let Some(bytes) = private::read(path).map_err(fault)? else {
        return Ok((Credentials::default(), None));
    };
    let Some(keychain) = keychain else {
        return Ok((document::read(&bytes).map_err(fault)?, None));
    };
    let kept = keychain.load()?;
    let kept = kept.ok_or_else(|| fault(Fault::NoKey(keychain.place())))?;
    let key = SealingKey::read(&kept);
    let key = key.ok_or_else(|| fault(Fault::NoSuchKey(keychain.place())))?;
    let opened = key
        .open(&bytes)
        .and_then(|opened| document::read(&opened))
        .map_err(fault)?;
    Ok((opened, Some(key)))
}

fn write(path: &Path, credentials: &Credentials, key: Option<&SealingKey>) -> Result<(), Fault> {
    let bytes = document::write(credentials)?;
    let bytes = match key {
        Some(key) => key.seal(bytes)?,
        None => bytes,
    };
    private::replace(path, &bytes)
}

/// The key for a file that does not exist yet: the key in the keychain, or else a new one.
fn key(keychain: &dyn Keychain) -> Result<SealingKey, TokenStoreError> {
    let kept = keychain.load()?;
    if let Some(key) = kept.as_ref().and_then(SealingKey::read) {
        return Ok(key);
    }
    let new = SealingKey::random();
    keychain.keep(&new)?;
    // The key is read back, because the next process reads it from the keychain, too.
    let kept = keychain.load()?;
    let key = kept.as_ref().and_then(SealingKey::read);
    key.ok_or_else(|| {
        TokenStoreError::new(format!("cannot use {}", keychain.place()))
            .because("it does not return the key that was stored")
    })
}

/// Runs work that may wait for a disk on a thread where it blocks no other work.
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, TokenStoreError> + Send + 'static,
) -> Result<T, TokenStoreError> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(ended) => match ended.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_cancelled) => Err(TokenStoreError::new("cannot read or write logins")
                .because("the program is about to end")),
        },
    }
}
