//! Small records that replicas share, so that each continues what another began.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error::EngineError;

/// Stores small records for a time.
///
/// A read returns at least what the last completed write stored, wherever it was made. No record is
/// removed before its time. A call that takes longer than five seconds is dropped and has failed.
pub trait Records: Send + Sync + fmt::Debug + 'static {
    /// The record with this key: up to 80 letters, digits and dots. An expired one may be missing.
    fn get(
        &self,
        key: &str,
    ) -> impl Future<Output = Result<Option<StoredRecord>, EngineError>> + Send;

    /// Stores `value` for `ttl`, in place of the record of the version `over`, or of none. Returns
    /// its version, which is greater than that of any earlier record with this key; `None`, and
    /// stores nothing, if there is a different record.
    fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> impl Future<Output = Result<Option<u64>, EngineError>> + Send;
}

/// A record as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredRecord {
    /// The value. It may contain names of users and clients.
    pub value: Bytes,
    /// A number that grows with each write of the record: a server ignores a lower one than it has
    /// read before.
    pub version: u64,
}

impl StoredRecord {
    /// A record with this value and version.
    pub fn new(value: Bytes, version: u64) -> Self {
        Self { value, version }
    }
}
