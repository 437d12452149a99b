//! What the kernel says of a process, see proc(5).

use std::error::Error;
use std::fs;

/// What a process takes of the machine's memory, in bytes.
pub(crate) struct Memory {
    /// Now.
    pub(crate) resident: f64,
    /// Of that its own, which is neither code nor another file.
    pub(crate) own: f64,
    /// At most, until now.
    pub(crate) peak: f64,
}

/// Processor time that a process used so far, of all its threads, in user and kernel mode, in seconds.
pub(crate) fn cpu(id: u32) -> Result<f64, Box<dyn Error>> {
    ticks(&id.to_string(), 14)
}

/// The same of all that this process started and that has ended.
pub(crate) fn cpu_of_children() -> Result<f64, Box<dyn Error>> {
    ticks("self", 16)
}

/// The seconds in two fields of `stat`, of which the first has this number.
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
    // A tick is 10 ms for programs, whatever the kernel counts in.
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
