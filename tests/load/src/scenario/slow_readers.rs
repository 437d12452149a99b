//! Replies and events that nobody reads: the server stops when the connection takes no more, and does not wait for ever.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;
use tokio::time::sleep;

use crate::crowd;
use crate::message::Message;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

/// Of one event.
const EVENT: u64 = 4 << 10;
/// Descriptors of connections that come and go beside.
const OTHERS: usize = 3;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let each = scale.pick(16, 64);
    let settings = Settings {
        write_stall: scale.shortened(2),
        ..Settings::default()
    };
    let bytes: u64 = scale.pick(1 << 20, 4 << 20);
    let stall = scale.seconds(2, 30);
    let trial = Trial::begin(&settings).await?;
    let descriptors = trial.server.usage()?.descriptors;
    let mut peers = crowd::connect_from(&trial.server, 0..each * 2, true).await?;
    let large = Message::call(1, "large", &json!({"bytes": bytes}));
    let flood = Message::call(2, "flood", &json!({"messages": 1_000_000, "bytes": EVENT}));
    let flood = flood.with_progress();
    for (number, peer) in peers.iter_mut().enumerate() {
        let message = if number < each { &large } else { &flood };
        peer.send(&message.http(trial.server.address)).await?;
    }
    let asked_at = Instant::now();
    sleep(stall / 2).await;
    let mut held = vec![Held::exactly(
        "handlers waiting for their readers",
        trial.gauges().await?.running,
        each,
    )];
    // Those whose reply took its time to be made have theirs from then on.
    let end = asked_at + stall + scale.seconds(4, 10);
    let (left, running) = loop {
        let left = trial.server.usage()?.descriptors;
        let left = left.saturating_sub(descriptors);
        let running = trial.gauges().await?.running;
        if left <= OTHERS && running == 0 || Instant::now() >= end {
            break (left, running);
        }
        sleep(Duration::from_millis(100)).await;
    };
    held.extend([
        Held::most("connections left at the end", left, OTHERS),
        Held::exactly("handlers left at the end", running, 0),
    ]);
    drop(peers);
    let asked = format!(
        "{each} clients that never read a reply of {} MiB, and {each} that never read an endless stream of progress",
        bytes >> 20
    );
    let growth = each as u64 * (bytes * 2 + (256 << 10)) + (16 << 20);
    let bounds = Bounds {
        growth,
        bystander: scale.bearable(0, 3_000),
    };
    trial.end("slow-readers", asked, bounds, held).await
}
