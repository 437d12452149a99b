//! The data about a replica that others ask for.

use serde::{Deserialize, Serialize};

/// The data about a replica at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Here {
    pub(crate) version: String,
    /// The seconds since the start of the replica.
    pub(crate) up: u64,
    /// The fingerprints of the keys. The fingerprint of the sealing key comes first.
    pub(crate) keys: Vec<String>,
    /// The digest of the replica's listings, if it serves any.
    pub(crate) lists: Option<String>,
    pub(crate) sessions: usize,
    pub(crate) listeners: usize,
    pub(crate) tasks: usize,
    pub(crate) holes: u64,
}
