//! The room in the trash of one mount: what is too old goes, and then the oldest, until there is room.

use std::io;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use jiff::Timestamp;

use super::item::Item;
use crate::lock::Lock;

/// The most bytes in the trash: 1 GiB.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// The bytes that stay once it is full, so that not each change has to make room.
const KEPT_BYTES: u64 = MAX_BYTES / 8 * 7;

/// The longest that a thing stays: 7 days.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The time after which the trash is looked through again.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// The bytes in the trash, as far as this process knows.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Lock<Option<Tally>>);

#[derive(Debug)]
struct Tally {
    bytes: u64,
    /// The time when they were counted.
    at: Instant,
}

impl Ledger {
    /// Makes room, and takes it.
    pub(super) fn take(&self, trash: &Dir, room: u64) -> io::Result<()> {
        let mut tally = self.0.lock();
        if let Some(tally) = &mut *tally
            && tally.at.elapsed() < SWEEP
            && tally.bytes.saturating_add(room) <= MAX_BYTES
        {
            tally.bytes += room;
            return Ok(());
        }
        let most = MAX_BYTES.saturating_sub(room);
        let bytes = sweep(trash, most, KEPT_BYTES.min(most))? + room;
        *tally = Some(Tally {
            bytes,
            at: Instant::now(),
        });
        Ok(())
    }

    /// Gives back room that was not needed.
    pub(super) fn give_back(&self, room: u64) {
        if let Some(tally) = &mut *self.0.lock() {
            tally.bytes = tally.bytes.saturating_sub(room);
        }
    }
}

/// Removes what is too old. If there are more than `most` bytes, removes the oldest too, down to `kept` bytes. Returns how
/// many there are.
fn sweep(trash: &Dir, most: u64, kept: u64) -> io::Result<u64> {
    let items = Item::all(trash)?;
    let now = Timestamp::now();
    let mut bytes = items.iter().map(Item::room).fold(0, u64::saturating_add);
    let mut target = most;
    for item in items {
        if item.age(now) <= MAX_AGE {
            if bytes <= target {
                break;
            }
            target = kept;
        }
        match trash.remove_dir_all(item.to_string()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, "something in the trash can't be removed");
            }
            // Without one, another process removed or restored it.
            Ok(()) | Err(_) => bytes = bytes.saturating_sub(item.room()),
        }
    }
    match bytes <= most {
        true => Ok(bytes),
        false => Err(io::ErrorKind::StorageFull.into()),
    }
}

#[cfg(test)]
mod tests {
    use cap_std::ambient_authority;
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn the_old_go_and_then_the_oldest() {
        let around = tempfile::tempdir().unwrap();
        let trash = Dir::open_ambient_dir(around.path(), ambient_authority()).unwrap();
        let mut names = Vec::new();
        for hours in [200_i64, 169, 167, 2, 1] {
            let mut item = Item::new(10_000, 0);
            item.since = Timestamp::now() - SignedDuration::from_hours(hours);
            trash.create_dir_all(format!("{item}/dir")).unwrap();
            names.push(item.to_string());
        }
        trash.create_dir("not-ours").unwrap();
        let there = || -> Vec<usize> {
            let is_there = |(_, name): &(usize, &String)| trash.exists(name);
            let there = names.iter().enumerate().filter(is_there);
            there.map(|(index, _)| index).collect()
        };
        assert_eq!(sweep(&trash, 30_000, 20_000).unwrap(), 30_000);
        assert_eq!(there(), [2, 3, 4]);
        assert_eq!(sweep(&trash, 29_999, 20_000).unwrap(), 20_000);
        assert_eq!(there(), [3, 4]);
        let ledger = Ledger::default();
        ledger.take(&trash, MAX_BYTES - 20_000).unwrap();
        assert_eq!(there(), [3, 4]);
        ledger.take(&trash, MAX_BYTES - 10_000).unwrap();
        assert_eq!(there(), [4]);
        assert!(trash.exists("not-ours"));
    }

    #[test]
    fn a_full_trash_has_room_for_more_than_one() {
        let around = tempfile::tempdir().unwrap();
        let trash = Dir::open_ambient_dir(around.path(), ambient_authority()).unwrap();
        for _ in 0..16 {
            let item = Item::new(MAX_BYTES / 16, 0);
            trash.create_dir(item.to_string()).unwrap();
        }
        let ledger = Ledger::default();
        ledger.take(&trash, 1).unwrap();
        assert_eq!(Item::all(&trash).unwrap().len(), 14);
    }
}
