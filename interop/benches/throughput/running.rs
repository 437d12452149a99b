//! A running server. Independent of transport and case.

use std::error::Error;
use std::process::{Child, Command, Stdio};

use plainly_interop::Case;

use crate::proc::{self, Memory};
use crate::programs::Program;

/// A running server, killed when dropped.
pub(crate) struct Running {
    pub(crate) child: Child,
}

impl Running {
    pub(crate) fn start(program: &Program, case: Case) -> Result<Self, Box<dyn Error>> {
        let child = Command::new(program.path)
            .arg(case.name())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("can't start {}: {error}", program.path))?;
        Ok(Self { child })
    }

    pub(crate) fn cpu_seconds(&self) -> Result<f64, Box<dyn Error>> {
        proc::cpu(self.child.id())
    }

    pub(crate) fn memory(&self) -> Result<Memory, Box<dyn Error>> {
        proc::memory(self.child.id())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // If the server has already died, the load reports it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
