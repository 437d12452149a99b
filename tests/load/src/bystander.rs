//! A client that does no harm: calls at a constant rate over connections that it keeps, from a thread of its own. A call's time
//! counts from when it was to be sent, so that one that is held up counts for all that wait behind it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use tokio::time::{sleep_until, timeout};

use crate::latency::Latencies;
use crate::message::Message;
use crate::peer::{Peer, Source};

/// Calls a second.
const RATE: u32 = 100;
/// Connections that take turns: enough for calls of 150 ms.
const LANES: u32 = 16;
/// After which a call has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// It calls until it is told to stop.
#[derive(Debug)]
pub(crate) struct Bystander {
    is_over: Arc<AtomicBool>,
    thread: JoinHandle<Result<Calls>>,
}

/// All that were made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Calls(Vec<Call>);

#[derive(Clone, Debug)]
struct Call {
    /// When it was to be sent.
    due: Instant,
    took: Duration,
    failure: Option<String>,
}

impl Bystander {
    /// Makes `calls` in turn, and looks at the answer to each.
    pub(crate) fn start(server: SocketAddr, asked: Asked) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&is_over);
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()?;
            Ok(runtime.block_on(all_lanes(server, asked, told)))
        });
        Self { is_over, thread }
    }

    pub(crate) fn stop(self) -> Result<Calls> {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread
            .join()
            .map_err(|_| anyhow!("the bystander panicked"))?
    }
}

/// What a bystander asks for.
#[derive(Clone, Debug)]
pub(crate) enum Asked {
    /// Its own words, which nobody else says.
    Echo,
    /// A resource, with this in its text.
    Read { uri: String, text: String },
}

impl Asked {
    fn message(&self, number: u64) -> (Message, String) {
        match self {
            Self::Echo => {
                let nonce = format!("bystander {number:016x}");
                (Message::echo(number, &nonce), nonce)
            }
            Self::Read { uri, text } => (Message::read(number, uri), text.clone()),
        }
    }
}

async fn all_lanes(server: SocketAddr, asked: Asked, is_over: Arc<AtomicBool>) -> Calls {
    let start = Instant::now();
    let lanes: Vec<_> = (0..LANES)
        .map(|lane| {
            tokio::spawn(one_lane(
                server,
                asked.clone(),
                start,
                lane,
                Arc::clone(&is_over),
            ))
        })
        .collect();
    let mut all = Vec::new();
    for lane in lanes {
        // One that panicked has made no calls, which shows in their number.
        all.extend(lane.await.unwrap_or_default());
    }
    all.sort_by_key(|call| call.due);
    Calls(all)
}

async fn one_lane(
    server: SocketAddr,
    asked: Asked,
    start: Instant,
    lane: u32,
    is_over: Arc<AtomicBool>,
) -> Vec<Call> {
    let mut calls = Vec::new();
    let mut connection = None;
    for number in (lane..).step_by(LANES as usize) {
        let due = start + Duration::from_secs(1) * number / RATE;
        sleep_until(due.into()).await;
        if is_over.load(Ordering::Relaxed) {
            break;
        }
        let (message, text) = asked.message(number.into());
        let outcome = timeout(PATIENCE, call(server, &mut connection, &message, &text)).await;
        let outcome = outcome
            .context("no answer in time")
            .and_then(|outcome| outcome);
        if outcome.is_err() {
            connection = None;
        }
        calls.push(Call {
            due,
            took: due.elapsed(),
            failure: outcome.err().map(|error| format!("{error:#}")),
        });
    }
    calls
}

async fn call(
    server: SocketAddr,
    connection: &mut Option<Peer>,
    message: &Message,
    text: &str,
) -> Result<()> {
    let mut peer = match connection.take() {
        Some(peer) => peer,
        None => Peer::connect(server, Source::BYSTANDER).await?,
    };
    let reply = peer.reply(message).await?.to_string();
    ensure!(reply.contains(text), "another's reply: {reply}");
    *connection = Some(peer);
    Ok(())
}

impl Calls {
    /// Those that were due in this time.
    pub(crate) fn between(&self, from: Instant, to: Instant) -> Self {
        let due = self.0.iter().filter(|call| (from..to).contains(&call.due));
        Self(due.cloned().collect())
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn failed(&self) -> usize {
        self.0.iter().filter(|call| call.failure.is_some()).count()
    }

    /// What went wrong first.
    pub(crate) fn first_failure(&self) -> Option<&str> {
        self.0.iter().find_map(|call| call.failure.as_deref())
    }

    /// When the last answer came that was none, or late.
    pub(crate) fn last_trouble(&self, late: Duration) -> Option<Instant> {
        let in_trouble = |call: &&Call| call.failure.is_some() || call.took > late;
        self.0
            .iter()
            .filter(in_trouble)
            .map(|call| call.due + call.took)
            .max()
    }

    pub(crate) fn latencies(&self) -> Latencies {
        let good = self.0.iter().filter(|call| call.failure.is_none());
        Latencies::new(good.map(|call| call.took))
    }
}
