//! Small records that several servers share, so that each continues what another began.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use plainly_errors::{ProtocolError, Unavailable};

use crate::seal::random_name;

/// Stores small records for a time. Servers with the same definitions and the same records answer
/// each other's legacy sessions: [`ServerBuilder::records`](crate::ServerBuilder::records).
///
/// A read returns at least what the last completed write stored, wherever it was made. No record is
/// removed before its time.
pub trait Records: Send + Sync + fmt::Debug + 'static {
    /// The record with this key: up to 80 letters, digits and dots. An expired one may be missing.
    fn get(
        &self,
        key: &str,
    ) -> impl Future<Output = Result<Option<StoredRecord>, RecordsError>> + Send;

    /// Stores `value` for `ttl`, in place of the record of the version `over`, or of none. Returns
    /// its version; `None`, and stores nothing, if there is a different record.
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
    /// A number that each write changes.
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
        Self::from(Unavailable::Overloaded).with_source(error)
    }
}

/// The name of a server among those that share records, new at each start.
#[derive(Debug, Default)]
pub(crate) struct ServerName(OnceLock<Arc<str>>);

impl ServerName {
    pub(crate) fn get(&self) -> Result<&Arc<str>, getrandom::Error> {
        match self.0.get() {
            Some(name) => Ok(name),
            None => {
                let random = random_name()?.into();
                // Two threads may each draw a name; both use the one that was there first.
                Ok(self.0.get_or_init(|| random))
            }
        }
    }
}

/// [`Records`] with its futures boxed.
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
        Box::pin(Records::get(self, key))
    }

    fn put<'a>(
        &'a self,
        key: &'a str,
        value: Bytes,
        over: Option<u64>,
        ttl: Duration,
    ) -> BoxFuture<'a, Result<Option<u64>, RecordsError>> {
        Box::pin(Records::put(self, key, value, over, ttl))
    }
}
