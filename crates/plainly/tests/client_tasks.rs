//! Clients whose calls go on as tasks: what they send and when, over a byte stream whose other end the test plays, and with
//! a real server in memory and over HTTP.
#![cfg(all(feature = "client", feature = "server", feature = "http"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "client_tasks/script.rs"]
mod script;

#[path = "client_tasks/answering.rs"]
mod answering;
#[path = "client_tasks/asking.rs"]
mod asking;
#[path = "client_tasks/cancelling.rs"]
mod cancelling;
#[path = "client_tasks/ending.rs"]
mod ending;
#[path = "client_tasks/news.rs"]
mod news;
#[path = "client_tasks/real.rs"]
mod real;
