//! Connections that come and go, in good order and in bad.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant as Moment, sleep_until};

use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let rate = scale.pick(400, 2_000);
    let lasting = scale.seconds(2, 15);
    let trial = Trial::begin(&Settings::default()).await?;
    let count = rate * u32::try_from(lasting.as_secs())?;
    let (address, start) = (trial.server.address, Moment::now());
    let mut all = JoinSet::new();
    for number in 0..count {
        sleep_until(start + Duration::from_secs(1) * number / rate).await;
        all.spawn(come_and_go(address, number));
        while let Some(end) = all.try_join_next() {
            end??;
        }
    }
    for end in all.join_all().await {
        end?;
    }
    let took = Instant::now() - start.into_std();
    let achieved = (f64::from(count) / took.as_secs_f64()).round();
    let held = vec![Held::least(
        "connections per second",
        achieved,
        f64::from(rate) * 0.5,
    )];
    let asked = format!(
        "{count} connections, {rate} a second: closed at once, after a call, reset within a head, and reset while a call runs"
    );
    let bounds = Bounds {
        growth: 24 << 20,
        bystander: scale.bearable(0, 1_000),
    };
    trial.end("churn", asked, bounds, held).await
}

async fn come_and_go(server: SocketAddr, number: u32) -> Result<()> {
    let source = Source::other((number % 500) as usize);
    let mut peer = Peer::connect(server, source).await?;
    match number % 4 {
        0 => {}
        1 => {
            let text = format!("churn {number}");
            let reply = peer.reply(&Message::echo(number.into(), &text)).await?;
            ensure!(
                reply["result"]["content"][0]["text"] == text,
                "another's reply: {reply}"
            );
        }
        2 => {
            peer.send(b"POST /mcp HTTP/1.1\r\nHost: 127.").await?;
            peer.reset();
        }
        _ => {
            let wait = Message::call(number.into(), "wait", &json!({"milliseconds": 1_000}));
            peer.send(&wait.http(server)).await?;
            peer.reset();
        }
    }
    Ok(())
}
