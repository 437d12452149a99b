//! Ordered events, stored for a short time.

use std::fmt;

use bytes::Bytes;
use futures_util::stream::Stream;

use crate::error::EngineError;

/// Stores the events of each journal in order, the last 1,024 of them for ten minutes.
pub trait Journals: Send + Sync + fmt::Debug + 'static {
    /// Adds an event to the journal with this name: up to 80 letters, digits and dots. The first
    /// event creates the journal.
    fn append(
        &self,
        journal: &str,
        event: Bytes,
    ) -> impl Future<Output = Result<(), EngineError>> + Send;

    /// All stored events in order, followed by new ones. After a fault, events may be repeated. The
    /// stream ends only after an error.
    fn follow(
        &self,
        journal: &str,
    ) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static;
}
