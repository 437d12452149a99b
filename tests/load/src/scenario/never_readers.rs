//! Listeners that never read, while a resource changes all the time: nothing piles up for them, and others hear on.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant as Moment, sleep_until};

use crate::crowd;
use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::process::Server;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

/// Of the URI, which each event has: it is soon that the operating system takes no more.
const URI_BYTES: usize = 4 << 10;

/// What one who never reads may cost: its connection, its URI some times, and the 64 KiB that are gathered before a connection is
/// written.
const EACH: u64 = 112 << 10;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let (deaf, hearing) = scale.pick((40, 10), (1_000, 100));
    // Changes a second.
    let rate = scale.pick(10, 20);
    let settings = Settings {
        write_stall: scale.shortened(2),
        ..Settings::default()
    };
    let lasting = scale.seconds(8, 45);
    let trial = Trial::begin(&settings).await?;
    let uri = format!("load://item/{}", "x".repeat(URI_BYTES));
    let message = Message::listen(1, std::slice::from_ref(&uri));

    let alone = trial.server.usage()?.descriptors;
    let mut never = crowd::connect_from(&trial.server, 0..deaf, true).await?;
    for peer in &mut never {
        peer.send(&message.http(trial.server.address)).await?;
    }
    let listeners = crowd::connect_from(&trial.server, deaf..deaf + hearing, false).await?;
    let end = Instant::now() + lasting;
    let hearing: JoinSet<_> = listeners
        .into_iter()
        .map(|peer| hear(peer, message.clone(), end))
        .collect();
    let changes = change(&trial.server, &uri, rate, end).await?;
    let heard: Vec<Heard> = hearing
        .join_all()
        .await
        .into_iter()
        .collect::<Result<_>>()?;
    let left = trial
        .server
        .usage()?
        .descriptors
        .saturating_sub(alone + heard.len());
    let mut held = judge(&heard, changes);
    held.extend([
        Held::least(
            "changes per second",
            f64::from(changes) / lasting.as_secs_f64(),
            f64::from(rate) * 0.5,
        ),
        Held::most("connections that never read and are still open", left, 5),
    ]);
    drop(never);
    let asked = format!(
        "{deaf} who listen and never read, {} who do, and {changes} changes in {} s of a resource whose URI has 4 KiB",
        heard.len(),
        lasting.as_secs()
    );
    let bounds = Bounds {
        growth: deaf as u64 * EACH + (16 << 20),
        bystander: scale.bearable(0, 1_000),
    };
    trial.end("never-readers", asked, bounds, held).await
}

/// How the others fared.
fn judge(heard: &[Heard], changes: u32) -> Vec<Held> {
    let fewest = heard
        .iter()
        .map(|heard| heard.events)
        .min()
        .unwrap_or_default();
    let longest = heard
        .iter()
        .map(|heard| heard.longest_silence)
        .max()
        .unwrap_or_default();
    vec![
        Held::least(
            "events that each of the others receives",
            fewest,
            changes as usize / 2,
        ),
        Held::within(
            "longest silence for any of the others",
            longest,
            Duration::from_secs(2),
        ),
    ]
}

struct Heard {
    events: usize,
    longest_silence: Duration,
}

async fn hear(mut peer: Peer, message: Message, end: Instant) -> Result<Heard> {
    peer.open_events(&message).await?;
    peer.event().await?;
    let mut heard = Heard {
        events: 0,
        longest_silence: Duration::ZERO,
    };
    let mut last = Instant::now();
    while let Ok(event) = tokio::time::timeout_at(end.into(), peer.event()).await {
        if event?.is_none() {
            anyhow::bail!("its stream was ended");
        }
        heard.events += 1;
        heard.longest_silence = heard.longest_silence.max(last.elapsed());
        last = Instant::now();
    }
    heard.longest_silence = heard.longest_silence.max(last.elapsed());
    Ok(heard)
}

/// Changes the resource until the end; how often.
async fn change(server: &Server, uri: &str, rate: u32, end: Instant) -> Result<u32> {
    let mut author = Peer::connect(server.address, Source::BYSTANDER).await?;
    let start = Moment::now();
    let update = json!({"uri": uri});
    let mut changes = 0;
    while Instant::now() < end {
        author
            .reply(&Message::call(changes.into(), "update", &update))
            .await?;
        changes += 1;
        sleep_until(start + Duration::from_secs(1) * changes / rate).await;
    }
    Ok(changes)
}
