//! Checks the space on the disk. A part of it stays free for other programs.

use cap_std::fs::Dir;
use plainly::store::WriteError;

use super::failure::failed;
use crate::system;

/// The fraction of the disk that stays free, and its maximum in bytes.
const FREE_PART: u64 = 20;
const FREE_BYTES: u64 = 1 << 30;

/// Fails if the disk has no space for this number of bytes.
pub(super) fn check(dir: &Dir, bytes: usize) -> Result<(), WriteError> {
    let Some(space) = system::space(dir).map_err(failed)? else {
        return Ok(());
    };
    let left = space.free.saturating_sub(bytes as u64);
    if left >= (space.total / FREE_PART).min(FREE_BYTES) {
        return Ok(());
    }
    Err(WriteError::Full {
        why: "the disk is almost full".into(),
    })
}
