//! NATS as an engine: the contract of engines, and faults of NATS servers that run for it.

#![cfg(unix)]

mod faults;
mod plain;
mod processes;
mod servers;
