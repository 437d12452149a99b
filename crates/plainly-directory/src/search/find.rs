//! Finding: names as they are walked by, lines by a few threads to which the walk passes the open
//! files. The hits are put back into the order of the walk, so the same search has the same answer.

use std::ffi::OsString;
use std::io::Seek;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;
use plainly::protocol::types::Resource;
use plainly::store::StoreError;

use super::lines::{FileOutcome, Line, Lines};
use super::query::{COMPILED_BYTES, Query, REMEMBERED_BYTES};
use super::walk::{Cutoff, walk};
use crate::describe;
use crate::handle::refuse;
use crate::lock::Lock;
use crate::place::{OpenEntry, OpenFile};
use crate::request::Request;
use crate::walk::{Entry, usable};

/// The longest time of a search: less than clients wait, so that they get the hits so far.
const TIME: Duration = Duration::from_secs(20);

/// The most threads that search for one call.
const THREADS: usize = 4;

/// The most memory of a pattern while it is searched for.
const PATTERN_BYTES: usize = COMPILED_BYTES + THREADS * 2 * REMEMBERED_BYTES;

/// The longest line that is searched, in bytes: a thread holds one in memory.
const LONGEST_LINE: usize = 16 << 20;

/// The most open files that wait for a thread.
const WAITING: usize = 32;

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

/// An open file on its way to a thread.
struct Candidate {
    /// Its place in the walk.
    order: usize,
    uri: String,
    name: OsString,
    file: OpenFile,
}

fn lines(
    request: &Request<'_>,
    query: &Query,
    pattern: &RegexMatcher,
    until: Instant,
) -> Result<Hits, StoreError> {
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(THREADS);
    let team = Team {
        found: AtomicUsize::new(0),
    };
    thread::scope(|scope| {
        let (give, waiting) = sync_channel(WAITING);
        // The threads alone have it: where all of them have panicked, nobody waits for one to take a file.
        let waiting = Arc::new(Lock::from(waiting));
        let work = |waiting: Arc<Lock<_>>| {
            team.work(&waiting, Lines::new(pattern, query, LONGEST_LINE, until))
        };
        let members: Vec<_> = std::iter::repeat_n(waiting, threads)
            .map(|waiting| scope.spawn(move || work(waiting)))
            .collect();
        let mut order = 0;
        let walked = walk(request, query, until, |entry| {
            // One more than is wanted tells that there are more.
            if team.found.load(Ordering::Relaxed) > query.limit {
                return Ok(Some(Cutoff::Limit));
            }
            order += 1;
            let is_taken = Candidate::of(entry, order).is_none_or(|file| give.send(file).is_ok());
            Ok((!is_taken).then_some(Cutoff::Limit))
        });
        drop(give);
        let shares = members
            .into_iter()
            .map(|member| member.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let hits = together(shares.collect(), walked?);
        request.waiter.check()?;
        Ok(hits)
    })
}

/// The state that the threads of one search share.
struct Team {
    /// The number of matches so far.
    found: AtomicUsize,
}

/// The part of the hits that one thread found.
#[derive(Default)]
struct Share {
    hits: Vec<(usize, Hit)>,
    searched: usize,
    left_out: LeftOut,
    is_late: bool,
}

/// The next to search. In a function of its own: the others wait for their turn only as long as this takes.
fn next(waiting: &Lock<Receiver<Candidate>>) -> Result<Candidate, RecvError> {
    waiting.lock().recv()
}

impl Team {
    /// Searches files until there are no more.
    fn work(&self, waiting: &Lock<Receiver<Candidate>>, mut lines: Lines<'_>) -> Share {
        let mut share = Share::default();
        while let Ok(candidate) = next(waiting) {
            self.search(candidate, &mut lines, &mut share);
        }
        share
    }

    fn search(&self, candidate: Candidate, lines: &mut Lines<'_>, share: &mut Share) {
        let file = &candidate.file;
        match lines.search(&file.file, &file.waiter) {
            FileOutcome::Lines(lines) => {
                share.searched += 1;
                if lines.is_empty() {
                    return;
                }
                let matches = lines.iter().filter(|line| line.is_match).count();
                self.found.fetch_add(matches, Ordering::Relaxed);
                let order = candidate.order;
                match candidate.describe() {
                    Ok(resource) => share.hits.push((order, Hit { resource, lines })),
                    Err(_) => share.left_out.unreadable += 1,
                }
            }
            FileOutcome::Binary => share.left_out.binary += 1,
            FileOutcome::LongLine => share.left_out.long_lines += 1,
            FileOutcome::Unreadable => share.left_out.unreadable += 1,
            FileOutcome::Late => share.is_late = true,
        }
    }
}

impl Candidate {
    /// `None` for a directory.
    fn of(entry: Entry, order: usize) -> Option<Self> {
        match entry.opened {
            OpenEntry::Directory(_) => None,
            OpenEntry::File(file) => Some(Self {
                order,
                uri: entry.uri,
                name: entry.name,
                file,
            }),
        }
    }

    fn describe(self) -> Result<Resource, StoreError> {
        // Its kind is seen at its beginning.
        (&self.file.file).rewind().map_err(refuse)?;
        describe::opened(&self.uri, &self.name, &OpenEntry::File(self.file))
    }
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
