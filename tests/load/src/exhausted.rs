//! More clients than file descriptors. The server must neither stop nor use the processor, and must
//! accept clients again when possible.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::time::sleep;

use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::process::Server;
use crate::report::Held;
use crate::served::Settings;

const DESCRIPTORS: u64 = 256;
/// Fewer clients than the operating system queues in addition to these descriptors.
const CLIENTS: usize = 700;

pub(crate) async fn run() -> Result<Vec<Held>> {
    let server = Server::start(&Settings {
        descriptors: Some(DESCRIPTORS),
        ..Settings::default()
    })?;
    let mut clients = Vec::new();
    for number in 0..CLIENTS {
        let mut client = Peer::connect(server.address, Source::other(number)).await?;
        let message = Message::echo(number as u64, "here").http(server.address);
        client.send(&message).await?;
        clients.push(client);
    }
    sleep(Duration::from_secs(1)).await;
    let (full, start) = (server.usage()?, Instant::now());
    sleep(Duration::from_secs(2)).await;
    let took = server.usage()?.processor.saturating_sub(full.processor);
    let busy = took.as_secs_f64() / start.elapsed().as_secs_f64() * 100.0;
    drop(clients);
    let over = Instant::now();
    let mut newcomer = Peer::connect(server.address, Source::other(60_000)).await?;
    newcomer.reply(&Message::echo(1, "late")).await?;
    let patience = Duration::from_secs(2);
    let held = vec![
        Held::least(
            "descriptors in use",
            full.descriptors as u64,
            DESCRIPTORS - 4,
        ),
        Held::most("CPU without descriptors, % of a core", busy.round(), 90.0),
        Held::within("a newcomer is served after", over.elapsed(), patience),
    ];
    server.stop(Duration::from_secs(35))?;
    Ok(held)
}
