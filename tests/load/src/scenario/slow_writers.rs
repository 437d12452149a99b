//! Slowloris and its kin: heads and bodies that come byte by byte, or never. Each has its deadline, whatever comes meanwhile.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::time::timeout;

use crate::crowd;
use crate::latency::Latencies;
use crate::message::Message;
use crate::peer::Peer;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::settings::Settings;
use crate::trial::{Bounds, Trial};

/// A way to be slow.
#[derive(Clone, Copy, Debug)]
struct Manner {
    what: &'static str,
    /// What is sent at once.
    first: fn(&Message, std::net::SocketAddr) -> String,
    /// A byte after each such time.
    trickle: Option<Duration>,
    /// Whether a body is what the server waits for, and not a head.
    is_body: bool,
}

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    let manners = manners(scale);
    let each = scale.connections(1_000, 5_000) / manners.len();
    let settings = Settings {
        head: scale.shortened(2),
        body_grace: scale.shortened(2),
        ..Settings::default()
    };
    let (head, body) = (scale.seconds(2, 10), scale.seconds(2, 5));
    let slack = scale.pick(Duration::from_millis(1_500), Duration::from_secs(1));
    let trial = Trial::begin(&settings).await?;
    let mut all = tokio::task::JoinSet::new();
    for (index, manner) in manners.into_iter().enumerate() {
        let numbers = index * each..(index + 1) * each;
        let message = Message::echo(1, &"x".repeat(1 << 10));
        for peer in crowd::connect_from(&trial.server, numbers, false).await? {
            let first = (manner.first)(&message, trial.server.address);
            let most = if manner.is_body { body } else { head } + slack * 4;
            all.spawn(async move { (index, be_slow(peer, first, manner.trickle, most).await) });
        }
    }
    let closed = all.join_all().await;
    let mut held = Vec::new();
    for (index, manner) in manners.iter().enumerate() {
        let of = closed
            .iter()
            .filter(|(of, _)| *of == index)
            .map(|(_, time)| *time);
        let slowest = Latencies::new(of).percentile(100);
        let deadline = if manner.is_body { body } else { head };
        held.push(Held::within(
            &format!("last one closed: {}", manner.what),
            slowest,
            deadline + slack,
        ));
    }
    let asked = format!(
        "{each} connections each of: {}",
        manners.map(|manner| manner.what).join("; ")
    );
    let all = (each * manners.len()) as u64;
    let bounds = Bounds {
        growth: all * (32 << 10) + (8 << 20),
        bystander: scale.bearable(0, 500),
    };
    trial.end("slow-writers", asked, bounds, held).await
}

fn manners(scale: Scale) -> [Manner; 5] {
    let every = scale.pick(Duration::from_millis(500), Duration::from_secs(5));
    let head = |message: &Message, server| message.head(server, message.body().len());
    [
        Manner {
            what: "not a byte",
            first: |_, _| String::new(),
            trickle: None,
            is_body: false,
        },
        Manner {
            what: "part of the HTTP/2 preface",
            first: |_, _| "PRI * HT".to_owned(),
            trickle: None,
            is_body: false,
        },
        Manner {
            what: "a head, byte by byte",
            first: |_, _| "POST /mcp HTTP/1.1\r\nX-Slow: ".to_owned(),
            trickle: Some(every),
            is_body: false,
        },
        Manner {
            what: "a body, one byte per second",
            first: head,
            trickle: Some(Duration::from_secs(1)),
            is_body: true,
        },
        Manner {
            what: "a declared body that never arrives",
            first: head,
            trickle: None,
            is_body: true,
        },
    ]
}

/// After how long the server closed.
async fn be_slow(
    mut peer: Peer,
    first: String,
    trickle: Option<Duration>,
    most: Duration,
) -> Duration {
    let start = Instant::now();
    // If it is closed already, that shows in a moment.
    peer.send(first.as_bytes()).await.ok();
    let pause = trickle.unwrap_or(most);
    while start.elapsed() < most {
        if timeout(pause, peer.closed()).await.is_ok() {
            break;
        }
        peer.send(b"x").await.ok();
    }
    start.elapsed()
}
