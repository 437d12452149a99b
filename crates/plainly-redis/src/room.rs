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

impl Memory {
    fn note(&mut self, info: &InfoDict) {
        let bytes = |name| info.get::<u64>(name).unwrap_or(0);
        let most = bytes("maxmemory");
        self.is_full = most > 0 && bytes("used_memory") >= most / 10 * 9;
        let policy = info.get("maxmemory_policy").unwrap_or_default();
        let is_wrong = most > 0 && ![POLICY.to_owned(), String::new()].contains(&policy);
        if is_wrong && !self.is_said {
            tracing::warn!(
                "Redis removes sessions and tasks when its memory is full: \
                 set maxmemory-policy from {policy} to {POLICY}"
            );
        }
        self.is_said = is_wrong;
    }
}
