//! Events in order, for a short while.

use std::fmt;

use bytes::Bytes;
use futures_util::stream::Stream;

use crate::error::EngineError;

/// Stores the events of each journal in order, the last 1,024 of them for ten minutes.
pub trait Journals: Send + Sync + fmt::Debug + 'static {
    /// Adds an event to the journal with this name: up to 80 letters, digits and dots. The first
    /// event begins the journal.
    fn append(
        &self,
        journal: &str,
        event: Bytes,
    ) -> impl Future<Output = Result<(), EngineError>> + Send;

    /// All events that are stored, in order, and then those to come. After a fault, events may come
    /// again. The stream ends after an error, and otherwise never.
    fn follow(
        &self,
        journal: &str,
    ) -> impl Stream<Item = Result<Bytes, EngineError>> + Send + 'static;
}
