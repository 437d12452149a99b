//! Start a server on its own core, watch what it costs, and end it. Knows neither transport nor case.

use std::error::Error;
use std::fs;
use std::process::{Child, Command, Stdio};

use plainly_interop::Case;

const SERVER_CORE: &str = "0";
const LOAD_CORE: &str = "1";

/// A server to be measured; it is started with the name of the case as its only argument.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) path: &'static str,
}

/// What one round showed.
#[derive(Clone)]
pub(crate) struct Measure {
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
}

impl Measure {
    /// Requests answered in a second.
    #[expect(clippy::cast_precision_loss, reason = "no round has 2^52 requests")]
    pub(crate) fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    /// How much of its core the server used: well below 1 means that the load was the limit, not the server.
    pub(crate) fn busy(&self) -> f64 {
        self.cpu_seconds / self.seconds
    }

    /// Seconds of the server's core for one request.
    pub(crate) fn cpu_per_request(&self) -> f64 {
        self.busy() / self.rate()
    }
}

/// A running server, killed when dropped.
pub(crate) struct Running {
    pub(crate) child: Child,
}

impl Running {
    pub(crate) fn start(program: &Program, case: Case) -> Result<Self, Box<dyn Error>> {
        let child = Command::new("taskset")
            .args(["-c", SERVER_CORE, program.path, case.name()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| format!("can't start taskset: {error}"))?;
        Ok(Self { child })
    }

    /// Processor time used so far, of all threads, in user and kernel mode.
    pub(crate) fn cpu_seconds(&self) -> Result<f64, Box<dyn Error>> {
        // proc(5): the name in parentheses may contain spaces; user and system ticks are the 14th and 15th field, and
        // a tick is 10 ms for programs, whatever the kernel counts in.
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        let (_, fields) = stat.rsplit_once(") ").ok_or("unexpected /proc/PID/stat")?;
        let ticks = fields
            .split(' ')
            .skip(11)
            .take(2)
            .map(str::parse::<u32>)
            .sum::<Result<u32, _>>()?;
        Ok(f64::from(ticks) / 100.0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // An already dead server is noticed by the load, not here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Moves this process, and what it starts, away from the server's core.
pub(crate) fn pin_self() -> Result<(), Box<dyn Error>> {
    let status = Command::new("taskset")
        .args(["-cp", LOAD_CORE, &std::process::id().to_string()])
        .stdout(Stdio::null())
        .status()
        .map_err(|error| format!("can't start taskset: {error}"))?;
    if status.success() {
        Ok(())
    } else {
        Err("taskset failed: are there two cores?".into())
    }
}
