//! NATS as an engine: the contract of engines, faults of NATS servers run by the tests, and
//! permissions of users.

#![cfg(unix)]

#[path = "../../benches/figures/clients.rs"]
mod clients;
mod disk;
mod faults;
mod load;
mod partitions;
mod plain;
mod processes;
mod proxy;
mod rows;
mod security;
mod served;
mod servers;
mod soak;
mod wire;
