//! Describes the machine and the build.

use std::error::Error;
use std::fs;
use std::process::Command;

/// The machine and the build, on one line.
pub(crate) fn description() -> Result<String, Box<dyn Error>> {
    let processors = fs::read_to_string("/proc/cpuinfo")?;
    let models: Vec<&str> = processors
        .lines()
        .filter(|line| line.starts_with("model name"))
        .filter_map(|line| line.split_once(": "))
        .map(|(_, model)| model)
        .collect();
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease")?;
    let rustc = Command::new("rustc").arg("--version").output()?.stdout;
    let lock = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.lock"))?;
    Ok(format!(
        "{} × {}, Linux {}, {}; rmcp {}, hyper {}, axum {}",
        models.len(),
        models.first().unwrap_or(&"an unknown processor"),
        kernel.trim_end(),
        String::from_utf8(rustc)?.trim_end(),
        version(&lock, "rmcp")?,
        version(&lock, "hyper")?,
        version(&lock, "axum")?,
    ))
}

fn version<'a>(lock: &'a str, package: &str) -> Result<&'a str, Box<dyn Error>> {
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&name).ok_or("not in the lock file")?;
    Ok(rest.split('"').next().unwrap_or_default())
}
