//! Room on the disk. Some of it stays free, for everything else that runs there.

use cap_std::fs::Dir;
use plainly::store::WriteError;

use super::failure::failed;
use crate::system;

/// The part of the disk that stays free, and the most that this may be.
const FREE_PART: u64 = 20;
const FREE_BYTES: u64 = 1 << 30;

/// Whether there is room for so many bytes.
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
