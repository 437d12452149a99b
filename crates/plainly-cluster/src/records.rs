//! Small records that replicas share, so that one replica can continue the work of another.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;

use crate::error::EngineError;

/// Stores small records for a time.
///
/// A read returns the value of the last completed write or of a later one, by any replica. A record
/// is never removed before it expires. A call that takes longer than five seconds is dropped, and
/// has failed.
pub trait Records: Send + Sync + fmt::Debug + 'static {
    /// Returns the record with this key: up to 80 letters, digits and dots. An expired record may
    /// be missing.
    fn get(
        &self,
        key: &str,
    ) -> impl Future<Output = Result<Option<StoredRecord>, EngineError>> + Send;

    /// Stores `value` for `ttl`, if the current record has the version `over`, or if there is none
    /// and `over` is `None`. Returns the new version, which is greater than that of any earlier
    /// record with this key. Otherwise stores nothing, and returns `None`.
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
    /// A number that grows with each write of the record. A server ignores a version lower than one
    /// that it has read before.
    pub version: u64,
}

impl StoredRecord {
    /// Creates a record with this value and version.
    pub fn new(value: Bytes, version: u64) -> Self {
        Self { value, version }
    }
}
