//! The memory limit of the server, and its distribution among files, replies and other data of
//! clients.

use std::fs;
use std::path::Path;

use plainly::limits::Limits;
use plainly::store::Budget;
use plainly::transport::http::HttpLimits;

use crate::args::ServeArgs;

/// The directory in which Linux shows control groups.
const CGROUPS: &str = "/sys/fs/cgroup";

/// The bytes of the budget for contents if memory is not limited.
const CONTENTS: u64 = 512 << 20;

/// The memory for the whole server, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory(u64);

/// The memory of a server with these options, if it has a limit.
pub(super) fn of(args: &ServeArgs) -> Option<Memory> {
    let of_cgroup = || {
        let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
        least_limit(&groups, Path::new(CGROUPS))
    };
    args.content.max_memory.or_else(of_cgroup).map(Memory)
}

/// The budget for the contents of all stores. It has room for the largest readable file in base64.
pub(super) fn budget(args: &ServeArgs) -> Budget {
    let bytes = of(args).map_or(CONTENTS, Memory::contents);
    let largest = args.content.max_file_size.div_ceil(3).saturating_mul(4);
    Budget::new(bytes.max(largest))
}

/// The smallest limit of the control groups in `groups`, which has the form of /proc/self/cgroup,
/// and of their parents. A container may see its own group as the root.
fn least_limit(groups: &str, root: &Path) -> Option<u64> {
    let limits = groups.lines().filter_map(|line| {
        let (_, group) = line.split_once(':')?;
        let (controllers, group) = group.split_once(":/")?;
        // Version 2 has one hierarchy for all controllers. Version 1 shows a very large number if
        // there is no limit.
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            "memory" => (root.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        let limit = |group: &Path| {
            let limit = fs::read_to_string(root.join(group).join(file)).ok()?;
            limit.trim().parse::<u64>().ok()
        };
        Path::new(group).ancestors().filter_map(limit).min()
    });
    limits.min()
}

impl Memory {
    /// An eighth, because a sent file can be in memory as a file, as a reply, and in transit, and
    /// everything else needs memory, too.
    fn contents(self) -> u64 {
        (self.0 / 8).min(CONTENTS)
    }

    pub(super) fn limit(self, limits: &mut Limits) {
        for (limit, parts) in [
            (&mut limits.reply_bytes_in_all, 8),
            (&mut limits.resumption.bytes_in_all, 16),
            (&mut limits.tasks.bytes, 16),
            (&mut limits.subscriptions.bytes_in_all, 32),
        ] {
            self.cap(limit, parts);
        }
    }

    pub(super) fn limit_http(self, limits: &mut HttpLimits) {
        self.cap(&mut limits.in_flight_bytes, 16);
    }

    /// Lowers a limit to the memory divided by `parts`.
    fn cap(self, limit: &mut usize, parts: u64) {
        let most = usize::try_from(self.0 / parts).unwrap_or(usize::MAX);
        *limit = (*limit).min(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    /// The sizes in MiB: for contents, and the most that the server and its HTTP use.
    fn sizes(memory: u64) -> [u64; 6] {
        let (memory, mut limits) = (Memory(memory), Limits::default());
        memory.limit(&mut limits);
        let mut http = HttpLimits::from(&limits);
        memory.limit_http(&mut http);
        let held = [
            limits.reply_bytes_in_all,
            limits.resumption.bytes_in_all,
            limits.tasks.bytes,
            limits.subscriptions.bytes_in_all,
            http.in_flight_bytes,
        ];
        let [replies, resumed, tasks, listened, bodies] = held.map(|bytes| bytes as u64);
        [memory.contents(), replies, resumed, tasks, listened, bodies].map(|bytes| bytes / MIB)
    }

    #[test]
    fn less_memory_means_less_of_everything_and_more_means_no_more() {
        assert_eq!(sizes(256 * MIB), [32, 32, 16, 16, 8, 16]);
        assert_eq!(sizes(1024 * MIB), [128, 128, 64, 64, 32, 64]);
        let most = [512, 512, 256, 256, 128, 256];
        assert_eq!((sizes(4096 * MIB), sizes(u64::MAX)), (most, most));
    }

    #[test]
    fn the_least_limit_of_a_control_group_and_those_around_it_is_taken() {
        let root = tempfile::tempdir().unwrap();
        for (file, content) in [
            ("memory.max", "max\n"),
            ("a/memory.max", "5000\n"),
            ("a/b/memory.max", "max\n"),
            ("a/c/memory.max", "4000\n"),
            ("memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("memory/a/memory.limit_in_bytes", "3000\n"),
        ] {
            let file = root.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, content).unwrap();
        }
        const NONE: u64 = 9_223_372_036_854_771_712;
        for (groups, limit) in [
            ("0::/a/b\n", Some(5000)),
            ("0::/a/c\n", Some(4000)),
            ("0::/\n", None),
            // These are names of the host, which are not visible in a container.
            ("0::/x/y\n", None),
            ("0::/../a\n", None),
            ("9:cpu:/a\n4:memory:/a/b\n0::/\n", Some(3000)),
            ("9:cpu:/a\n4:memory:/docker/x\n", Some(NONE)),
            ("4:memory:/a\n0::/a/c\n", Some(3000)),
            ("", None),
            ("nonsense\n1:\n::\n", None),
        ] {
            assert_eq!(least_limit(groups, root.path()), limit, "{groups}");
        }
    }
}
