//! Measures several replicas over one Redis server, as plainly-nats does over NATS.
//!
//! ```console
//! $ apt-get install redis-server
//! $ cargo bench -p plainly-redis --bench figures
//! ```

#[path = "../../plainly-nats/benches/figures/clients.rs"]
mod clients;
#[path = "../../plainly-nats/benches/figures/measure.rs"]
mod measure;
#[path = "../../plainly-nats/tests/engine/processes.rs"]
#[expect(dead_code, reason = "the rest is for tests of faults")]
mod processes;
#[path = "../tests/engine/servers.rs"]
#[expect(dead_code, reason = "the rest is for tests of faults")]
mod servers;

use crate::servers::Servers;

#[tokio::main]
async fn main() {
    if let Some(redis) = Servers::start().await {
        measure::measure(async || redis.replica().await).await;
    }
}
