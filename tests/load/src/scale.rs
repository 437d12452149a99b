//! How much is asked: in short, as CI does with a debug build in a minute, or in full.

use std::io::{self, Write};
use std::time::Duration;

use crate::trial::Bearable;

/// How much is asked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) is_short: bool,
    /// File descriptors that this process, and each server, may have.
    pub(crate) descriptors: u64,
}

impl Scale {
    pub(crate) fn pick<T>(self, short: T, full: T) -> T {
        if self.is_short { short } else { full }
    }

    pub(crate) fn seconds(self, short: u64, full: u64) -> Duration {
        Duration::from_secs(self.pick(short, full))
    }

    /// So many failures, and so much time: in short, on a busy machine without optimization, only not for ever.
    pub(crate) fn bearable(self, failed: usize, milliseconds: u64) -> Option<Bearable> {
        let p99 = Duration::from_millis(self.pick(5_000, milliseconds));
        Some(Bearable { failed, p99 })
    }

    /// A limit that is as by default in full, and shorter in short.
    pub(crate) fn shortened(self, short: u64) -> Option<Duration> {
        self.is_short.then_some(Duration::from_secs(short))
    }

    /// So many connections, or as many as descriptors allow, which is said.
    pub(crate) fn connections(self, short: usize, full: usize) -> usize {
        const OTHERS: u64 = 600;
        let wanted = self.pick(short, full);
        let most = usize::try_from(self.descriptors.saturating_sub(OTHERS)).unwrap_or(usize::MAX);
        if wanted > most {
            // Whoever can't be told has the number in the report too.
            writeln!(
                io::stderr(),
                "{} file descriptors at most: {most} connections, not {wanted}",
                self.descriptors
            )
            .ok();
        }
        wanted.min(most)
    }
}
