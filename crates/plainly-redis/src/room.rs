//! The memory that Redis has left.

use std::time::Duration;

use redis::{InfoDict, cmd};
use tokio::sync::Mutex;
use tokio::time::Instant;

use crate::Redis;
use crate::connection::within;

/// The time for which it is known whether there is room.
const KNOWN: Duration = Duration::from_secs(1);

/// Whether there is room, and since when that is known.
#[derive(Debug, Default)]
pub(crate) struct Room(Mutex<(Option<Instant>, bool)>);

impl Redis {
    /// Whether there is room for what is new: the last tenth of the memory is for new versions of the
    /// records that there are.
    pub(crate) async fn has_room(&self) -> bool {
        let mut room = self.room.0.lock().await;
        let is_old = room.0.is_none_or(|looked| looked.elapsed() > KNOWN);
        if is_old && let Some(link) = self.connection.link() {
            let mut command = cmd("INFO");
            let info = link.ask::<InfoDict>(command.arg("memory"), within(KNOWN));
            room.1 = info.await.map_or(true, |info| has_room(&info));
            room.0 = Some(Instant::now());
        }
        room.1 || room.0.is_none()
    }
}

fn has_room(info: &InfoDict) -> bool {
    let bytes = |name| info.get::<u64>(name).unwrap_or(0);
    let most = bytes("maxmemory");
    most == 0 || bytes("used_memory") < most / 10 * 9
}
