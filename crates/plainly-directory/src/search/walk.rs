//! The walk of a search: visits the files and directories that listings show at the tops and below,
//! as far as their names match. Uses open handles, never opens anything by a path, and never reads
//! a file.

use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Instant;

use plainly::store::StoreError;

use super::query::Query;
use crate::place::OpenEntry;
use crate::request::Request;
use crate::uri;
use crate::walk::{Entry, KnownEntries, Walk, WalkStep, usable};

/// The reason why a walk or a search stopped early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cutoff {
    /// There are more matches.
    Limit,
    /// There are more matches than fit into a result.
    Room,
    /// The time ran out.
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
    let known: KnownEntries<'_, Infallible> = &mut |_, _, _| None;
    walk_known(request, query, until, known, |step| match step {
        WalkStep::Entry(entry) => visit(entry),
        WalkStep::Known(_, never) => match never {},
    })
}

/// Walks like [`walk`], but doesn't open entries for which `known` returns something.
pub(super) fn walk_known<T>(
    request: &Request<'_>,
    query: &Query,
    until: Instant,
    known: KnownEntries<'_, T>,
    mut visit: impl FnMut(WalkStep<T>) -> Result<Option<Cutoff>, StoreError>,
) -> Result<Option<Cutoff>, StoreError> {
    for top in &query.tops {
        let below = Below::of(request, top);
        // One of several tops may be missing for a moment.
        let Some(mut entries) = (match query.tops.len() {
            1 => Some(below?),
            _ => usable(top, below)?,
        }) else {
            continue;
        };
        while let Some(step) = entries.next(known)? {
            if Instant::now() > until {
                return Ok(Some(Cutoff::Time));
            }
            let path = query.looks_at_names().then(|| path(top, &step));
            let path = path.unwrap_or_default();
            let is_excluded = query.excludes(top, &path);
            if let WalkStep::Entry(entry) = &step
                && (is_excluded || query.is_listing())
            {
                entries.leave(entry);
            }
            if !is_excluded
                && query.wants(top, &path)
                && let Some(stopped) = visit(step)?
            {
                return Ok(Some(stopped));
            }
        }
    }
    Ok(None)
}

/// The entries below a top, or the top itself if it is a file.
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

    fn next<T>(&mut self, known: KnownEntries<'_, T>) -> Result<Option<WalkStep<T>>, StoreError> {
        match self {
            Self::Walk(walk) => walk.step(known),
            Self::File(entry) => Ok(entry.take().map(|entry| WalkStep::Entry(*entry))),
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

/// The path of an entry below the top; for the top itself, its name.
fn path<T>(top: &str, step: &WalkStep<T>) -> PathBuf {
    let (uri, name) = match step {
        WalkStep::Entry(entry) => (&entry.uri, Path::new(&entry.name)),
        WalkStep::Known(uri, _) => (uri, Path::new("")),
    };
    uri::below(top, uri).unwrap_or_else(|| name.to_owned())
}
