//! Assigns the first core to the server, and the second one to the load.

use std::error::Error;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores that this program may use.
pub(crate) struct Cores {
    all: CpuSet,
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
            all,
            server: only(server),
            load: only(load),
        };
        sched_setaffinity(None, &cores.load)?;
        Ok(cores)
    }

    /// Starts something on the server's core. Processes start on the core of their parent.
    pub(crate) fn start<T>(
        &self,
        start: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        self.within(&self.server, start)
    }

    /// Runs `work` on all cores.
    pub(crate) fn on_all<T>(
        &self,
        work: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        self.within(&self.all, work)
    }

    fn within<T>(
        &self,
        set: &CpuSet,
        work: impl FnOnce() -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        sched_setaffinity(None, set)?;
        let done = work();
        sched_setaffinity(None, &self.load)?;
        done
    }
}

fn only(core: usize) -> CpuSet {
    let mut set = CpuSet::new();
    set.set(core);
    set
}
