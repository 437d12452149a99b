//! The engine: all state that replicas share.

use crate::bus::Bus;
use crate::error::EngineError;
use crate::journals::Journals;
use crate::records::Records;

/// All state that the replicas of a server share, as used by one of them.
pub trait Engine: Bus + Records + Journals {
    /// Whether the last attempt to reach the engine succeeded.
    fn is_connected(&self) -> bool;

    /// The maximum size of an event, question, answer or value, in bytes.
    fn max_value(&self) -> usize;

    /// The engine's report for its operator; empty by default.
    fn report(&self) -> impl Future<Output = Result<EngineReport, EngineError>> + Send {
        std::future::ready(Ok(EngineReport::default()))
    }
}

/// A table about an engine for its operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineReport {
    /// The titles of the columns.
    pub columns: Vec<&'static str>,
    /// The cells of each row. A cell that begins with `!` shows a problem.
    pub rows: Vec<Vec<String>>,
}

impl EngineReport {
    /// Creates a report with these columns and rows.
    pub fn new(columns: impl Into<Vec<&'static str>>, rows: Vec<Vec<String>>) -> Self {
        let columns = columns.into();
        Self { columns, rows }
    }
}
