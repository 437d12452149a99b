//! Clients whose calls continue as tasks: their requests and the times of these, over a byte stream
//! with a server that the test plays, and with a real server in memory and over HTTP.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod script;

mod answering;
mod asking;
mod cancelling;
mod ending;
mod news;
mod real;
