//! Redis as an engine: the contract of engines, and faults of Redis servers run by the tests.

#![cfg(unix)]

#[path = "../../../plainly-nats/benches/figures/clients.rs"]
mod clients;
#[path = "../../../plainly-nats/tests/engine/disk.rs"]
mod disk;
mod faults;
mod plain;
#[path = "../../../plainly-nats/tests/engine/processes.rs"]
mod processes;
#[path = "../../../plainly-nats/tests/engine/proxy.rs"]
mod proxy;
#[path = "../../../plainly-nats/tests/engine/rows.rs"]
mod rows;
#[path = "../../../plainly-nats/tests/engine/served.rs"]
mod served;
mod servers;
#[path = "../../../plainly-nats/tests/engine/soak.rs"]
mod soak;
#[path = "../../../plainly-nats/tests/engine/wire.rs"]
mod wire;
