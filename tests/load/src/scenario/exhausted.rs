//! More clients than file descriptors: the server neither ends nor spins, serves whom it has, and takes others when it can.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::time::sleep;

use crate::crowd;
use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

const DESCRIPTORS: u64 = 256;
const CLIENTS: usize = 1_000;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let count = scale.connections(CLIENTS, CLIENTS);
    let settings = Settings {
        descriptors: Some(DESCRIPTORS),
        ..Settings::default()
    };
    let trial = Trial::begin(&settings).await?;
    let mut clients = crowd::connect(&trial.server, count).await?;
    for (number, client) in clients.iter_mut().enumerate() {
        client
            .send(&Message::echo(number as u64, "here").http(trial.server.address))
            .await?;
    }
    sleep(Duration::from_secs(1)).await;
    let full = trial.server.usage()?;
    let (start, lasting) = (Instant::now(), scale.seconds(2, 15));
    sleep(lasting).await;
    let took = trial
        .server
        .usage()?
        .processor
        .saturating_sub(full.processor);
    let busy = (took.as_secs_f64() / start.elapsed().as_secs_f64() * 100.0).round();
    drop(clients);
    let over = Instant::now();
    let mut newcomer = Peer::connect(trial.server.address, Source::other(60_000)).await?;
    newcomer.reply(&Message::echo(1, "late")).await?;
    let held = vec![
        Held::least(
            "descriptors in use",
            full.descriptors as u64,
            DESCRIPTORS - 4,
        ),
        Held::most("CPU meanwhile, % of a core", busy, 90.0),
        Held::within(
            "time until a newcomer is served once there is room",
            over.elapsed(),
            Duration::from_secs(2),
        ),
    ];
    let asked = format!(
        "{count} clients of a server that may have {DESCRIPTORS} descriptors, for {} s",
        lasting.as_secs()
    );
    let bounds = Bounds {
        growth: 16 << 20,
        bystander: scale.bearable(0, 1_000),
    };
    trial.end("exhausted", asked, bounds, held).await
}
