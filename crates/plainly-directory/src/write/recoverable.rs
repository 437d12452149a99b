//! A place in the trash for what is about to be lost.

use cap_std::fs::Metadata;
use plainly::store::WriteError;

use super::contents::Contents;
use super::failure::failed;
use super::slot::Slot;
use crate::trash::{Item, NoPlace, TrashPlace};

/// Makes a place for what is in the slot, with its contents; `None` if there is none, and it may be lost.
pub(super) fn place<'a>(
    slot: &Slot<'a>,
    present: &Metadata,
    contents: Contents,
    permanent: bool,
) -> Result<Option<TrashPlace<'a>>, WriteError> {
    let root = slot.root;
    let path = slot.path();
    let item = Item::new(contents.bytes, contents.entries + path.len() as u64);
    match TrashPlace::prepare(&root.dir(), &root.trash, &path, present, item) {
        Ok(place) => Ok(Some(place)),
        Err(_) if permanent => Ok(None),
        Err(NoPlace::Unfit(why)) => Err(WriteError::Permanent { why }),
        Err(NoPlace::Failed(error)) if error.kind() == std::io::ErrorKind::ReadOnlyFilesystem => {
            Err(failed(error))
        }
        Err(NoPlace::Failed(error)) => {
            tracing::warn!(uri = root.uri, %error, "the trash can't be used");
            let why = "the trash can't be used".into();
            Err(WriteError::Permanent { why })
        }
    }
}
