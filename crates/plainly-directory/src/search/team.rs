//! The threads of one search, and the queue of files from the walk to them.

use std::ffi::OsString;
use std::iter;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use crate::lock::Lock;
use crate::place::{OpenEntry, OpenFile};
use crate::walk::Entry;

/// The maximum duration of a search. Shorter than the timeouts of clients, so that they receive the
/// hits so far.
pub(super) const TIME: Duration = Duration::from_secs(20);

/// The maximum number of threads of one search.
pub(super) const THREADS: usize = 4;

/// The maximum number of open files in the queue.
const WAITING: usize = 32;

/// An open file in the queue to the threads.
pub(super) struct Candidate {
    /// The position in the walk.
    pub(super) order: usize,
    pub(super) uri: String,
    pub(super) name: OsString,
    pub(super) file: OpenFile,
}

impl Candidate {
    /// Creates a candidate; `None` for a directory.
    pub(super) fn of(entry: Entry, order: usize) -> Option<Self> {
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
}

/// A queue of items for the threads. Ends with the walk.
pub(super) struct Queue<T>(Arc<Lock<Receiver<T>>>);

impl<T> Iterator for Queue<T> {
    type Item = T;

    /// Holds the lock while it waits for an item, so other threads wait for the lock.
    fn next(&mut self) -> Option<T> {
        self.0.lock().recv().ok()
    }
}

/// Runs `work` on a few threads, with the items that `walk` sends from this one. Returns the
/// results of both.
pub(super) fn team<T: Send, R: Send, W>(
    work: impl Fn(Queue<T>) -> R + Sync,
    walk: impl FnOnce(SyncSender<T>) -> W,
) -> (W, Vec<R>) {
    let threads = thread::available_parallelism()
        .map_or(1, NonZero::get)
        .min(THREADS);
    let work = &work;
    thread::scope(|scope| {
        let (give, waiting) = sync_channel(WAITING);
        // Only the threads own the receiver, so sending fails instead of blocking once all of them
        // have panicked.
        let waiting = Arc::new(Lock::from(waiting));
        let members: Vec<_> = iter::repeat_n(waiting, threads)
            .map(|waiting| scope.spawn(move || work(Queue(waiting))))
            .collect();
        let walked = walk(give);
        let results = members
            .into_iter()
            .map(|member| member.join().unwrap_or_else(|panic| resume_unwind(panic)));
        (walked, results.collect())
    })
}
