//! Watches a directory, and all visible directories below it.

use std::io;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use plainly::store::StoreError;

use super::changes::Changes;
use super::{ASKED, At, System, WatchedMounts};
use crate::walk;

impl WatchedMounts {
    /// Watches a directory and everything below it. With `since`, also reports the changes there
    /// since then.
    pub(super) fn watch(
        &self,
        at: &At,
        since: Option<SystemTime>,
        changes: &mut Changes,
    ) -> Result<(), StoreError> {
        // Watches the directory before reading it, so that no change is missed in between.
        if (System::EACH_DIRECTORY || at.path.as_os_str().is_empty())
            && !self.watch_one(at, changes)
        {
            return Ok(());
        }
        let is_new = |metadata: &Metadata| match (since, metadata.modified()) {
            (Some(since), Ok(modified)) => modified.into_std() >= since,
            (None, _) | (_, Err(_)) => false,
        };
        if at.file.is_none() && is_new(&at.place.metadata()?) {
            changes.listing();
            changes.resource(&*at.uri);
        }
        let mut directories = Vec::new();
        for entry in at.place.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            let kind = entry.file_type().ok();
            if !at.place.shows(&name, kind)? {
                continue;
            }
            if kind.is_none_or(|kind| kind.is_dir()) {
                directories.push(name);
            } else if since.is_some()
                && entry.metadata().is_ok_and(|metadata| is_new(&metadata))
                && at.place.open_listed(&name).is_ok()
            {
                changes.resource(at.child(&name));
            }
        }
        for name in directories {
            let inner = at.child(&name);
            let inner = walk::usable(&inner, at.place.descend(&name))?.flatten();
            if let Some(place) = inner {
                let inner = at.inner(&name, place);
                walk::usable(&inner.uri, self.watch(&inner, since, changes))?;
            }
        }
        Ok(())
    }

    /// Watches one directory. Returns whether that succeeded.
    fn watch_one(&self, at: &At, changes: &mut Changes) -> bool {
        let Some(system) = self.systems.get(at.root) else {
            return false;
        };
        match system.watch(at) {
            Ok(()) => true,
            Err(error) => {
                self.unwatched(at, &error, changes);
                false
            }
        }
    }

    fn unwatched(&self, at: &At, error: &io::Error, changes: &mut Changes) {
        if error.kind() == io::ErrorKind::NotFound {
            // The directory was removed, which is reported as a change of its own.
            return;
        }
        changes.listing();
        let is_first = |is_limited: &mut bool| !std::mem::replace(is_limited, true);
        if !self.is_limited.send_if_modified(is_first) {
            return;
        }
        changes.everything();
        let advice = if error.kind() == io::ErrorKind::StorageFull {
            ": fs.inotify.max_user_watches is too low"
        } else {
            ""
        };
        tracing::warn!(uri = at.uri, %error, "{ASKED}{advice}");
    }
}
