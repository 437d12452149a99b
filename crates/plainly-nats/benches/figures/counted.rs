//! An engine whose calls are counted.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use plainly_cluster::{
    Bus, Engine, EngineError, Heard, Journals, Records, ReplicaId, StoredRecord, Unanswered,
};
use plainly_nats::Nats;

#[derive(Debug)]
pub(crate) struct Counted {
    nats: Nats,
    calls: Arc<AtomicU64>,
}

impl Counted {
    pub(crate) fn new(nats: Nats, calls: &Arc<AtomicU64>) -> Self {
        let calls = Arc::clone(calls);
        Self { nats, calls }
    }

    fn count(&self) {
        self.calls.fetch_add(1, Ordering::Relaxed);
    }
}

impl Bus for Counted {
    fn id(&self) -> ReplicaId {
        self.nats.id()
    }

    fn tell(&self, event: Bytes) {
        self.count();
        self.nats.tell(event);
    }

    async fn ask(
        &self,
        whom: ReplicaId,
        question: Bytes,
        within: Duration,
    ) -> Result<Bytes, Unanswered> {
        self.count();
        self.nats.ask(whom, question, within).await
    }

    fn hear(&self) -> impl Stream<Item = Heard> + Send + 'static {
        self.nats.hear()
    }
}

impl Records for Counted {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        self.count();
        self.nats.get(key).await
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        self.count();
        self.nats.put(key, value, over, ttl).await
    }
}

impl Journals for Counted {
    async fn append(&self, journal: &str, event: Bytes) -> Result<(), EngineError> {
        self.count();
        self.nats.append(journal, event).await
    }

    fn follow(
        &self,
        journal: &str,
    ) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static {
        self.count();
        self.nats.follow(journal)
    }
}

impl Engine for Counted {
    fn is_connected(&self) -> bool {
        self.nats.is_connected()
    }

    fn max_value(&self) -> usize {
        self.nats.max_value()
    }
}
