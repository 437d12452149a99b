//! Records in memory that fail by a list of numbers.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use plainly_cluster::{EngineError, Records, StoredRecord};
use plainly_transport::lock::Lock;
use tokio::task::yield_now;

/// Records in memory that fail by a list of numbers. All clones share them.
#[derive(Clone, Debug, Default)]
pub(crate) struct FaultyRecords {
    pub(crate) stored: Arc<Lock<HashMap<String, StoredRecord>>>,
    faults: Arc<Lock<Vec<u8>>>,
    /// The number of delayed writes that are still pending.
    late: Arc<AtomicUsize>,
}

impl FaultyRecords {
    /// Makes the next calls fail in this way, the last number first.
    pub(crate) fn fail(&self, faults: Vec<u8>) {
        *self.faults.lock() = faults;
    }

    /// Ends the failures, and waits for pending writes.
    pub(crate) async fn mend(&self) {
        self.fail(Vec::new());
        while self.late.load(Ordering::SeqCst) > 0 {
            yield_now().await;
        }
    }

    /// The only record of a shelf, and its key.
    pub(crate) fn only(&self, shelf: &str) -> (String, StoredRecord) {
        let stored = self.stored.lock();
        let mut found = stored.iter().filter(|(key, _)| key.starts_with(shelf));
        let (key, record) = found.next().unwrap();
        assert!(found.next().is_none());
        (key.clone(), record.clone())
    }

    /// The next fault, after other tasks have had some time.
    async fn fault(&self) -> Option<u8> {
        let fault = self.faults.lock().pop()?;
        for _ in 0..fault % 3 {
            yield_now().await;
        }
        Some(fault / 3)
    }

    fn put_now(&self, key: &str, value: Bytes, over: Option<u64>) -> Option<u64> {
        let mut stored = self.stored.lock();
        if stored.get(key).map(|record| record.version) != over {
            return None;
        }
        let version = over.unwrap_or_default() + 7;
        stored.insert(key.to_owned(), StoredRecord::new(value, version));
        Some(version)
    }

    fn put_later(&self, key: &str, value: Bytes, over: Option<u64>) {
        let (records, key) = (self.clone(), key.to_owned());
        self.late.fetch_add(1, Ordering::SeqCst);
        tokio::spawn(async move {
            for _ in 0..5 {
                yield_now().await;
            }
            records.put_now(&key, value, over);
            records.late.fetch_sub(1, Ordering::SeqCst);
        });
    }
}

impl Records for FaultyRecords {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        match self.fault().await {
            Some(0) => Err(EngineError::Refused("away".into())),
            Some(_) | None => Ok(self.stored.lock().get(key).cloned()),
        }
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        _ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        assert!(key.len() <= 80, "{key}");
        match self.fault().await {
            Some(0) => return Err(EngineError::Refused("away".into())),
            Some(1) => {}
            Some(2) => drop(self.put_now(key, value, over)),
            Some(3) => self.put_later(key, value, over),
            Some(_) | None => return Ok(self.put_now(key, value, over)),
        }
        Err(EngineError::Unknown("no answer".into()))
    }
}
