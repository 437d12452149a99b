//! Limits the trash of one mount: removes entries that are too old, and then the oldest ones, until
//! the rest fits.

use std::io;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use jiff::Timestamp;

use super::item::Item;
use crate::lock::Lock;

/// The maximum size of the trash: 1 GiB.
pub(super) const MAX_BYTES: u64 = 1 << 30;

/// The size to which a full trash is reduced, so that not every change has to make space.
const KEPT_BYTES: u64 = MAX_BYTES / 8 * 7;

/// The maximum age of an entry: 7 days.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The interval after which the trash is read again.
const SWEEP: Duration = Duration::from_secs(60 * 60);

/// The size of the trash, as far as this process knows.
#[derive(Debug, Default)]
pub(crate) struct Ledger(Lock<Option<Tally>>);

#[derive(Debug)]
struct Tally {
    bytes: u64,
    /// The time when the bytes were counted.
    at: Instant,
}

impl Ledger {
    /// Reserves `room` bytes, and removes entries if necessary.
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

    /// Releases bytes that were not needed.
    pub(super) fn give_back(&self, room: u64) {
        if let Some(tally) = &mut *self.0.lock() {
            tally.bytes = tally.bytes.saturating_sub(room);
        }
    }
}

/// Removes entries that are too old. If more than `most` bytes remain, removes the oldest entries
/// too, down to `kept` bytes. Returns the remaining bytes.
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
            // If the entry doesn't exist, another process removed or restored it.
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
