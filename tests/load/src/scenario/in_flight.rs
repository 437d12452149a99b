//! More requests in flight than there may be: those beyond are told at once to come again.

use std::time::{Duration, Instant};

use anyhow::Result;
use serde_json::json;
use tokio::task::JoinSet;

use crate::crowd;
use crate::latency::Latencies;
use crate::message::Message;
use crate::peer::{Head, Peer};
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let limit = scale.pick(400, 4_096);
    let all = limit + limit / 4;
    let requests = scale.is_short.then_some(limit);
    let trial = Trial::begin(&Settings {
        requests,
        ..Settings::default()
    })
    .await?;
    // How long each call takes; all are sent within it.
    let lasting = scale.seconds(3, 4);
    let wait = json!({"milliseconds": u64::try_from(lasting.as_millis())?});
    let peers = crowd::connect(&trial.server, all).await?;
    let asking: JoinSet<_> = peers
        .into_iter()
        .zip(0..)
        .map(|(peer, number)| ask(peer, Message::call(number, "wait", &wait)))
        .collect();
    let answers = asking
        .join_all()
        .await
        .into_iter()
        .collect::<Result<Vec<_>>>()?;
    let asked = format!(
        "{all} calls at once that take {} s each, of which {limit} may be in flight",
        lasting.as_secs()
    );
    let while_full = usize::try_from(lasting.as_secs() + 2)? * 100;
    let growth = all as u64 * (48 << 10) + (8 << 20);
    let bounds = Bounds {
        growth,
        bystander: scale.bearable(while_full, 1_000),
    };
    trial
        .end("in-flight", asked, bounds, judge(&answers, limit))
        .await
}

async fn ask(mut peer: Peer, message: Message) -> Result<(Head, Duration)> {
    let start = Instant::now();
    let (head, _) = peer.ask(&message).await?;
    Ok((head, start.elapsed()))
}

fn judge(answers: &[(Head, Duration)], limit: usize) -> Vec<Held> {
    let admitted = answers
        .iter()
        .filter(|(head, _)| head.status == 200)
        .count();
    let refused: Vec<_> = answers
        .iter()
        .filter(|(head, _)| head.status == 503)
        .collect();
    let told_when = refused
        .iter()
        .filter(|(head, _)| head.has_retry_after)
        .count();
    let refusals = Latencies::new(refused.iter().map(|(_, time)| *time));
    vec![
        Held::most("calls served", admitted, limit),
        // A few places are the bystander's.
        Held::least("calls served", admitted, limit - 20),
        Held::exactly(
            "calls served or refused",
            admitted + refused.len(),
            answers.len(),
        ),
        Held::exactly("refusals with `Retry-After`", told_when, refused.len()),
        Held::within(
            "p99 of refusals, of all sent at once",
            refusals.percentile(99),
            Duration::from_secs(2),
        ),
    ]
}
