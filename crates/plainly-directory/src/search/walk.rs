//! The walk through the files and directories of a search: those that a listing has at the tops and below, from their open
//! handles, as far as their names are wanted. Never opens anything by a path, and never looks into a file.

use std::path::{Path, PathBuf};
use std::time::Instant;

use plainly::store::StoreError;

use super::query::Query;
use crate::place::OpenEntry;
use crate::request::Request;
use crate::uri;
use crate::walk::{Entry, Walk, usable};

/// The reason why a walk or a search ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cutoff {
    /// There are more matches.
    Limit,
    /// There are more matches than an answer has room for.
    Room,
    /// There was no more time.
    Time,
}

/// Passes the tops of the query and everything below to `visit`, in the order of listings, until it
/// returns `Err` or a reason to stop.
pub(super) fn walk(
    request: &Request<'_>,
    query: &Query,
    until: Instant,
    mut visit: impl FnMut(Entry) -> Result<Option<Cutoff>, StoreError>,
) -> Result<Option<Cutoff>, StoreError> {
    for top in &query.tops {
        let below = Below::of(request, top);
        // One of several may be missing for a moment.
        let Some(mut entries) = (match query.tops.len() {
            1 => Some(below?),
            _ => usable(top, below)?,
        }) else {
            continue;
        };
        while let Some(entry) = entries.next()? {
            if Instant::now() > until {
                return Ok(Some(Cutoff::Time));
            }
            let path = query.looks_at_names().then(|| path(top, &entry));
            let path = path.unwrap_or_default();
            let is_excluded = query.excludes(&path);
            if is_excluded || query.is_listing() {
                entries.leave(&entry);
            }
            if !is_excluded
                && query.wants(&path)
                && let Some(stopped) = visit(entry)?
            {
                return Ok(Some(stopped));
            }
        }
    }
    Ok(None)
}

/// Everything below a top, or the file that it is.
enum Below {
    Walk(Walk),
    File(Option<Box<Entry>>),
}

impl Below {
    fn of(request: &Request<'_>, top: &str) -> Result<Self, StoreError> {
        let target = request.target(top)?;
        Ok(match request.place(target.root).open(&target.path)? {
            OpenEntry::Directory(place) => Self::Walk(Walk::below(place, top.to_owned(), &[])?),
            opened @ OpenEntry::File(_) => Self::File(Some(Box::new(Entry {
                uri: top.to_owned(),
                name: target.name().to_owned(),
                opened,
            }))),
        })
    }

    fn next(&mut self) -> Result<Option<Entry>, StoreError> {
        match self {
            Self::Walk(walk) => walk.next(),
            Self::File(entry) => Ok(entry.take().map(|entry| *entry)),
        }
    }

    /// Skips the contents of the entry.
    fn leave(&mut self, entry: &Entry) {
        match self {
            Self::Walk(walk) => walk.leave(entry),
            Self::File(_) => {}
        }
    }
}

/// The path of an entry from the top; of the top itself, its name.
fn path(top: &str, entry: &Entry) -> PathBuf {
    uri::below(top, &entry.uri).unwrap_or_else(|| Path::new(&entry.name).to_owned())
}
