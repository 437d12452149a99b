//! The resource usage of a process, from `/proc`.

use std::fs;
use std::time::Duration;

use anyhow::{Context, Result};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The resource usage of a process at one moment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// The memory in bytes.
    pub(crate) resident: u64,
    /// The maximum memory so far, in bytes.
    pub(crate) peak: u64,
    /// The number of open file descriptors.
    pub(crate) descriptors: usize,
    /// The processor time used so far, in user and kernel mode.
    pub(crate) processor: Duration,
}

impl Usage {
    pub(crate) fn of(process: u32) -> Result<Self> {
        let status = read(process, "status")?;
        let bytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kib = line.and_then(|line| line.split_whitespace().next());
            let kib: u64 = kib.with_context(|| format!("no {name}"))?.parse()?;
            Ok::<_, anyhow::Error>(kib << 10)
        };
        Ok(Self {
            resident: bytes("VmRSS:")?,
            peak: bytes("VmHWM:")?,
            descriptors: fs::read_dir(path(process, "fd"))?.count(),
            processor: processor(&read(process, "stat")?)?,
        })
    }
}

/// Parses ticks of 10 ms, which Linux uses on every architecture (`USER_HZ`). The name before them
/// may contain spaces and parentheses.
fn processor(stat: &str) -> Result<Duration> {
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks = after_name.split_whitespace().skip(11).take(2);
    let ticks: Vec<u64> = ticks.map(str::parse).collect::<Result<_, _>>()?;
    Ok(Duration::from_millis(ticks.iter().sum::<u64>() * 10))
}

fn read(process: u32, name: &str) -> Result<String> {
    let path = path(process, name);
    fs::read_to_string(&path).with_context(|| format!("{path} can't be read"))
}

fn path(process: u32, name: &str) -> String {
    format!("/proc/{process}/{name}")
}

/// Raises the limit of descriptors to its maximum, for this process and its children.
pub(crate) fn raise_descriptors() -> Result<()> {
    let most = getrlimit(Resource::Nofile).maximum;
    set(most, most)
}

/// Lowers the limit of descriptors.
pub(crate) fn lower_descriptors(most: u64) -> Result<()> {
    set(Some(most), getrlimit(Resource::Nofile).maximum)
}

fn set(current: Option<u64>, maximum: Option<u64>) -> Result<()> {
    setrlimit(Resource::Nofile, Rlimit { current, maximum })
        .context("the limit of file descriptors can't be set")
}
