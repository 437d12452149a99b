//! The facts about a replica that others ask for.

use serde::{Deserialize, Serialize};

/// The facts about a replica at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Here {
    pub(crate) version: String,
    /// The seconds since its start.
    pub(crate) up: u64,
    /// The fingerprints of its keys; that of the key which seals comes first.
    pub(crate) keys: Vec<String>,
    /// The digest of the lists that it serves, if it serves any.
    pub(crate) lists: Option<String>,
    pub(crate) sessions: usize,
    pub(crate) listeners: usize,
    pub(crate) tasks: usize,
    pub(crate) holes: u64,
}
