//! Clients whose calls go on as tasks: what they send and when, over a byte stream whose other end the test plays, and with
//! a real server in memory and over HTTP.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod script;

mod answering;
mod asking;
mod cancelling;
mod ending;
mod news;
mod real;
