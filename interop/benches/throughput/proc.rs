//! Figures of the kernel about a process, see proc(5).

use std::error::Error;
use std::fs;

/// The memory of a process, in bytes.
pub(crate) struct Memory {
    /// The current memory.
    pub(crate) resident: f64,
    /// The private part of the current memory, which is neither code nor another file.
    pub(crate) own: f64,
    /// The maximum so far.
    pub(crate) peak: f64,
}

/// The processor time that a process has used, by all its threads, in user and kernel mode, in
/// seconds.
pub(crate) fn cpu(id: u32) -> Result<f64, Box<dyn Error>> {
    ticks(&id.to_string(), 14)
}

/// The processor time of all ended child processes, in seconds.
pub(crate) fn cpu_of_children() -> Result<f64, Box<dyn Error>> {
    ticks("self", 16)
}

/// The sum of two adjacent fields of `stat` in seconds. `field` is the number of the first one.
fn ticks(process: &str, field: usize) -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    // The second field is a name in parentheses, which may contain spaces.
    let (_, fields) = stat.rsplit_once(") ").ok_or("unexpected /proc/PID/stat")?;
    let ticks = fields
        .split(' ')
        .skip(field - 3)
        .take(2)
        .map(str::parse::<u32>)
        .sum::<Result<u32, _>>()?;
    // A tick is 10 ms in these files, whatever unit the kernel uses.
    Ok(f64::from(ticks) / 100.0)
}

pub(crate) fn memory(id: u32) -> Result<Memory, Box<dyn Error>> {
    let status = fs::read_to_string(format!("/proc/{id}/status"))?;
    let bytes = |name: &str| -> Result<f64, Box<dyn Error>> {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kib = line.and_then(|line| line.trim().strip_suffix(" kB"));
        Ok(kib.ok_or("unexpected /proc/PID/status")?.parse::<f64>()? * 1024.0)
    };
    Ok(Memory {
        resident: bytes("VmRSS:")?,
        own: bytes("RssAnon:")?,
        peak: bytes("VmHWM:")?,
    })
}
