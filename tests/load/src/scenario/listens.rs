//! Thousands who only listen: what each costs while nothing happens, and how soon all hear when something does.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};

use crate::crowd;
use crate::message::Message;
use crate::peer::{PATIENCE, Peer, Source};
use crate::process::Server;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

/// What one may cost at most, its connection included; half of it is aimed at.
const BYTES: u64 = 32 << 10;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let count = scale.connections(1_500, 10_000);
    let settings = Settings {
        connections: Some(count + 500),
        ..Settings::default()
    };
    let trial = Trial::begin(&settings).await?;
    let watched = scale.seconds(2, 15);
    let alone = busy(&trial.server, watched).await?;

    let start = Instant::now();
    let peers = crowd::connect(&trial.server, count).await?;
    let (tell, mut told) = mpsc::unbounded_channel();
    let listening: tokio::task::JoinSet<Result<()>> = peers
        .into_iter()
        .enumerate()
        .map(|(number, peer)| listen(peer, number, tell.clone()))
        .collect();
    drop(tell);
    let first = all_heard(&mut told, count)
        .await
        .context("the acknowledgements")?;
    let mut held = vec![Held::exactly(
        "acknowledged before anything else",
        first.len(),
        count,
    )];
    let opened = start.elapsed();
    sleep(Duration::from_secs(1)).await;
    let each = trial.growth()? / count as u64;
    held.push(Held::most("memory for each, bytes", each, BYTES));
    let idle = (busy(&trial.server, watched).await? - alone).max(0.0);
    let idle = (idle * 10.0).round() / 10.0;
    held.push(Held::most(
        "CPU while nothing happens, % of a core",
        idle,
        scale.pick(20.0, 2.0),
    ));

    let told_at = Instant::now();
    let mut author = Peer::connect(trial.server.address, Source::BYSTANDER).await?;
    author
        .reply(&Message::call(1, "relist", &json!({})))
        .await?;
    let heard = all_heard(&mut told, count).await.context("the news")?;
    let last = heard.into_iter().max().unwrap_or(told_at);
    held.push(Held::within(
        "time until all are notified",
        last - told_at,
        Duration::from_secs(scale.pick(5, 2)),
    ));
    drop(listening);
    let asked = format!(
        "{count} connections that listen (opened in {:.1} s), and one change",
        opened.as_secs_f64()
    );
    let bounds = Bounds {
        growth: count as u64 * BYTES + (8 << 20),
        bystander: scale.bearable(0, 1_000),
    };
    trial.end("listens", asked, bounds, held).await
}

/// Tells when it was acknowledged, and of each change when it was heard.
async fn listen(mut peer: Peer, number: usize, tell: mpsc::UnboundedSender<Instant>) -> Result<()> {
    let uri = format!("load://item/{number}");
    peer.open_events(&Message::listen(number as u64, &[uri]))
        .await?;
    let mut expected = "notifications/subscriptions/acknowledged";
    while let Some(event) = peer.event().await? {
        ensure!(event["method"] == expected, "not {expected}: {event}");
        let meta = &event["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
        ensure!(*meta == number, "another's event: {event}");
        expected = "notifications/resources/list_changed";
        tell.send(Instant::now())?;
    }
    Ok(())
}

async fn all_heard(
    told: &mut mpsc::UnboundedReceiver<Instant>,
    count: usize,
) -> Result<Vec<Instant>> {
    let mut heard = Vec::new();
    while heard.len() < count {
        let next = timeout(PATIENCE, told.recv()).await;
        let missing = || format!("{} of {count} have not heard", count - heard.len());
        heard.push(next.ok().flatten().with_context(missing)?);
    }
    Ok(heard)
}

/// How much of a core the server takes for a while, in percent.
async fn busy(server: &Server, lasting: Duration) -> Result<f64> {
    let (start, before) = (Instant::now(), server.usage()?.processor);
    sleep(lasting).await;
    let took = server.usage()?.processor.saturating_sub(before);
    Ok(took.as_secs_f64() / start.elapsed().as_secs_f64() * 100.0)
}
