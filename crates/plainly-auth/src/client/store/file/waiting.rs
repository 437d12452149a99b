//! Locks of files that other processes hold, waited for without a thread of one's own. They end with the process, however it
//! ends.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::{PATIENCE, TokenStoreError, busy};
use super::fault::{Fault, shown};
use super::{apart, private};

/// The first pause before another try, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(100));

/// Holds the lock of the file at `path`, which is made if there is none: it is for something `kept` elsewhere.
pub(super) async fn hold(path: PathBuf, kept: &Path) -> Result<File, TokenStoreError> {
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
