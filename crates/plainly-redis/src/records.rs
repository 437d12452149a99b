//! Records are strings that expire, and start with their version.

use std::sync::atomic::Ordering;
use std::time::Duration;

use bytes::Bytes;
use plainly_cluster::{EngineError, Records, StoredRecord};
use redis::cmd;
use tokio::sync::oneshot;
use tokio::time::timeout_at;

use crate::failure::Failure;
use crate::writer::{VERSIONS, Write, written};
use crate::{MOST, Redis};

/// The number of digits in a version.
const DIGITS: usize = 16;

impl Records for Redis {
    async fn get(&self, key: &str) -> Result<Option<StoredRecord>, EngineError> {
        let mut command = cmd("GET");
        let key = self.record(key);
        command.arg(&key);
        let stored = self.connection.call(true, |link, until| {
            let (command, is_in_doubt) = (&command, self.connection.doubts.contain(&key));
            async move {
                if is_in_doubt {
                    let why = "no copy of Redis has confirmed the last write of the record";
                    return Err(Failure::Later(why.into()));
                }
                link.ask::<Option<Vec<u8>>>(command, until).await
            }
        });
        let stored = stored.await?;
        let Some(stored) = stored else {
            return Ok(None);
        };
        let mut value = Bytes::from(stored);
        let digits = value
            .get(..DIGITS)
            .and_then(|digits| str::from_utf8(digits).ok());
        let version = digits.and_then(|digits| digits.parse().ok());
        let version = version.filter(|version| *version < VERSIONS);
        let version = version.ok_or_else(|| {
            EngineError::Refused("there is something else in place of the record".into())
        })?;
        let _digits = value.split_to(DIGITS);
        self.known.fetch_max(version, Ordering::Relaxed);
        Ok(Some(StoredRecord::new(value, version)))
    }

    async fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        if value.len() > MOST {
            return Err(EngineError::TooLarge);
        }
        if over.is_none() && !self.has_room().await {
            return Err(EngineError::Full);
        }
        let ttl = u64::try_from(ttl.as_millis()).unwrap_or(u64::MAX).max(1);
        let stored = self.connection.call(false, |link, until| {
            let (settled, reply) = oneshot::channel();
            let write = Write {
                key: self.record(key),
                over: over.map(written).unwrap_or_default(),
                known: self.known.load(Ordering::Relaxed),
                value: value.clone(),
                ttl,
                settled,
            };
            async move {
                let lost = || Failure::Later("the connection to Redis was lost".into());
                let full = || Failure::Later("too many writes wait for Redis".into());
                let sent = timeout_at(until, link.writes.send(write));
                sent.await.map_err(|_| full())?.map_err(|_| lost())?;
                match timeout_at(until, reply).await {
                    Ok(Ok(settled)) => settled,
                    // The writer ended before it sent the write.
                    Ok(Err(_)) => Err(lost()),
                    Err(_) => Err(Failure::Unknown("Redis did not confirm in time".into())),
                }
            }
        });
        let version = stored.await?;
        self.known
            .fetch_max(version.unwrap_or(0), Ordering::Relaxed);
        Ok(version)
    }
}

impl Redis {
    fn record(&self, key: &str) -> String {
        format!("{}:record:{key}", self.root)
    }
}
