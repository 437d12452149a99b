//! Finding: names as they are walked by, lines by a few threads to which the walk gives the open files. What is found is
//! put back into the order of the walk, so the same search has the same answer.

use std::ffi::OsString;
use std::io::Seek;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use grep_regex::RegexMatcher;
use plainly_protocol::types::Resource;

use super::super::handle::refuse;
use super::super::place::{OpenFile, Opened};
use super::super::walk::{Entry, usable};
use super::super::{Request, describe};
use super::lines::{Line, Lines, Searched};
use super::query::Query;
use super::walk::{Stopped, walk};
use crate::store::StoreError;

/// How long a search may take: less than clients wait, so that they get what was found.
const TIME: Duration = Duration::from_secs(20);

/// The most threads that search for one call.
const THREADS: usize = 4;

/// The most open files that wait for a thread.
const WAITING: usize = 32;

/// What a search came to.
#[derive(Debug, Default)]
pub(super) struct Hits {
    pub(super) found: Vec<Hit>,
    /// How many files were searched.
    pub(super) searched: usize,
    /// Those that weren't.
    pub(super) left_out: LeftOut,
    pub(super) stopped: Option<Stopped>,
}

/// How many files could not be searched.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) binary: usize,
    pub(super) too_large: usize,
    pub(super) unreadable: usize,
}

/// A file or directory that was found.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) resource: Resource,
    /// None where only names were asked for.
    pub(super) lines: Vec<Line>,
}

/// Searches what the URIs name and what is below.
pub(super) fn find(
    request: &Request<'_>,
    tops: &[String],
    query: &Query,
) -> Result<Hits, StoreError> {
    let until = Instant::now() + TIME;
    match &query.pattern {
        None => names(request, tops, query, until),
        Some(pattern) => lines(request, tops, query, pattern, until),
    }
}

fn names(
    request: &Request<'_>,
    tops: &[String],
    query: &Query,
    until: Instant,
) -> Result<Hits, StoreError> {
    let mut found = Vec::new();
    let stopped = walk(request, tops, query, until, |entry| {
        if found.len() == query.limit {
            return Ok(Some(Stopped::Limit));
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
    tops: &[String],
    query: &Query,
    pattern: &RegexMatcher,
    until: Instant,
) -> Result<Hits, StoreError> {
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(THREADS);
    let team = Team {
        found: AtomicUsize::new(0),
        largest: request.store.max_file_bytes,
    };
    thread::scope(|scope| {
        let (give, waiting) = sync_channel(WAITING);
        // The threads alone have it: where all of them have panicked, nobody waits for one to take a file.
        let waiting = Arc::new(Mutex::new(waiting));
        let work = |waiting: Arc<Mutex<_>>| team.work(&waiting, Lines::new(pattern, query, until));
        let members: Vec<_> = std::iter::repeat_n(waiting, threads)
            .map(|waiting| scope.spawn(move || work(waiting)))
            .collect();
        let mut order = 0;
        let walked = walk(request, tops, query, until, |entry| {
            // One more than is wanted tells that there are more.
            if team.found.load(Ordering::Relaxed) > query.limit {
                return Ok(Some(Stopped::Limit));
            }
            order += 1;
            let is_taken = Candidate::of(entry, order).is_none_or(|file| give.send(file).is_ok());
            Ok((!is_taken).then_some(Stopped::Limit))
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

/// What the threads of one search share.
struct Team {
    /// How many matches there are so far.
    found: AtomicUsize,
    /// The size of the largest file that is searched, in bytes.
    largest: u64,
}

/// What one thread came to.
#[derive(Default)]
struct Share {
    hits: Vec<(usize, Hit)>,
    searched: usize,
    left_out: LeftOut,
    is_late: bool,
}

impl Team {
    /// Searches files until there are no more.
    fn work(&self, waiting: &Mutex<Receiver<Candidate>>, mut lines: Lines<'_>) -> Share {
        let next = || {
            let waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
            waiting.recv().ok()
        };
        let mut share = Share::default();
        while let Some(candidate) = next() {
            self.search(candidate, &mut lines, &mut share);
        }
        share
    }

    fn search(&self, candidate: Candidate, lines: &mut Lines<'_>, share: &mut Share) {
        let file = &candidate.file;
        if file.metadata.len() > self.largest {
            share.left_out.too_large += 1;
            return;
        }
        match lines.search(&file.file, self.largest, &file.waiter) {
            Searched::Lines(lines) => {
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
            Searched::Binary => share.left_out.binary += 1,
            Searched::Unreadable => share.left_out.unreadable += 1,
            Searched::Late => share.is_late = true,
        }
    }
}

impl Candidate {
    /// `None` for a directory.
    fn of(entry: Entry, order: usize) -> Option<Self> {
        match entry.opened {
            Opened::Directory(_) => None,
            Opened::File(file) => Some(Self {
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
        describe::opened(&self.uri, &self.name, &Opened::File(self.file))
    }
}

/// What all threads found, in the order of the walk.
fn together(shares: Vec<Share>, stopped: Option<Stopped>) -> Hits {
    let mut hits = Hits {
        stopped,
        ..Hits::default()
    };
    let mut found = Vec::new();
    for share in shares {
        found.extend(share.hits);
        hits.searched += share.searched;
        hits.left_out.binary += share.left_out.binary;
        hits.left_out.too_large += share.left_out.too_large;
        hits.left_out.unreadable += share.left_out.unreadable;
        if share.is_late {
            hits.stopped = Some(Stopped::Time);
        }
    }
    found.sort_by_key(|(order, _)| *order);
    hits.found = found.into_iter().map(|(_, hit)| hit).collect();
    hits
}
