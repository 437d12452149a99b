//! Records are the messages of a stream with one message for each subject. Each has its own time to
//! live.

use std::time::Duration;

use async_nats::HeaderMap;
use bytes::Bytes;
use plainly_cluster::{EngineError, Records, StoredRecord};

use crate::Nats;
use crate::streams::{Kind, Wanted};

impl Records for Nats {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        // Reads from the leader, because copies on other servers may be older.
        let stream = self.streams.name(Kind::Records);
        let request = serde_json::json!({ "last_by_subj": self.record(key) });
        let found = self.obtain(Wanted {
            kind: Kind::Records,
            subject: format!("$JS.API.STREAM.MSG.GET.{stream}"),
            headers: HeaderMap::new(),
            payload: request.to_string().into(),
            is_repeatable: true,
        });
        let Some(message) = found.await?.and_then(|reply| reply.message) else {
            return Ok(None);
        };
        let value = message
            .value()
            .map_err(|error| EngineError::Refused(error.into()))?;
        Ok(Some(StoredRecord::new(value, message.seq)))
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        if over.is_none() && !self.streams.has_room(&self.connection).await {
            return Err(EngineError::Full);
        }
        let mut headers = HeaderMap::new();
        let over = over.unwrap_or(0).to_string();
        headers.insert("Nats-Expected-Last-Subject-Sequence", over);
        // The time to live is in whole seconds, at least one.
        let seconds = ttl.as_secs() + u64::from(ttl.subsec_nanos() > 0);
        headers.insert("Nats-TTL", format!("{}s", seconds.max(1)));
        let stored = self.obtain(Wanted {
            kind: Kind::Records,
            subject: self.record(key),
            headers,
            payload: value,
            is_repeatable: false,
        });
        Ok(stored.await?.map(|reply| reply.seq))
    }
}

impl Nats {
    fn record(&self, key: &str) -> String {
        format!("{}.record.{key}", self.root)
    }
}
