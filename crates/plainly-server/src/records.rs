//! Small records that several servers share, so that each continues what another began.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use plainly_errors::{ProtocolError, Unavailable};
use tokio::time::timeout;

/// The time for one call of a store of records.
const CALL: Duration = Duration::from_secs(5);

/// Stores small records for a time. Servers with the same definitions and the same records answer
/// each other's legacy sessions: [`ServerBuilder::records`](crate::ServerBuilder::records).
///
/// A read returns at least what the last completed write stored, wherever it was made. No record is
/// removed before its time. A call that takes longer than five seconds is dropped and has failed.
pub trait Records: Send + Sync + fmt::Debug + 'static {
    /// The record with this key: up to 80 letters, digits and dots. An expired one may be missing.
    fn get(
        &self,
        key: &str,
    ) -> impl Future<Output = Result<Option<StoredRecord>, RecordsError>> + Send;

    /// Stores `value` for `ttl`, in place of the record of the version `over`, or of none. Returns
    /// its version, which is greater than `over`; `None`, and stores nothing, if there is a
    /// different record.
    fn put(
        &self,
        key: &str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> impl Future<Output = Result<Option<u64>, RecordsError>> + Send;
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

/// The reason why records can't be read or written.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum RecordsError {
    /// Nothing was read or written.
    #[error("the shared records can't be reached")]
    Refused(#[source] Box<dyn Error + Send + Sync>),
    /// The record may be written, or not.
    #[error("the shared records did not confirm a write")]
    Unknown(#[source] Box<dyn Error + Send + Sync>),
}

plainly_errors::debug_with_causes!(RecordsError);

impl From<RecordsError> for ProtocolError {
    fn from(error: RecordsError) -> Self {
        let why = match error {
            RecordsError::Refused(_) => {
                "The store of sessions can't be reached at the moment: try again later"
            }
            RecordsError::Unknown(_) => {
                "The store of sessions did not confirm the change: send the request again"
            }
        };
        let unavailable = Self::from(Unavailable::Overloaded);
        unavailable.with_message(why).with_source(error)
    }
}

/// [`Records`] with its futures boxed, and each limited to the time of a call.
pub(crate) trait ErasedRecords: Send + Sync + fmt::Debug {
    fn get<'a>(&'a self, key: &'a str)
    -> BoxFuture<'a, Result<Option<StoredRecord>, RecordsError>>;
    fn put<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, RecordsError>>;
}

impl<R: Records> ErasedRecords for R {
    fn get<'a>(
        &'a self,
        key: &'a str,
    ) -> BoxFuture<'a, Result<Option<StoredRecord>, RecordsError>> {
        let found = timeout(CALL, Records::get(self, key));
        Box::pin(async {
            found
                .await
                .map_err(|late| RecordsError::Refused(late.into()))?
        })
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, RecordsError>> {
        let put = timeout(CALL, Records::put(self, key, value, over, ttl));
        Box::pin(async {
            put.await
                .map_err(|late| RecordsError::Unknown(late.into()))?
        })
    }
}
