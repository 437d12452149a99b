//! The memory that Redis has left.

use std::time::Duration;

use redis::{InfoDict, cmd};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Redis;
use crate::connection::within;

/// The time for which it is known whether there is room.
const KNOWN: Duration = Duration::from_secs(1);
/// The only policy that removes nothing before its time.
const POLICY: &str = "noeviction";

/// The memory, as it was when the replica last looked.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<Memory>);

#[derive(Debug, Default)]
struct Memory {
    looked: Option<Instant>,
    is_full: bool,
    /// Whether the log has a warning of the policy.
    is_said: bool,
}

impl Redis {
    /// Whether there is room for what is new: the last tenth of the memory is for new versions of the
    /// records that there are.
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

/// The most bytes of memory, 0 without a limit.
pub(crate) fn most(info: &InfoDict) -> u64 {
    info.get("maxmemory").unwrap_or(0)
}

/// Whether nine tenths of the memory are in use.
pub(crate) fn is_full(info: &InfoDict) -> bool {
    let used = info.get::<u64>("used_memory").unwrap_or(0);
    most(info) > 0 && used >= most(info) / 10 * 9
}

/// Whether Redis removes what has time left, once its memory is full.
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
