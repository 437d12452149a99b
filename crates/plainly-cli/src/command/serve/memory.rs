//! The memory that the server should get by with, and what that leaves for files, replies and all else that clients hold.

use std::fs;
use std::path::Path;

use plainly::limits::Limits;
use plainly::transport::http::HttpLimits;

use crate::args::ServeArgs;

/// Where Linux shows control groups, version 2.
const CGROUPS: &str = "/sys/fs/cgroup";

/// The bytes of memory for the whole server.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory(u64);

/// The memory of a server with these options, if it has a limit.
pub(super) fn of(args: &ServeArgs) -> Option<Memory> {
    args.content.max_memory.or_else(of_cgroup).map(Memory)
}

/// The least limit of the process's control group and those around it.
fn of_cgroup() -> Option<u64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = groups.lines().find_map(|line| line.strip_prefix("0::/"))?;
    let limit = |group: &Path| {
        let limit = fs::read_to_string(Path::new(CGROUPS).join(group).join("memory.max"));
        limit.ok()?.trim().parse().ok()
    };
    Path::new(own).ancestors().filter_map(limit).min()
}

impl Memory {
    /// An eighth, because a file that is sent can be in memory as a file, as a reply, and on its way, and all else needs
    /// memory too.
    pub(super) fn bytes_at_once(self) -> u64 {
        self.0 / 8
    }

    pub(super) fn limit(self, limits: &mut Limits) {
        for (limit, parts) in [
            (&mut limits.reply_bytes_in_all, 8),
            (&mut limits.resume_total, 16),
            (&mut limits.task_bytes, 16),
        ] {
            self.cap(limit, parts);
        }
    }

    pub(super) fn limit_http(self, limits: &mut HttpLimits) {
        self.cap(&mut limits.in_flight_bytes, 16);
    }

    /// Lowers a limit to one of so many parts of the memory.
    fn cap(self, limit: &mut usize, parts: u64) {
        let most = usize::try_from(self.0 / parts).unwrap_or(usize::MAX);
        *limit = (*limit).min(most);
    }
}
