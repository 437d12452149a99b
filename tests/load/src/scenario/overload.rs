//! Five times as many calls as can be served: what is served does not get less, and what is not is told so at once.

use std::time::Duration;

use anyhow::Result;
use serde_json::json;

use crate::drive::{Drive, Driven};
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

/// Calls of one kind: first by as few as the server serves at its best, then by too many.
struct Pressed {
    /// Served a second at best.
    capacity: f64,
    best: Driven,
    over: Driven,
    /// How long the many called.
    lasting: Duration,
}

impl Pressed {
    /// The many call as soon as they are answered or, where there are `times`, so many times as often as is possible.
    async fn press(
        server: &Server,
        scale: Scale,
        message: &Message,
        (few, many): (usize, usize),
        times: Option<u32>,
    ) -> Result<Self> {
        let alone = Drive::new(message, few, scale.seconds(1, 5));
        let best = alone.run(server).await?;
        let capacity = best.served_a_second();
        let lasting = scale.seconds(2, 30);
        let drive = Drive::new(message, many, lasting);
        let drive = match times {
            Some(times) => drive.at(capacity * f64::from(times)),
            None => drive,
        };
        let over = drive.run(server).await?;
        // Once more, because other processes may have become busy meanwhile.
        let afterwards = alone.run(server).await?.served_a_second();
        Ok(Self {
            capacity: capacity.min(afterwards),
            best,
            over,
            lasting,
        })
    }

    /// What must be left of the best.
    fn served(&self, calls: &str, scale: Scale) -> Held {
        Held::least(
            &format!("{calls} calls served per second"),
            self.over.served_a_second(),
            (self.capacity * scale.pick(0.5, 0.8)).round(),
        )
    }
}

/// CPU is plentiful, and places are scarce.
async fn waiting(server: &Server, scale: Scale) -> Result<(String, Vec<Held>)> {
    let milliseconds = scale.pick(200, 20);
    let message = Message::call(1, "wait", &json!({"milliseconds": milliseconds}));
    // Two places are left for the bystander.
    let clients = (REQUESTS - 2, REQUESTS * 10);
    let pressed = Pressed::press(server, scale, &message, clients, Some(TIMES)).await?;
    let (served, refused) = (&pressed.over.served, &pressed.over.refused);
    let alone = pressed.best.served.percentile(99);
    let alone = alone.max(Duration::from_millis(milliseconds));
    let refused_within = Duration::from_millis(scale.pick(500, 50));
    let held = vec![
        Held::least(
            "waiting calls sent per second",
            pressed.over.asked_a_second(),
            pressed.capacity * 4.0,
        ),
        pressed.served("waiting", scale),
        Held::within("p99 of those served", served.percentile(99), alone * 3),
        Held::within("p99 of refusals", refused.percentile(99), refused_within),
    ];
    let asked = format!(
        "with {REQUESTS} calls in flight allowed, {TIMES} x {} calls per second that wait {milliseconds} ms, for {} s",
        pressed.capacity,
        pressed.lasting.as_secs()
    );
    Ok((asked, held))
}

/// Places are plentiful, and CPU is scarce.
async fn computing(server: &Server, scale: Scale) -> Result<(String, Vec<Held>)> {
    let message = Message::call(2, "spin", &json!({"microseconds": 1_000, "text": "x"}));
    let many = COMPUTING * TIMES as usize;
    let pressed = Pressed::press(server, scale, &message, (COMPUTING, many), None).await?;
    let (served, refused) = (&pressed.over.served, &pressed.over.refused);
    let slower = pressed.best.served.percentile(50) * TIMES * scale.pick(20, 6);
    let held = vec![
        pressed.served("compute-bound", scale),
        Held::exactly("compute-bound calls refused", refused.count(), 0),
        Held::within("p99 of compute-bound calls", served.percentile(99), slower),
    ];
    let asked = format!(
        "{many} clients whose calls take 1 ms of CPU each, for {} s (alone, {COMPUTING} of them got {} per second)",
        pressed.lasting.as_secs(),
        pressed.capacity
    );
    Ok((asked, held))
}
