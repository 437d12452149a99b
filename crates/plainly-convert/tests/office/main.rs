//! Word documents and workbooks: normal ones from common programs, and hostile ones.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are tests too, and a panic is how they fail"
)]

mod documents;
mod files;
mod refused;
mod sheets;
mod word;
