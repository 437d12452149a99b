//! How many file descriptors a process may have.

use anyhow::Context;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the limit of this process, and of those it starts, as far as it goes. How many that are.
pub(crate) fn raise() -> anyhow::Result<u64> {
    let limit = getrlimit(Resource::Nofile);
    set(limit.maximum, limit.maximum)?;
    Ok(limit.maximum.unwrap_or(u64::MAX))
}

/// Lowers it.
pub(crate) fn lower(most: u64) -> anyhow::Result<()> {
    set(Some(most), getrlimit(Resource::Nofile).maximum)
}

fn set(current: Option<u64>, maximum: Option<u64>) -> anyhow::Result<()> {
    setrlimit(Resource::Nofile, Rlimit { current, maximum })
        .context("the limit of file descriptors can't be set")
}
