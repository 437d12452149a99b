//! One change of a file at a time, among processes.

use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::File;
use plainly::store::{StoreError, WriteError};

use crate::job::Waiter;
use crate::system;

/// The longest wait for another process.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time between two looks at the lock of another process.
const PAUSE: Duration = Duration::from_millis(1);

/// Waits until no other process changes a file, and keeps others from it as long as the file is open.
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
