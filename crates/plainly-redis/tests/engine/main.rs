//! Redis as an engine: the contract of engines, and faults of Redis servers that run for it.

#![cfg(unix)]

mod faults;
mod plain;
#[path = "../../../plainly-nats/tests/engine/processes.rs"]
mod processes;
mod servers;
