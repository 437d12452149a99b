//! Appends to a file, completely or not at all.

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{File, Metadata, OpenOptions};
use plainly::store::WriteError;

use super::failure::{failed, unknown};
use super::slot::Slot;
use super::{pieces, room};
use crate::place::OpenFile;
use crate::step::ChangeStep;
use crate::system;

/// Appends to a locked file; `None` if it isn't in the slot any more.
pub(super) fn append(
    slot: &Slot<'_>,
    old: &OpenFile,
    bytes: &[u8],
) -> Result<Option<Metadata>, WriteError> {
    room::check(slot.dir(), bytes.len())?;
    let mut options = OpenOptions::new();
    options
        .append(true)
        .follow(FollowSymlinks::No)
        .nonblock(true);
    let mut file = slot.dir().open_with(&slot.name, &options).map_err(failed)?;
    let before = file.metadata().map_err(failed)?;
    if !system::is_same(&before, &old.metadata) {
        return Ok(None);
    }
    let mut written = 0;
    if let Err(error) = pieces::write(&mut file, bytes, slot.place.waiter(), &mut written) {
        take_back(&file, before.len(), written)?;
        return Err(error);
    }
    ChangeStep::Sync
        .begin()
        .and_then(|()| file.sync_all())
        .map_err(unknown)?;
    let after = file.metadata().map_err(unknown)?;
    // If another program replaced the file meanwhile, the appended bytes are lost.
    Ok(slot.holds(&after).then_some(after))
}

/// Truncates the file to its old length, unless another program has appended to it meanwhile.
fn take_back(file: &File, end: u64, written: u64) -> Result<(), WriteError> {
    let length = file.metadata().map_err(unknown)?.len();
    if length != end + written {
        return Err(unknown(std::io::ErrorKind::StaleNetworkFileHandle.into()));
    }
    file.set_len(end).map_err(unknown)
}
