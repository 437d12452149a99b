//! The engine: everything that replicas share.

use crate::bus::Bus;
use crate::error::EngineError;
use crate::journals::Journals;
use crate::records::Records;

/// Everything that the replicas of a server share, as one of them uses it.
pub trait Engine: Bus + Records + Journals {
    /// Whether the engine could be reached when it was last tried.
    fn is_connected(&self) -> bool;

    /// The most bytes of one event, question, answer or value.
    fn max_value(&self) -> usize;

    /// The engine's report on itself, for its operator; empty by default.
    fn report(&self) -> impl Future<Output = Result<EngineReport, EngineError>> + Send {
        std::future::ready(Ok(EngineReport::default()))
    }
}

/// A table that an engine shows its operator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineReport {
    /// The titles of the columns.
    pub columns: Vec<&'static str>,
    /// The cells of each row. One that begins with `!` needs a look.
    pub rows: Vec<Vec<String>>,
}

impl EngineReport {
    /// A report with these columns and rows.
    pub fn new(columns: impl Into<Vec<&'static str>>, rows: Vec<Vec<String>>) -> Self {
        let columns = columns.into();
        Self { columns, rows }
    }
}
