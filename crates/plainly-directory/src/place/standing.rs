//! The entry under a name itself, and the way to it: for changes, which never follow a link.

use std::ffi::{OsStr, OsString};
use std::rc::Rc;

use plainly::store::StoreError;

use super::{ATTEMPTS, EntryKind, OpenEntry, Place};
use crate::job::Waiter;
use crate::{handle, system};

/// The entry that has a name in a directory.
#[derive(Debug)]
#[cfg_attr(
    target_os = "linux",
    expect(clippy::large_enum_variant, reason = "one at a time, and not for long")
)]
pub(crate) enum Standing {
    Absent,
    Served(OpenEntry),
    /// A link, or something that is not served.
    Other,
}

impl Place {
    /// The entry that has this name in here; a link is not followed.
    pub(crate) fn standing(self: &Rc<Self>, name: &OsStr) -> Result<Standing, StoreError> {
        for _ in 0..ATTEMPTS {
            let before = match handle::look(&self.dir, name) {
                Err(error) if handle::is_nothing(&error) => return Ok(Standing::Absent),
                looked => looked,
            };
            match self.enter(name, false) {
                Ok(EntryKind::Open(entry)) => return Ok(Standing::Served(entry)),
                Ok(EntryKind::Link(_)) => return Ok(Standing::Other),
                Err(StoreError::NotFound) => {}
                Err(error) => return Err(error),
            }
            // It may have come or gone in between.
            let after = handle::look(&self.dir, name);
            if let (Ok(before), Ok(after)) = (&before, &after)
                && system::is_same(before, after)
            {
                break;
            }
        }
        Ok(Standing::Other)
    }

    /// The way from the root of the mount to here, without links.
    pub(crate) fn path(&self) -> Vec<OsString> {
        let Some(parent) = &self.parent else {
            return Vec::new();
        };
        let mut path = parent.path();
        path.push(self.name.clone());
        path
    }

    /// Whether this is a directory with such a name, or below one.
    pub(crate) fn is_in(&self, is_such: impl Fn(&OsStr) -> bool) -> bool {
        let mut at = Some(self);
        while let Some(place) = at {
            if is_such(&place.name) {
                return true;
            }
            at = place.parent.as_deref();
        }
        false
    }

    /// The caller that waits.
    pub(crate) fn waiter(&self) -> &Waiter {
        &self.waiter
    }
}
