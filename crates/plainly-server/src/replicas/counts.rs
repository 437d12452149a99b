//! Counts of the messages, questions, records and journals of a replica.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::BoxStream;
use plainly_cluster::erased::{ErasedBus, ErasedEngine, ErasedJournals, ErasedRecords};
use plainly_cluster::{EngineError, EngineReport, Heard, ReplicaId, StoredRecord, Unanswered};

/// A count of a [replica](crate::ServerBuilder::cluster), as reported by
/// [`Server::replica_counts`](crate::Server::replica_counts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReplicaCount {
    /// The kind: `messages`, `asks`, `records` or `journals`.
    pub kind: &'static str,
    /// The outcome, in lower case with underscores.
    pub outcome: &'static str,
    /// The number of times that it happened.
    pub count: u64,
}

/// An event that is counted.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Counted {
    Told,
    Heard,
    Hole,
    Gap,
    Unreadable,
    Stale,
    Answered,
    Gone,
    Unsent,
    Silent,
    Read,
    Stored,
    Outdated,
    Refused,
    Unknown,
    TooLarge,
    Full,
    Appended,
    NotAppended,
}

/// All counted events in order, each with its kind and outcome.
const ALL: [(Counted, &str, &str); 19] = [
    (Counted::Told, "messages", "told"),
    (Counted::Heard, "messages", "heard"),
    (Counted::Hole, "messages", "hole"),
    (Counted::Gap, "messages", "gap"),
    (Counted::Unreadable, "messages", "unreadable"),
    (Counted::Stale, "messages", "stale"),
    (Counted::Answered, "asks", "answered"),
    (Counted::Gone, "asks", "gone"),
    (Counted::Unsent, "asks", "unsent"),
    (Counted::Silent, "asks", "silent"),
    (Counted::Read, "records", "read"),
    (Counted::Stored, "records", "stored"),
    (Counted::Outdated, "records", "outdated"),
    (Counted::Refused, "records", "refused"),
    (Counted::Unknown, "records", "unknown"),
    (Counted::TooLarge, "records", "too_large"),
    (Counted::Full, "records", "full"),
    (Counted::Appended, "journals", "appended"),
    (Counted::NotAppended, "journals", "failed"),
];

/// The counts of one replica.
#[derive(Debug, Default)]
pub(crate) struct Counts([AtomicU64; ALL.len()]);

impl Counts {
    pub(crate) fn add(&self, counted: Counted) {
        if let Some(count) = self.0.get(counted as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub(crate) fn get(&self, counted: Counted) -> u64 {
        let count = self.0.get(counted as usize);
        count.map_or(0, |count| count.load(Ordering::Relaxed))
    }

    /// All counts.
    pub(crate) fn all(&self) -> Vec<ReplicaCount> {
        let all = ALL.into_iter();
        all.map(|(counted, kind, outcome)| ReplicaCount {
            kind,
            outcome,
            count: self.get(counted),
        })
        .collect()
    }
}

impl From<&EngineError> for Counted {
    fn from(error: &EngineError) -> Self {
        match error {
            EngineError::Unknown(_) => Self::Unknown,
            EngineError::TooLarge => Self::TooLarge,
            EngineError::Full => Self::Full,
            EngineError::Refused(_) | _ => Self::Refused,
        }
    }
}

impl From<Unanswered> for Counted {
    fn from(unanswered: Unanswered) -> Self {
        match unanswered {
            Unanswered::Gone => Self::Gone,
            Unanswered::Unsent => Self::Unsent,
            Unanswered::Silent => Self::Silent,
        }
    }
}

/// An engine whose calls are counted.
#[derive(Debug)]
pub(crate) struct CountedEngine {
    engine: Arc<dyn ErasedEngine>,
    pub(crate) counts: Arc<Counts>,
}

impl CountedEngine {
    pub(crate) fn new(engine: Arc<dyn ErasedEngine>) -> Self {
        let counts = Arc::default();
        Self { engine, counts }
    }

    fn note<T>(&self, result: &Result<T, EngineError>, done: impl FnOnce(&T) -> Counted) {
        self.counts.add(match result {
            Ok(value) => done(value),
            Err(error) => error.into(),
        });
    }
}

impl ErasedBus for CountedEngine {
    fn id(&self) -> ReplicaId {
        self.engine.id()
    }

    fn tell(&self, event: Bytes) {
        self.counts.add(Counted::Told);
        self.engine.tell(event);
    }

    fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> BoxFuture<'_, Result<Bytes, Unanswered>> {
        let asked = self.engine.ask(whom, question, within);
        let count = |answer: &Result<Bytes, Unanswered>| {
            self.counts.add(match answer {
                Ok(_) => Counted::Answered,
                Err(unanswered) => (*unanswered).into(),
            });
        };
        asked.inspect(count).boxed()
    }

    fn hear(&self) -> BoxStream<'static, Heard> {
        self.engine.hear()
    }
}

impl ErasedRecords for CountedEngine {
    fn get<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Option<StoredRecord>, EngineError>> {
        let got = self.engine.get(key);
        got.inspect(|record| self.note(record, |_| Counted::Read))
            .boxed()
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, EngineError>> {
        let put = self.engine.put(key, value, over, ttl);
        put.inspect(|version| {
            self.note(version, |version| match version {
                Some(_) => Counted::Stored,
                None => Counted::Outdated,
            });
        })
        .boxed()
    }
}

impl ErasedJournals for CountedEngine {
    fn append<'a>(
        &'a self,
        journal: &'a str,
        event: Bytes,
    ) -> BoxFuture<'a, Result<(), EngineError>> {
        let appended = self.engine.append(journal, event);
        appended
            .inspect(|result| {
                self.counts.add(match result {
                    Ok(()) => Counted::Appended,
                    Err(_) => Counted::NotAppended,
                });
            })
            .boxed()
    }

    fn follow(&self, journal: &str) -> BoxStream<'static, Result<Bytes, EngineError>> {
        self.engine.follow(journal)
    }
}

impl ErasedEngine for CountedEngine {
    fn is_connected(&self) -> bool {
        self.engine.is_connected()
    }

    fn max_value(&self) -> usize {
        self.engine.max_value()
    }

    fn report(&self) -> BoxFuture<'_, Result<EngineReport, EngineError>> {
        self.engine.report()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_counted_in_its_place() {
        for (place, (counted, ..)) in ALL.into_iter().enumerate() {
            assert_eq!(counted as usize, place);
        }
    }
}
