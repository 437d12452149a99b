//! NATS as an engine: the contract of engines, faults of NATS servers that run for it, and who may do what there.

#![cfg(unix)]

#[path = "../../benches/figures/clients.rs"]
#[expect(dead_code, reason = "the rest is for figures")]
mod clients;
mod faults;
mod partitions;
mod plain;
mod processes;
mod proxy;
mod security;
mod served;
mod servers;
