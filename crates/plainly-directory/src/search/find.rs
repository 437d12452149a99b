//! Finding: names as they are walked by, lines by a few threads to which the walk passes the open
//! files. The hits are put back into the order of the walk, so the same search has the same answer.

use std::io::Seek;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use grep_regex::RegexMatcher;
use plainly::protocol::types::Resource;
use plainly::store::StoreError;

use super::lines::{FileOutcome, Line, Lines};
use super::query::{COMPILED_BYTES, Query, REMEMBERED_BYTES};
use super::team::{Candidate, Queue, THREADS, TIME, team};
use super::walk::{Cutoff, walk};
use crate::describe;
use crate::handle::refuse;
use crate::place::OpenEntry;
use crate::request::Request;
use crate::walk::usable;

/// The most memory of a pattern while it is searched for.
const PATTERN_BYTES: usize = COMPILED_BYTES + THREADS * 2 * REMEMBERED_BYTES;

/// The longest line that is searched, in bytes: a thread holds one in memory.
const LONGEST_LINE: usize = 16 << 20;

/// The hits of a search, and the notes about it.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) found: Vec<Hit>,
    /// The number of files searched.
    pub(super) searched: usize,
    /// The files that could not be searched, by reason.
    pub(super) left_out: LeftOut,
    pub(super) stopped: Option<Cutoff>,
}

/// The numbers of files that could not be searched, by reason.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) binary: usize,
    pub(super) long_lines: usize,
    pub(super) unreadable: usize,
    /// The files that were searched by name alone.
    pub(super) named: usize,
}

/// A file or directory that was found.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) resource: Resource,
    /// None where only names were asked for.
    pub(super) lines: Vec<Line>,
}

/// Searches the entries at the URIs and below.
pub(super) fn find(request: &Request<'_>, query: &Query) -> Result<Hits, StoreError> {
    let until = Instant::now() + TIME;
    match &query.pattern {
        None => names(request, query, until),
        Some(pattern) => {
            request.waiter.hold(PATTERN_BYTES as u64)?;
            lines(request, query, pattern, until)
        }
    }
}

fn names(request: &Request<'_>, query: &Query, until: Instant) -> Result<Hits, StoreError> {
    let mut found = Vec::new();
    let stopped = walk(request, query, until, |entry| {
        if found.len() == query.limit {
            return Ok(Some(Cutoff::Limit));
        }
        let resource = usable(&entry.uri, describe::entry(&entry))?;
        found.extend(resource.map(|resource| Hit {
            resource,
            lines: Vec::new(),
        }));
        Ok(None)
    })?;
    Ok(Hits {
        found,
        stopped,
        ..Hits::default()
    })
}

fn lines(
    request: &Request<'_>,
    query: &Query,
    pattern: &RegexMatcher,
    until: Instant,
) -> Result<Hits, StoreError> {
    // The number of matches so far.
    let found = AtomicUsize::new(0);
    let work = |queue: Queue<Candidate>| {
        let mut lines = Lines::new(pattern, query, LONGEST_LINE, until);
        let mut share = Share::default();
        for candidate in queue {
            let matches = share.search(candidate, &mut lines);
            found.fetch_add(matches, Ordering::Relaxed);
        }
        share
    };
    let (walked, shares) = team(work, |give| {
        let mut order = 0;
        walk(request, query, until, |entry| {
            // One more than is wanted tells that there are more.
            if found.load(Ordering::Relaxed) > query.limit {
                return Ok(Some(Cutoff::Limit));
            }
            order += 1;
            let is_taken = Candidate::of(entry, order).is_none_or(|file| give.send(file).is_ok());
            Ok((!is_taken).then_some(Cutoff::Limit))
        })
    });
    let hits = together(shares, walked?);
    request.waiter.check()?;
    Ok(hits)
}

/// The part of the hits that one thread found.
#[derive(Default)]
struct Share {
    hits: Vec<(usize, Hit)>,
    searched: usize,
    left_out: LeftOut,
    is_late: bool,
}

impl Share {
    /// Searches one file. Returns the number of matches.
    fn search(&mut self, candidate: Candidate, lines: &mut Lines<'_>) -> usize {
        let file = &candidate.file;
        match lines.search(&file.file, &file.waiter) {
            FileOutcome::Lines(lines) => {
                self.searched += 1;
                if lines.is_empty() {
                    return 0;
                }
                let matches = lines.iter().filter(|line| line.is_match).count();
                let order = candidate.order;
                match describe(candidate) {
                    Ok(resource) => self.hits.push((order, Hit { resource, lines })),
                    Err(_) => self.left_out.unreadable += 1,
                }
                return matches;
            }
            FileOutcome::Binary => self.left_out.binary += 1,
            FileOutcome::LongLine => self.left_out.long_lines += 1,
            FileOutcome::Unreadable => self.left_out.unreadable += 1,
            FileOutcome::Late => self.is_late = true,
        }
        0
    }
}

fn describe(candidate: Candidate) -> Result<Resource, StoreError> {
    let Candidate {
        uri, name, file, ..
    } = candidate;
    // Its kind is seen at its beginning.
    (&file.file).rewind().map_err(refuse)?;
    describe::opened(&uri, &name, &OpenEntry::File(file))
}

/// Puts together what all threads found, in the order of the walk.
fn together(shares: Vec<Share>, stopped: Option<Cutoff>) -> Hits {
    let mut hits = Hits {
        stopped,
        ..Hits::default()
    };
    let mut found = Vec::new();
    for share in shares {
        found.extend(share.hits);
        hits.searched += share.searched;
        hits.left_out.binary += share.left_out.binary;
        hits.left_out.long_lines += share.left_out.long_lines;
        hits.left_out.unreadable += share.left_out.unreadable;
        if share.is_late {
            hits.stopped = Some(Cutoff::Time);
        }
    }
    found.sort_by_key(|(order, _)| *order);
    hits.found = found.into_iter().map(|(_, hit)| hit).collect();
    hits
}
