//! Calls from many connections for a while, each the next as soon as it is answered or, at a constant rate, when it is due.

use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;
use tokio::time::sleep_until;

use crate::crowd;
use crate::latency::Latencies;
use crate::message::Message;
use crate::peer::Peer;
use crate::process::Server;

/// Who calls how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive<'a> {
    message: &'a Message,
    connections: u32,
    lasting: Duration,
    /// Calls a second of all together; none if the answer is what each waits for.
    rate: Option<f64>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub(crate) struct Driven {
    pub(crate) served: Latencies,
    pub(crate) refused: Latencies,
    seconds: f64,
}

/// Whether a call was served, and how long that took.
type Call = (bool, Duration);

impl<'a> Drive<'a> {
    pub(crate) fn new(message: &'a Message, connections: usize, lasting: Duration) -> Self {
        let connections = u32::try_from(connections).expect("there are fewer addresses");
        Self {
            message,
            connections,
            lasting,
            rate: None,
        }
    }

    /// At so many calls a second.
    pub(crate) fn at(self, rate: f64) -> Self {
        Self {
            rate: Some(rate),
            ..self
        }
    }

    pub(crate) async fn run(self, server: &Server) -> Result<Driven> {
        let peers = crowd::connect(server, self.connections as usize).await?;
        let start = Instant::now();
        let period = self
            .rate
            .map(|rate| Duration::from_secs_f64(f64::from(self.connections) / rate));
        let calling: JoinSet<_> = peers
            .into_iter()
            .zip(0..)
            .map(|(peer, number)| {
                let first = start + period.unwrap_or_default() * number / self.connections;
                call(
                    peer,
                    self.message.clone(),
                    first,
                    period,
                    start + self.lasting,
                )
            })
            .collect();
        let calls = calling
            .join_all()
            .await
            .into_iter()
            .collect::<Result<Vec<_>>>()?
            .concat();
        let of = |is_served: bool| {
            let times = calls.iter().filter(|(served, _)| *served == is_served);
            Latencies::new(times.map(|(_, time)| *time))
        };
        let seconds = start.elapsed().as_secs_f64();
        Ok(Driven {
            served: of(true),
            refused: of(false),
            seconds,
        })
    }
}

impl Driven {
    pub(crate) fn served_a_second(&self) -> f64 {
        (self.served.count() as f64 / self.seconds).round()
    }

    pub(crate) fn asked_a_second(&self) -> f64 {
        let all = self.served.count() + self.refused.count();
        (all as f64 / self.seconds).round()
    }
}

/// Calls on one connection until the end.
async fn call(
    mut peer: Peer,
    message: Message,
    first: Instant,
    period: Option<Duration>,
    end: Instant,
) -> Result<Vec<Call>> {
    let mut calls = Vec::new();
    let mut due = first;
    while due < end {
        sleep_until(due.into()).await;
        let sent = Instant::now();
        let (head, _) = peer.ask(&message).await?;
        calls.push((head.status == 200, sent.elapsed()));
        // Who is late does not catch up: the next call of a person comes after the last.
        due = period.map_or_else(Instant::now, |period| (due + period).max(Instant::now()));
    }
    Ok(calls)
}
