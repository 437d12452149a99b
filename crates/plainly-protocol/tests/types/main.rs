//! The types: their rules and wire names, and against the spec their examples and schemas.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in building a test's data is a failure of the test"
)]

mod names;
mod rules;

mod samples;
mod spec;

mod asking;
mod examples;
mod schema;
mod shape;
mod tasks;
