//! Finds names during the walk, and lines on a few threads that receive open files from the walk.
//! The hits are sorted in the order of the walk, so the same search has the same result.

use std::io::Seek;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use grep_regex::RegexMatcher;
use plainly::protocol::types::Resource;
use plainly::store::StoreError;

use super::documents::{DocumentOutcome, DocumentReader, DocumentText};
use super::lines::{FileOutcome, Line, Lines};
use super::query::{COMPILED_BYTES, Query, REMEMBERED_BYTES};
use super::team::{Candidate, Queue, THREADS, TIME, team};
use super::walk::{Cutoff, walk};
use crate::describe;
use crate::handle::refuse;
use crate::job::Waiter;
use crate::place::OpenEntry;
use crate::request::Request;
use crate::walk::usable;

/// The maximum memory that a search for a pattern uses.
const PATTERN_BYTES: usize = COMPILED_BYTES + THREADS * 2 * REMEMBERED_BYTES;

/// The maximum length of a line that is searched, in bytes. A thread holds one line in memory.
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

/// The numbers of files that could not be searched fully, by reason.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    pub(super) binary: usize,
    pub(super) long_lines: usize,
    pub(super) unreadable: usize,
    /// The number of files that were searched by name only.
    pub(super) named: usize,
    /// The number of documents for which there was no time.
    pub(super) late: usize,
}

/// A file or directory that was found, and its lines.
#[derive(Debug)]
pub(super) struct Hit {
    pub(super) resource: Resource,
    /// The lines found; empty if the search is for names.
    pub(super) lines: Vec<Line>,
}

