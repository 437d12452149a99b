//! Documents of Word and workbooks, as programs write them and as nobody should.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are tests too, and a panic is how they fail"
)]

mod documents;
mod files;
mod refused;
mod sheets;
mod word;
