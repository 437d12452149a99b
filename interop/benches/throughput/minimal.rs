//! Measures building a minimal server with one tool, over HTTP and stdio, from scratch, with the
//! release profile.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::proc;
use crate::programs::{Column, Columns};

/// The packages under `interop/minimal/`.
const PACKAGES: [(Column, &str); 2] = [
    (Column::Rmcp, "minimal-rmcp"),
    (Column::Plainly, "minimal-plainly"),
];

/// The cost and the result of a build.
pub(crate) struct Built {
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) crates: usize,
    /// The size of the binary.
    pub(crate) bytes: f64,
}

pub(crate) fn builds() -> Result<Columns<Built>, Box<dyn Error>> {
    PACKAGES
        .into_iter()
        .map(|(column, package)| Ok((column, build(package)?)))
        .collect()
}

fn build(package: &str) -> Result<Built, Box<dyn Error>> {
    let target = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let cpu = proc::cpu_of_children()?;
    let start = Instant::now();
    let output = Command::new(env!("CARGO"))
        .args([
            "build",
            "--profile",
            "dist",
            "--locked",
            "--package",
            package,
        ])
        .args(["--message-format", "json", "--target-dir"])
        .arg(target.path())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stderr(Stdio::inherit())
        .output()?;
    let seconds = start.elapsed().as_secs_f64();
    if !output.status.success() {
        return Err(format!("{package} can't be built").into());
    }
    Ok(Built {
        seconds,
        cpu_seconds: proc::cpu_of_children()? - cpu,
        crates: crates(&String::from_utf8(output.stdout)?)?,
        bytes: size(&target.path().join("dist").join(package))?,
    })
}

/// The number of libraries in cargo's messages, which also report build scripts.
fn crates(messages: &str) -> Result<usize, Box<dyn Error>> {
    let mut count = 0;
    for line in messages.lines() {
        let message: serde_json::Value = serde_json::from_str(line)?;
        let is_library = |kind: &serde_json::Value| kind != "custom-build" && kind != "bin";
        let kinds = message["target"]["kind"].as_array();
        let has_library = kinds.is_some_and(|kinds| kinds.iter().any(is_library));
        count += usize::from(message["reason"] == "compiler-artifact" && has_library);
    }
    Ok(count)
}

#[expect(clippy::cast_precision_loss, reason = "no binary has 2^52 bytes")]
fn size(binary: &Path) -> Result<f64, Box<dyn Error>> {
    Ok(fs::metadata(binary)?.len() as f64)
}
