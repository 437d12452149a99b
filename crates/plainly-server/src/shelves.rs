//! Shared records for the parts of a server: values of any size, under names that the store of the
//! records never sees, and sealed if the server has keys.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use plainly_cluster::erased::{ErasedEngine, ErasedRecords};
use plainly_cluster::{EngineError, StoredRecord};
use plainly_transport::seal::{Keys, Sealer};
use sha2::{Digest, Sha256};

use crate::random::random_name;

/// The number of bytes that a seal adds to a value, with a margin.
const SEAL: usize = 64;

/// The maximum length of a record in bytes.
const MOST: usize = 512 << 10;

/// The first byte of a record that refers to a value stored in parts. No value begins with it,
/// because all values are JSON.
const IN_PARTS: u8 = 0xff;

/// The time for which a value can be read after its storage time, because clocks are not exact.
const SLACK: Duration = Duration::from_mins(1);

/// The maximum number of attempts to write a value if the store does not confirm it.
const ATTEMPTS: usize = 3;

/// All shelves, each with records of one kind.
#[derive(Debug)]
pub(crate) struct Shelves {
    records: Arc<dyn ErasedRecords>,
    /// The name of the servers that share the records.
    cluster: String,
    sealer: Option<Sealer>,
    /// The maximum length of a record in bytes.
    most: usize,
    /// The engine, which may have a lower limit.
    engine: Option<Arc<dyn ErasedEngine>>,
}

/// The key of a record: its shelf and the digest of its name, because the name gives access to its
/// subject.
#[derive(Clone)]
pub(crate) struct ShelfKey(String);

impl ShelfKey {
    pub(crate) fn new(shelf: &str, name: &str) -> Self {
        let digest = Sha256::digest(name);
        let digits = digest.iter().map(|byte| format!("{byte:02x}"));
        Self(format!("{shelf}.{}", digits.collect::<String>()))
    }

    /// A part of this time that differs for each key.
    pub(crate) fn share_of(&self, time: Duration) -> Duration {
        let (_shelf, digits) = self.0.split_once('.').unwrap_or_default();
        let share = digits
            .get(..2)
            .and_then(|it| u8::from_str_radix(it, 16).ok());
        time * u32::from(share.unwrap_or_default()) / 256
    }
}

impl fmt::Debug for ShelfKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Shelves {
    /// The shelves for the records of servers with this name.
    pub(crate) fn new(records: Arc<dyn ErasedRecords>, cluster: &str) -> Self {
        Self {
            records,
            cluster: cluster.to_owned(),
            sealer: None,
            most: MOST,
            engine: None,
        }
    }

    /// Seals records with these keys, if there are any.
    pub(crate) fn sealed(self, keys: Option<&Keys>) -> Self {
        let sealer = keys.map(|keys| Sealer::new(Some(keys.clone())));
        Self { sealer, ..self }
    }

    /// Limits records to the maximum length of this engine.
    pub(crate) fn within(self, engine: Option<Arc<dyn ErasedEngine>>) -> Self {
        Self { engine, ..self }
    }

    /// Limits records to `most` bytes, and stores larger values in parts.
    #[cfg(test)]
    pub(crate) fn limited(self, most: usize) -> Self {
        Self { most, ..self }
    }

    /// The record with this key.
    pub(crate) async fn get(&self, key: &ShelfKey) -> Result<Option<StoredRecord>, EngineError> {
        let Some(mut stored) = self.records.get(&key.0).await? else {
            return Ok(None);
        };
        let value = self.open("record", &key.0, stored.value)?;
        stored.value = match value.split_first() {
            Some((&IN_PARTS, parts)) => self.join(parts).await?,
            _ => value,
        };
        Ok(Some(stored))
    }

    /// Stores a value for `ttl`. It replaces the record with the version `over`, or none. Returns
    /// the new version, or `None` without storing anything if there is a different record.
    pub(crate) async fn put(
        &self,
        key: &ShelfKey,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        let value = match value.len() <= self.room() {
            true => value,
            false => self.divide(&value, ttl.saturating_add(SLACK)).await?,
        };
        self.put_whole(&key.0, &value, over, ttl).await
    }

    /// The maximum length in bytes of a value in a single record.
    pub(crate) fn room(&self) -> usize {
        let engine = self.engine.as_ref();
        // The engine's limit may become known only now, because an engine connects in the
        // background.
        let most = engine.map_or(self.most, |engine| self.most.min(engine.max_value()));
        most.saturating_sub(SEAL).max(1)
    }

