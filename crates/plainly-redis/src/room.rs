//! The free memory of Redis.

use std::time::Duration;

use redis::{InfoDict, cmd};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Redis;
use crate::connection::within;

/// The time for which the check of the memory is valid.
const KNOWN: Duration = Duration::from_secs(1);
/// The only policy that doesn't remove entries before they expire.
const POLICY: &str = "noeviction";

/// The state of the memory at the last check.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    looked: Option<Instant>,
    is_full: bool,
    /// Whether a warning about the policy was logged.
    is_said: bool,
}

impl Redis {
    /// Whether there is memory for new entries. The last tenth is reserved for new versions of
    /// existing records.
    pub(crate) async fn has_room(&self) -> bool {
        let mut memory = self.room.0.lock().await;
        let is_old = memory.looked.is_none_or(|looked| looked.elapsed() > KNOWN);
        if is_old && let Some(link) = self.connection.link() {
            memory.looked = Some(Instant::now());
            let mut command = cmd("INFO");
            let info = link.ask(command.arg("memory"), within(KNOWN)).await;
            memory.note(&info.unwrap_or_else(|_| InfoDict::new("")));
        }
        !memory.is_full
    }
}

/// The maximum memory in bytes; 0 if unlimited.
pub(crate) fn most(info: &InfoDict) -> u64 {
    info.get("maxmemory").unwrap_or(0)
}

/// Whether nine tenths of the memory are in use.
pub(crate) fn is_full(info: &InfoDict) -> bool {
    let used = info.get::<u64>("used_memory").unwrap_or(0);
    most(info) > 0 && used >= most(info) / 10 * 9
}

/// Whether Redis removes entries before they expire once its memory is full.
pub(crate) fn removes(info: &InfoDict) -> bool {
    most(info) > 0 && !["", POLICY].contains(&&*policy(info))
}

fn policy(info: &InfoDict) -> String {
    info.get("maxmemory_policy").unwrap_or_default()
}

impl Memory {
    fn note(&mut self, info: &InfoDict) {
        self.is_full = is_full(info);
        let is_wrong = removes(info);
        if is_wrong && !self.is_said {
            tracing::warn!(
                "Redis removes sessions and tasks when its memory is full: \
                 set maxmemory-policy from {} to {POLICY}",
                policy(info)
            );
        }
        self.is_said = is_wrong;
    }
}
