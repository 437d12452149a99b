//! File locks, shared with other processes. A task waits for a lock without blocking a thread. A
//! lock ends with its process, even if that is killed.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::{PATIENCE, TokenStoreError, busy};
use super::fault::{Fault, shown};
use super::{apart, private};

/// The first pause between two tries, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(100));

/// Locks the file at `path`, which is created if it does not exist. The lock protects work on
/// `kept`, which is another file.
pub(super) async fn lock(path: PathBuf, kept: &Path) -> Result<File, TokenStoreError> {
    let file = apart({
        let path = path.clone();
        move || private::lockable(&path).map_err(|fault| fault.at("locked", &path))
    });
    let file = file.await?;
    let until = Instant::now() + PATIENCE;
    let (mut pause, longest) = PAUSES;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(Fault::from(error).at("locked", &path)),
            Err(TryLockError::WouldBlock) if Instant::now() >= until => {
                return Err(busy(&shown(kept)));
            }
            Err(TryLockError::WouldBlock) => sleep(pause).await,
        }
        pause = longest.min(2 * pause);
    }
}
