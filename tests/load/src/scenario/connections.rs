//! More connections than one peer may have, and than all may have, that say nothing.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::time::{sleep, timeout};

use crate::crowd::{self, each};
use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::process::Server;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

/// What one peer may have by default.
const PER_PEER: usize = 256;
/// What one opens.
const OF_ONE: usize = 300;
/// Who come when all places are taken.
const NEWCOMERS: usize = 50;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let limit = scale.connections(1_000, 10_000);
    let head = scale.shortened(3);
    let settings = Settings {
        connections: Some(limit),
        head,
        ..Settings::default()
    };
    let trial = Trial::begin(&settings).await?;

    let refused = of_one_peer(&trial.server).await?;
    let mut held = vec![Held::exactly(
        "connections of one peer closed at once",
        refused,
        OF_ONE - PER_PEER,
    )];

    let start = Instant::now();
    let mut silent = crowd::connect(&trial.server, limit).await?;
    held.push(Held::within(
        "time to open all",
        start.elapsed(),
        Duration::from_secs(4),
    ));
    let address = trial.server.address;
    let newcomers = each(NEWCOMERS, move |number| async move {
        let mut peer = Peer::connect(address, Source::other(60_000)).await?;
        peer.reply(&Message::echo(number as u64, "here")).await?;
        anyhow::Ok(start.elapsed())
    });
    let newcomers = tokio::spawn(newcomers);
    let deadline = head.unwrap_or(Duration::from_secs(10)) + Duration::from_secs(4);
    let mut closed = 0;
    for peer in &mut silent {
        let rest = deadline.saturating_sub(start.elapsed());
        closed += usize::from(timeout(rest, peer.closed()).await.is_ok());
    }
    let open = limit - closed;
    // Who waited in the queue comes in late, and has its deadline from then on.
    held.push(Held::most(
        "silent connections open after their deadline",
        open,
        NEWCOMERS + 10,
    ));
    let served: Vec<_> = newcomers.await?.into_iter().collect::<Result<_>>()?;
    let slowest = served.into_iter().max().unwrap_or_default();
    held.push(Held::within(
        "slowest newcomer, from when the connections were opened",
        slowest,
        deadline,
    ));
    drop(silent);
    let asked = format!(
        "{OF_ONE} silent connections of one peer, of which {PER_PEER} may be; then {limit} of many peers beside the bystander's, of \
         which {limit} may be, and {NEWCOMERS} newcomers with a call each"
    );
    let bounds = Bounds {
        growth: limit as u64 * (24 << 10) + (8 << 20),
        bystander: scale.bearable(0, 1_000),
    };
    trial.end("connections", asked, bounds, held).await
}

/// How many of a peer's connections are closed at once.
async fn of_one_peer(server: &Server) -> Result<usize> {
    let address = server.address;
    let peers = each(OF_ONE, move |_| {
        Peer::connect(address, Source::other(50_000))
    })
    .await;
    // All are there before any looks: else one that is closed makes room for another.
    let peers: Vec<_> = peers.into_iter().collect::<Result<_>>()?;
    sleep(Duration::from_millis(200)).await;
    let mut closed = 0;
    let mut peers = peers;
    for peer in &mut peers {
        closed += usize::from(
            timeout(Duration::from_millis(2), peer.closed())
                .await
                .is_ok(),
        );
    }
    Ok(closed)
}