    /// Stores the parts of a value, and returns the record that refers to them.
    async fn divide(&self, value: &Bytes, ttl: Duration) -> Result<Bytes, EngineError> {
        let name = random_name().map_err(|error| EngineError::Refused(error.into()))?;
        // Read once for all parts, because it may differ after a reconnect.
        let room = self.room();
        let count = value.len().div_ceil(room);
        for index in 0..count {
            let end = value.len().min((index + 1) * room);
            let part = value.slice(index * room..end);
            let key = part_key(&name, index);
            let put = self.put_whole(&key.0, &part, None, ttl).await?;
            put.ok_or_else(|| EngineError::Refused("a part is there already".into()))?;
        }
        let mut list = vec![IN_PARTS];
        list.extend(format!("{name}.{count}").into_bytes());
        Ok(list.into())
    }

    /// The value that is stored in these parts.
    async fn join(&self, parts: &[u8]) -> Result<Bytes, EngineError> {
        let parts = str::from_utf8(parts).ok();
        let parts = parts.and_then(|parts| parts.split_once('.'));
        let parts = parts.and_then(|(name, count)| Some((name, count.parse::<usize>().ok()?)));
        let (name, count) = parts.ok_or_else(|| EngineError::Refused("no list of parts".into()))?;
        let mut value = Vec::new();
        for index in 0..count {
            let key = part_key(name, index);
            let part = self.records.get(&key.0).await?;
            let part = part.ok_or_else(|| EngineError::Refused("a part is gone".into()))?;
            value.extend_from_slice(&self.open("record", &key.0, part.value)?);
        }
        Ok(value.into())
    }

    /// Stores a value as one record. If a write is not confirmed, reads whether it was made, and
    /// repeats it if not.
    async fn put_whole(
        &self,
        key: &str,
        value: &Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> Result<Option<u64>, EngineError> {
        let value = self.seal("record", key, value, ttl)?;
        let mut doubt = None;
        for _ in 0..ATTEMPTS {
            match self.records.put(key, value.clone(), over, ttl).await {
                Err(EngineError::Unknown(why)) => doubt = Some(why),
                // Another write may have been first, or the unconfirmed one.
                Ok(None) | Err(EngineError::Refused(_)) if doubt.is_some() => {}
                settled => return settled,
            }
            match self.records.get(key).await {
                Ok(Some(stored)) if stored.value == value => return Ok(Some(stored.version)),
                Ok(stored) if stored.as_ref().map(|stored| stored.version) != over => {
                    return Ok(None);
                }
                Ok(_) | Err(_) => {}
            }
        }
        let doubt = doubt.unwrap_or_else(|| "the write was not confirmed".into());
        Err(EngineError::Unknown(doubt))
    }

    /// Seals a value that is stored for `ttl` at a place of this kind, if the server has keys.
    pub(crate) fn seal(
        &self,
        kind: &str,
        place: &str,
        value: &Bytes,
        ttl: Duration,
    ) -> Result<Bytes, EngineError> {
        let Some(sealer) = &self.sealer else {
            return Ok(value.clone());
        };
        let (now, ttl) = (SystemTime::now(), ttl.saturating_add(SLACK));
        let sealed = sealer.seal_bytes(&[kind, &self.cluster, place], value, now, ttl);
        let sealed = sealed.map_err(|error| EngineError::Refused(error.into()))?;
        Ok(sealed.into())
    }

    /// Opens a value that was sealed for a place of this kind.
    pub(crate) fn open(&self, kind: &str, place: &str, value: Bytes) -> Result<Bytes, EngineError> {
        let Some(sealer) = &self.sealer else {
            return Ok(value);
        };
        let opened = sealer.open_bytes(&[kind, &self.cluster, place], &value, SystemTime::now());
        let foreign = "it was sealed with other keys, or for another place";
        let opened = opened.map_err(|_| EngineError::Refused(foreign.into()))?;
        Ok(opened.into())
    }
}

/// The key of a part of a value. The part is written only once, because its name is random.
fn part_key(name: &str, index: usize) -> ShelfKey {
    ShelfKey::new("parts", &format!("{name}.{index}"))
}

#[cfg(test)]
pub(crate) mod faulty;
#[cfg(test)]
mod tests;
