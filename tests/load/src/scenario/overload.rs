//! Five times as many calls as can be served: what is served does not get less, and what is not is told so at once.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use crate::drive::Drive;
use crate::message::Message;
use crate::process::Server;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

/// Calls in flight that may be.
const REQUESTS: usize = 16;
/// How much more is asked for than can be.
const TIMES: u32 = 5;
/// Who computes at the same time when the server is at its best.
const COMPUTING: usize = 8;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let settings = Settings {
        requests: Some(REQUESTS),
        ..Settings::default()
    };
    let trial = Trial::begin(&settings).await?;
    let (waiting, mut held) = waiting(&trial.server, scale).await?;
    let (computing, of_computing) = computing(&trial.server, scale).await?;
    held.extend(of_computing);
    // The bystander takes its chance among the many.
    let bounds = Bounds {
        growth: 16 << 20,
        bystander: None,
    };
    trial
        .end(
            "overload",
            format!("{waiting}; then {computing}"),
            bounds,
            held,
        )
        .await
}

/// With the processor to spare: places are what is short.
async fn waiting(server: &Server, scale: Scale) -> Result<(String, Vec<Held>)> {
    let milliseconds = scale.pick(200, 20);
    let message = Message::call(1, "wait", &json!({"milliseconds": milliseconds}));
    // Two places are left for the bystander.
    let peak = Drive::new(&message, REQUESTS - 2, scale.seconds(1, 5))
        .run(server)
        .await?;
    let capacity = peak.served_a_second();
    let lasting = scale.seconds(2, 30);
    let drive = Drive::new(&message, REQUESTS * 10, lasting).at(capacity * f64::from(TIMES));
    let over = drive.run(server).await?;
    let alone = peak
        .served
        .percentile(99)
        .max(Duration::from_millis(milliseconds));
    let refused_within = Duration::from_millis(scale.pick(500, 50));
    let held = vec![
        Held::least(
            "of waiting calls asked a second",
            over.asked_a_second(),
            capacity * 4.0,
        ),
        Held::least(
            "of waiting calls served a second",
            over.served_a_second(),
            share(capacity, scale),
        ),
        Held::within("p99 of those served", over.served.percentile(99), alone * 3),
        Held::within(
            "p99 of refusals",
            over.refused.percentile(99),
            refused_within,
        ),
    ];
    let asked = format!(
        "with {REQUESTS} calls in flight allowed, {TIMES} x {capacity} calls a second that wait {milliseconds} ms, for {} s",
        lasting.as_secs()
    );
    Ok((asked, held))
}

/// With no place short: the processor is.
async fn computing(server: &Server, scale: Scale) -> Result<(String, Vec<Held>)> {
    let message = Message::call(2, "spin", &json!({"microseconds": 1_000, "text": "x"}));
    let best = Drive::new(&message, COMPUTING, scale.seconds(1, 5))
        .run(server)
        .await?;
    let (many, lasting) = (COMPUTING * TIMES as usize, scale.seconds(2, 30));
    let pressed = Drive::new(&message, many, lasting).run(server).await?;
    let capacity = best.served_a_second();
    let slower = best.served.percentile(50) * TIMES * scale.pick(20, 6);
    let held = vec![
        Held::least(
            "of computing calls served a second",
            pressed.served_a_second(),
            share(capacity, scale),
        ),
        Held::exactly("of computing calls refused", pressed.refused.count(), 0),
        Held::within(
            "p99 of computing calls",
            pressed.served.percentile(99),
            slower,
        ),
    ];
    let asked = format!(
        "{many} clients that take 1 ms of the processor each time, for {} s (alone, {COMPUTING} had {capacity} a second)",
        lasting.as_secs()
    );
    Ok((asked, held))
}

/// What must be left of the best.
fn share(best: f64, scale: Scale) -> f64 {
    (best * scale.pick(0.5, 0.8)).round()
}
