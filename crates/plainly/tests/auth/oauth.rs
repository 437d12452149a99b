//! Logins, mostly at hostile servers: the result of each attack, its number of requests, and the
//! values that are never sent.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod callbacks;
mod certificates;
mod choosing;
mod discovery;
mod endless;
mod endpoints;
mod matrix;
mod model;
mod registering;
mod secrets;
mod sharing;
mod tokens;
mod trust;
mod unattended;
