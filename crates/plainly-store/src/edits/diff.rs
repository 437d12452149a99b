//! A unified diff of two texts.

use std::time::Duration;

use similar::TextDiff;

/// The number of context lines around a change.
const CONTEXT: usize = 3;

/// The time after which a diff is no longer optimized for shortness.
const PATIENCE: Duration = Duration::from_secs(1);

/// The diff; empty if the texts are equal.
pub(super) fn unified(name: &str, before: &str, after: &str) -> String {
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_lines(before, after);
    let mut unified = diff.unified_diff();
    unified.context_radius(CONTEXT).header(name, name);
    unified.to_string()
}
