//! The engine: everything that replicas share.

use crate::bus::Bus;
use crate::journals::Journals;
use crate::records::Records;

/// Everything that the replicas of a server share, as one of them uses it.
pub trait Engine: Bus + Records + Journals {
    /// Whether the engine could be reached when it was last tried.
    fn is_connected(&self) -> bool;

    /// The most bytes of one event, question, answer or value.
    fn max_value(&self) -> usize;
}
