//! The files of the spec: the environment variable `PLAINLY_SPEC` names their directory, which has
//! one directory for each revision.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

/// Returns the directory of the spec. Without it, a test has nothing to check.
#[expect(
    clippy::print_stdout,
    reason = "whoever runs the tests must see what was not tested"
)]
pub(crate) fn spec() -> Option<PathBuf> {
    let directory = std::env::var_os("PLAINLY_SPEC").map(PathBuf::from);
    if directory.is_none() {
        println!("skipped: PLAINLY_SPEC is not set");
    }
    directory
}

/// The JSON of a file.
pub(crate) fn parse(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
