//! The entry under a name itself, and the path to it. Changes use it because they never follow a
//! link.

use std::ffi::{OsStr, OsString};
use std::rc::Rc;

use plainly::store::StoreError;

use super::{ATTEMPTS, EntryKind, OpenEntry, Place};
use crate::job::Waiter;
use crate::{handle, system};

/// The entry under a name in a directory.
#[derive(Debug)]
#[cfg_attr(
    target_os = "linux",
    expect(clippy::large_enum_variant, reason = "one at a time, and not for long")
)]
pub(crate) enum Standing {
    Absent,
    Served(OpenEntry),
    /// A link, or an entry that is not served.
    Other,
}

impl Place {
    /// The entry under this name in this directory; a link is not followed.
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
            // The entry may have appeared or disappeared in between.
            let after = handle::look(&self.dir, name);
            if let (Ok(before), Ok(after)) = (&before, &after)
                && system::is_same(before, after)
            {
                break;
            }
        }
        Ok(Standing::Other)
    }

    /// The path from the root of the mount to this directory, without links.
    pub(crate) fn path(&self) -> Vec<OsString> {
        let Some(parent) = &self.parent else {
            return Vec::new();
        };
        let mut path = parent.path();
        path.push(self.name.clone());
        path
    }

    /// Whether this directory or one above it has a name that matches `is_such`.
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

    /// The caller that waits for the result.
    pub(crate) fn waiter(&self) -> &Waiter {
        &self.waiter
    }
}
