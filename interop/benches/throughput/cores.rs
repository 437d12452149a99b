//! Which core does what: the first one serves, the second one loads.

use std::error::Error;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores that this program may use.
pub(crate) struct Cores {
    server: CpuSet,
    load: CpuSet,
}

impl Cores {
    /// Moves this program to the core of the load.
    pub(crate) fn split() -> Result<Self, Box<dyn Error>> {
        let all = sched_getaffinity(None)?;
        let mut each = (0..CpuSet::MAX_CPU).filter(|&core| all.is_set(core));
        let (Some(server), Some(load)) = (each.next(), each.next()) else {
            return Err("it takes two cores: one for the server, one for the load".into());
        };
        let cores = Self {
            server: only(server),
            load: only(load),
        };
        sched_setaffinity(None, &cores.load)?;
        Ok(cores)
    }

    /// Starts something on the core of the server. Processes begin where the one is that starts them.
    pub(crate) fn start<T>(
        &self,
        start: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        sched_setaffinity(None, &self.server)?;
        let started = start();
        sched_setaffinity(None, &self.load)?;
        started
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}
