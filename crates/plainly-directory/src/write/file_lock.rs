//! Locks a file, so that processes change it one at a time.

use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::File;
use plainly::store::{StoreError, WriteError};

use crate::job::Waiter;
use crate::system;

/// The maximum time to wait for another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// The interval between two attempts to lock.
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until no other process changes the file. The lock is held while the file is open.
pub(super) fn lock(file: &File, waiter: &Waiter) -> Result<(), WriteError> {
    let start = Instant::now();
    while !system::try_lock(file) {
        waiter.check()?;
        if start.elapsed() > PATIENCE {
            return Err(StoreError::Overloaded.into());
        }
        thread::sleep(PAUSE);
    }
    Ok(())
}