/// Searches the entries at the query's URIs and below.
pub(super) fn find(
    request: &Request<'_>,
    query: &Query,
    documents: &DocumentReader,
) -> Result<Hits, StoreError> {
    let until = Instant::now() + TIME;
    match &query.pattern {
        None => names(request, query, until),
        Some(pattern) => {
            request.waiter.hold(PATTERN_BYTES as u64)?;
            lines(request, query, pattern, documents, until)
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
    documents: &DocumentReader,
    until: Instant,
) -> Result<Hits, StoreError> {
    // The number of matches so far.
    let found = AtomicUsize::new(0);
    let work = |queue: Queue<Candidate>| {
        let mut lines = Lines::new(pattern, query, LONGEST_LINE, until);
        let mut share = Share::default();
        for candidate in queue {
            let matches = share.search(candidate, &mut lines, documents);
            found.fetch_add(matches, Ordering::Relaxed);
        }
        share
    };
    let (walked, mut shares) = team(work, |give| {
        let mut order = 0;
        walk(request, query, until, |entry| {
            // One match more than the limit shows that there are more.
            if found.load(Ordering::Relaxed) > query.limit {
                return Ok(Some(Cutoff::Limit));
            }
            order += 1;
            let is_taken = Candidate::of(entry, order).is_none_or(|file| give.send(file).is_ok());
            Ok((!is_taken).then_some(Cutoff::Limit))
        })
    });
    let stopped = walked?;
    let waiting = waiting(&mut shares, query.limit);
    shares.extend(in_documents(
        request, query, pattern, documents, waiting, until,
    ));
    let hits = together(shares, stopped);
    request.waiter.check()?;
    Ok(hits)
}

/// Searches the texts of documents on a few threads.
fn in_documents(
    request: &Request<'_>,
    query: &Query,
    pattern: &RegexMatcher,
    documents: &DocumentReader,
    waiting: Vec<Document>,
    until: Instant,
) -> Vec<Share> {
    let found = AtomicUsize::new(0);
    let waiter = request.waiter;
    let work = |queue: Queue<Document>| {
        let mut lines = Lines::new(pattern, query, LONGEST_LINE, until);
        let mut share = Share::default();
        for document in queue {
            // Earlier documents already contain enough matches.
            if found.load(Ordering::Relaxed) > query.limit {
                continue;
            }
            let text = documents.text(&document.uri, &document.format, waiter, until);
            let matches = share.search_document(document, text, &mut lines, waiter);
            found.fetch_add(matches, Ordering::Relaxed);
        }
        share
    };
    // Sending fails only if all threads have panicked.
    let (_, shares) = team(work, |give| {
        let mut waiting = waiting.into_iter();
        waiting.all(|document| give.send(document).is_ok())
    });
    shares
}

/// The documents to search, in the order of the walk, up to where earlier files already contain
/// enough matches.
fn waiting(shares: &mut [Share], limit: usize) -> Vec<Document> {
    let mut matches_by_order = Vec::new();
    for (order, hit) in shares.iter().flat_map(|share| &share.hits) {
        matches_by_order.push((*order, matches(&hit.lines)));
    }
    matches_by_order.sort_unstable();
    let mut sum = 0;
    let end = matches_by_order.into_iter().find(|(_, lines)| {
        sum += lines;
        sum > limit
    });
    let mut documents: Vec<Document> = Vec::new();
    for share in shares {
        documents.append(&mut share.documents);
    }
    documents.retain(|one| end.is_none_or(|(order, _)| one.order < order));
    documents.sort_unstable_by_key(|one| one.order);
    documents
}

/// A document, which is searched after all other files because converting it to text takes time.
struct Document {
    order: usize,
    uri: String,
    format: Arc<str>,
    resource: Resource,
}

impl Document {
    /// The hits of the lines, one for each page.
    fn hits(self, text: &DocumentText, lines: Vec<Line>) -> Vec<(usize, Hit)> {
        let mut hits: Vec<(usize, Hit)> = Vec::new();
        for mut line in lines {
            let at = line.number.saturating_sub(1);
            let (uri, before) = text.pages_of(&self.uri, at, at);
            line.number = line.number.saturating_sub(before);
            match hits.last_mut().filter(|(_, hit)| hit.resource.uri == uri) {
                Some((_, hit)) => hit.lines.push(line),
                None => {
                    let mut resource = self.resource.clone();
                    resource.uri = uri;
                    let lines = vec![line];
                    hits.push((self.order, Hit { resource, lines }));
                }
            }
        }
        hits
    }
}

/// The hits of one thread.
#[derive(Default)]
struct Share {
    hits: Vec<(usize, Hit)>,
    documents: Vec<Document>,
    searched: usize,
    left_out: LeftOut,
    is_late: bool,
}

impl Share {
    /// Searches one file, or queues it if it is a document. Returns the number of matches.
    fn search(
        &mut self,
        candidate: Candidate,
        lines: &mut Lines<'_>,
        documents: &DocumentReader,
    ) -> usize {
        let file = &candidate.file;
        let size = file.metadata.len();
        if let Some(format) = documents.format(&candidate.name, &candidate.uri, size) {
            let (order, uri) = (candidate.order, candidate.uri.clone());
            match describe(candidate) {
                Ok(resource) => self.documents.push(Document {
                    order,
                    uri,
                    format,
                    resource,
                }),
                Err(_) => self.left_out.unreadable += 1,
            }
            return 0;
        }
        let mut outcome = lines.search(&file.file, &file.waiter);
        if lines.has_other_encoding
            && let FileOutcome::Lines(_) = outcome
        {
            let again = lines.search_decoded(&file.file, size, &candidate.name, &file.waiter);
            outcome = again.unwrap_or(outcome);
        }
        let Some(lines) = self.count(outcome) else {
            return 0;
        };
        let matches = matches(&lines);
        if matches > 0 {
            let order = candidate.order;
            match describe(candidate) {
                Ok(resource) => self.hits.push((order, Hit { resource, lines })),
                Err(_) => self.left_out.unreadable += 1,
            }
        }
        matches
    }

    /// Searches the text of a document. Returns the number of matches.
    fn search_document(
        &mut self,
        document: Document,
        text: DocumentOutcome,
        lines: &mut Lines<'_>,
        waiter: &Waiter,
    ) -> usize {
        let text = match text {
            DocumentOutcome::Text(text) => text,
            DocumentOutcome::Unreadable => {
                self.left_out.unreadable += 1;
                return 0;
            }
            DocumentOutcome::Late => {
                self.left_out.late += 1;
                self.is_late = true;
                return 0;
            }
        };
        let outcome = lines.search(text.text.as_bytes(), waiter);
        let Some(lines) = self.count(outcome) else {
            return 0;
        };
        let matches = matches(&lines);
        if matches > 0 {
            self.hits.extend(document.hits(&text, lines));
        }
        matches
    }

    /// Counts a file by its outcome. Returns its lines if it was searched.
    fn count(&mut self, outcome: FileOutcome) -> Option<Vec<Line>> {
        match outcome {
            FileOutcome::Lines(lines) => {
                self.searched += 1;
                return Some(lines);
            }
            FileOutcome::Binary => self.left_out.binary += 1,
            FileOutcome::LongLine => self.left_out.long_lines += 1,
            FileOutcome::Unreadable => self.left_out.unreadable += 1,
            FileOutcome::Late => self.is_late = true,
        }
        None
    }
}

fn matches(lines: &[Line]) -> usize {
    lines.iter().filter(|line| line.is_match).count()
}

fn describe(candidate: Candidate) -> Result<Resource, StoreError> {
    let Candidate {
        uri, name, file, ..
    } = candidate;
    // The kind of the file is determined from its beginning.
    (&file.file).rewind().map_err(refuse)?;
    describe::opened(&uri, &name, &OpenEntry::File(file))
}

/// Merges the hits of all threads, in the order of the walk.
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
        hits.left_out.late += share.left_out.late;
        if share.is_late {
            hits.stopped = Some(Cutoff::Time);
        }
    }
    found.sort_by_key(|(order, _)| *order);
    hits.found = found.into_iter().map(|(_, hit)| hit).collect();
    hits
}
