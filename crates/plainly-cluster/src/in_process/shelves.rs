//! Records and journals in memory, until they expire.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use bytes::Bytes;
use plainly_transport::lock::Lock;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::records::StoredRecord;

/// The maximum number of events in a journal.
const EVENTS: usize = 1_024;
/// The time that a journal is stored after its last event.
const JOURNAL: Duration = Duration::from_secs(600);
/// The interval between two removals of expired entries.
const SWEEP: Duration = Duration::from_secs(60);

#[derive(Debug)]
pub(super) struct Shelves {
    records: HashMap<Box<str>, Record>,
    journals: HashMap<Box<str>, Journal>,
    /// The number of record writes so far.
    writes: u64,
    swept: Instant,
}

#[derive(Clone, Debug)]
struct Record {
    stored: StoredRecord,
    /// `None` if the record never expires.
    expires: Option<Instant>,
}

#[derive(Debug)]
struct Journal {
    events: VecDeque<Bytes>,
    /// The number of events that were removed for later ones.
    removed: usize,
    expires: Instant,
    /// Wakes the followers. Dropped with the journal.
    changed: watch::Sender<()>,
}

impl Default for Shelves {
    fn default() -> Self {
        Self {
            records: HashMap::new(),
            journals: HashMap::new(),
            writes: 0,
            swept: Instant::now(),
        }
    }
}

impl Shelves {
    pub(super) fn get(&self, key: &str) -> Option<StoredRecord> {
        let now = Instant::now();
        let record = self.records.get(key).filter(|it| it.is_good_at(now));
        record.map(|record| record.stored.clone())
    }

    pub(super) fn put(
        &mut self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Option<u64> {
        self.sweep();
        if self.get(key).map(|record| record.version) != over {
            return None;
        }
        self.writes += 1;
        let record = Record {
            stored: StoredRecord::new(value, self.writes),
            expires: Instant::now().checked_add(ttl),
        };
        self.records.insert(key.into(), record);
        Some(self.writes)
    }

    pub(super) fn append(&mut self, name: &str, event: Bytes) {
        self.sweep();
        let journal = self.journal(name);
        journal.events.push_back(event);
        if journal.events.len() > EVENTS {
            journal.events.pop_front();
            journal.removed += 1;
        }
        journal.expires = Instant::now() + JOURNAL;
        journal.changed.send_replace(());
    }

    /// A copy of the current records, without journals.
    pub(super) fn copy(&self) -> Self {
        Self {
            records: self.records.clone(),
            writes: self.writes,
            ..Self::default()
        }
    }

    /// Removes everything.
    pub(super) fn forget(&mut self) {
        self.records.clear();
        self.journals.clear();
    }

    fn journal(&mut self, name: &str) -> &mut Journal {
        self.journals.entry(name.into()).or_insert_with(|| Journal {
            events: VecDeque::new(),
            removed: 0,
            expires: Instant::now() + JOURNAL,
            changed: watch::Sender::new(()),
        })
    }

    fn sweep(&mut self) {
        let now = Instant::now();
        if now.duration_since(self.swept) < SWEEP {
            return;
        }
        self.swept = now;
        self.records.retain(|_, record| record.is_good_at(now));
        self.journals.retain(|_, journal| now < journal.expires);
    }
}

impl Record {
    fn is_good_at(&self, now: Instant) -> bool {
        self.expires.is_none_or(|expires| now < expires)
    }
}

/// A reader of one journal.
#[derive(Debug)]
pub(super) struct Follower {
    journal: Box<str>,
    /// The number of events that were read or skipped.
    before: usize,
}

impl Follower {
    pub(super) fn new(journal: &str) -> Self {
        Self {
            journal: journal.into(),
            before: 0,
        }
    }

    /// Waits for the next event.
    pub(super) async fn next(&mut self, shelves: &Lock<Shelves>) -> Bytes {
        loop {
            let mut changed = {
                let mut shelves = shelves.lock();
                let journal = shelves.journal(&self.journal);
                let place = self.before.saturating_sub(journal.removed);
                if let Some(event) = journal.events.get(place) {
                    self.before = journal.removed + place + 1;
                    return event.clone();
                }
                journal.changed.subscribe()
            };
            if changed.changed().await.is_err() {
                // The journal has expired. The next event starts a new one.
                self.before = 0;
            }
        }
    }
}
