//! Changes to the directories. Each change happens completely or not at all.
//!
//! ```text
//! URI ─► slot: a name in an open directory ─► what stands there, locked ─► the condition
//!     ─► a temporary file, on the disk ─► exchanged with what stands there ─► which goes to the trash
//! ```

mod append;
mod check;
mod collection;
mod condition;
mod contents;
mod failure;
mod file_lock;
mod leftovers;
mod name;
mod pieces;
mod recoverable;
mod remove;
mod rename;
mod replace;
mod room;
mod slot;
mod temporary;

use std::time::{Duration, Instant};

use cap_std::fs::Metadata;
use plainly::store::{
    ChangeQuery, RemoveQuery, Removed, RenameQuery, StoreError, Writable, WriteError, WriteQuery,
    Written,
};

use self::check::Change;
use self::condition::Condition;
use self::failure::failed;
use self::remove::Removal;
use self::slot::Slot;
use super::content;
use super::request::Request;
use super::store::DirectoryStore;

pub(super) use self::leftovers::clean;

/// The time for which a change is retried because another program changes the same name.
const PATIENCE: Duration = Duration::from_secs(10);

/// The error of a change during whose retries another program changed the name each time.
#[derive(Debug, thiserror::Error)]
#[error("another program changed the same name for {PATIENCE:?}, again and again")]
struct Restless;

/// Each change is on disk when its call returns.
impl Writable for DirectoryStore {
    async fn write(&self, query: WriteQuery<'_>) -> Result<Written, WriteError> {
        let uri = query.uri.to_owned();
        let content = Content {
            append: query.append,
            permanent: query.permanent,
            condition: query.when.into(),
        };
        let bytes = query.bytes;
        self.blocking(move |request| request.write(&uri, &content, &bytes))
            .await
    }

    /// Moves a resource to the trash of its mount.
    async fn remove(&self, query: RemoveQuery<'_>) -> Result<Removed, WriteError> {
        let uri = query.uri.to_owned();
        let removal = Removal {
            recursive: query.recursive,
            permanent: query.permanent,
            condition: query.when.into(),
        };
        self.blocking(move |request| request.remove(&uri, &removal))
            .await
    }

    async fn create_collection(&self, uri: &str) -> Result<(), WriteError> {
        let uri = uri.to_owned();
        self.blocking(move |request| collection::create(request, &uri))
            .await
    }

    async fn rename(&self, query: RenameQuery<'_>) -> Result<Written, WriteError> {
        let (from, to) = (query.from.to_owned(), query.to.to_owned());
        let condition = query.when.into();
        self.blocking(move |request| request.rename(&from, &to, &condition))
            .await
    }

    async fn check_change(&self, change: ChangeQuery<'_>) -> Result<(), WriteError> {
        let change = Change::from(change);
        self.blocking(move |request| change.check(request)).await
    }
}

/// The options of a write.
#[derive(Debug)]
struct Content {
    append: bool,
    permanent: bool,
    condition: Condition,
}

impl Request<'_> {
    fn write(&self, uri: &str, content: &Content, bytes: &[u8]) -> Result<Written, WriteError> {
        let slot = Slot::find(self, uri)?;
        check::check_size(self, bytes.len())?;
        let _locked = self.mounts.locks.lock(&[(&*slot.place, &*slot.name)])?;
        persist(|| {
            // A condition that is violated already fails here, without waiting for the file's lock.
            let old = check::to_write(&slot, &content.condition)?;
            let is_new = old.is_none();
            let written = match old {
                None => replace::create(&slot, bytes)?,
                Some(mut old) => {
                    if !slot.lock(&old)? {
                        return Ok(None);
                    }
                    old.metadata = old.file.metadata().map_err(failed)?;
                    content.condition.check_file(&old.metadata)?;
                    match content.append {
                        true => append::append(&slot, &old, bytes)?,
                        false => replace::replace(&slot, &old, bytes, content.permanent)?,
                    }
                }
            };
            Ok(written.map(|written| describe(&slot.uri, &written).is_new(is_new)))
        })
    }

    fn remove(&self, uri: &str, removal: &Removal) -> Result<Removed, WriteError> {
        let slot = Slot::find(self, uri)?;
        let _locked = self.mounts.locks.lock(&[(&*slot.place, &*slot.name)])?;
        persist(|| removal.of(&slot))
    }

    fn rename(&self, from: &str, to: &str, condition: &Condition) -> Result<Written, WriteError> {
        let source = Slot::find(self, from)?;
        let target = Slot::find(self, to)?;
        let _locked = self.mounts.locks.lock(&[
            (&*source.place, &*source.name),
            (&*target.place, &*target.name),
        ])?;
        let renamed = persist(|| rename::rename(&source, &target, condition))?;
        Ok(describe(&target.uri, &renamed).is_new(true))
    }
}

/// Runs a change, and retries it while another program interferes.
fn persist<T>(mut change: impl FnMut() -> Result<Option<T>, WriteError>) -> Result<T, WriteError> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(done) = change()? {
            return Ok(done);
        }
    }
    Err(StoreError::Failed(Restless.into()).into())
}

/// Describes a resource after a change.
fn describe(uri: &str, metadata: &Metadata) -> Written {
    let mut written = Written::new(uri);
    if metadata.is_file() {
        written.size = Some(metadata.len());
        written.tag = content::tag(metadata);
    }
    written
}

#[cfg(unix)]
#[cfg(test)]
mod tests;
