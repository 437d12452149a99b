//! One scenario under observation: a server, a bystander, and what the server takes before, during and after.

use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::time::sleep;

use crate::bystander::{Asked, Bystander, Calls};
use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::process::Server;
use crate::report::{Beside, Descriptors, Held, Memory, Outcome, mebibytes, milliseconds};
use crate::served::Gauges;
use crate::settings::Settings;
use crate::usage::Usage;

/// For which the bystander is alone, before and after.
const CALM: Duration = Duration::from_secs(1);
/// Within which all must be as before.
const RECOVERY: Duration = Duration::from_secs(5);
/// A bystander's call that took longer is a sign that the abuse is not over.
const LATE: Duration = Duration::from_millis(250);
/// Descriptors that may be more than before: those of connections that come and go.
const COMING_AND_GOING: usize = 5;

/// A scenario that runs.
#[derive(Debug)]
pub(crate) struct Trial {
    pub(crate) server: Server,
    bystander: Bystander,
    begun: Instant,
    before: Usage,
    gauges_before: Option<Gauges>,
}

/// What is to hold whatever the scenario.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    /// Bytes that the abuse may add at its peak.
    pub(crate) growth: u64,
    /// How the bystander may fare; anyhow, if it is one of those who are too many.
    pub(crate) bystander: Option<Bearable>,
}

/// What a bystander may have to bear.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bearable {
    /// Calls that fail.
    pub(crate) failed: usize,
    /// The time of almost all others, or some times what it was before.
    pub(crate) p99: Duration,
}

impl Trial {
    /// Starts our server, and sees how it fares in peace.
    pub(crate) async fn begin(settings: &Settings) -> Result<Self> {
        let server = Server::start(settings)?;
        let bystander = Bystander::start(server.address, Asked::Echo);
        let mut trial = Self::observe(server, bystander).await?;
        trial.gauges_before = Some(trial.gauges().await?);
        Ok(trial)
    }

    /// The same with any server.
    pub(crate) async fn observe(server: Server, bystander: Bystander) -> Result<Self> {
        sleep(CALM).await;
        server.forget_peak()?;
        let before = server.usage()?;
        Ok(Self {
            server,
            bystander,
            begun: Instant::now(),
            before,
            gauges_before: None,
        })
    }

    /// What our server says of itself.
    pub(crate) async fn gauges(&self) -> Result<Gauges> {
        let mut peer = Peer::connect(self.server.address, Source::BYSTANDER).await?;
        let reply = peer
            .reply(&Message::call(0, "gauges", &serde_json::json!({})))
            .await?;
        Ok(serde_json::from_value(
            reply["result"]["structuredContent"].clone(),
        )?)
    }

    /// How much more memory it has than at first.
    pub(crate) fn growth(&self) -> Result<u64> {
        Ok(self
            .server
            .usage()?
            .resident
            .saturating_sub(self.before.resident))
    }

    /// The abuse is over. Waits until all is as before, or time is over for that, and draws the conclusions.
    pub(crate) async fn end(
        self,
        scenario: &'static str,
        asked: String,
        bounds: Bounds,
        mut held: Vec<Held>,
    ) -> Result<Outcome> {
        let over = Instant::now();
        let most = self.before.descriptors + COMING_AND_GOING;
        let returned = loop {
            if self.server.usage()?.descriptors <= most || over.elapsed() > RECOVERY {
                break over.elapsed();
            }
            sleep(Duration::from_millis(20)).await;
        };
        sleep(CALM).await;
        held.extend(self.left_behind().await?);
        let after = self.server.usage()?;
        let calls = self.bystander.stop()?;
        let trouble = calls.between(over, Instant::now()).last_trouble(LATE);
        let recovery = trouble.map_or(returned, |at| returned.max(at - over));
        let growth = after.peak.saturating_sub(self.before.resident);
        held.push(Held::most(
            "memory added at the peak, MiB",
            mebibytes(growth),
            mebibytes(bounds.growth),
        ));
        held.push(Held::most(
            "descriptors afterwards",
            after.descriptors,
            most,
        ));
        held.push(Held::within("recovery", recovery, RECOVERY));
        let beside = beside(
            &calls.between(self.begun - CALM, self.begun),
            &calls.between(self.begun, over),
            bounds,
            &mut held,
        );
        let stopped = self
            .server
            .stop(Duration::from_secs(10))
            .context("at the end")?;
        held.push(Held::within("shutdown, once asked", stopped, RECOVERY));
        Ok(Outcome {
            scenario,
            asked,
            seconds: self.begun.elapsed().as_secs_f64(),
            bystander: Some(beside),
            memory: Some(Memory {
                before: mebibytes(self.before.resident),
                peak: mebibytes(after.peak),
                after: mebibytes(after.resident),
            }),
            descriptors: Some(Descriptors {
                before: self.before.descriptors,
                after: after.descriptors,
            }),
            recovery_seconds: Some(recovery.as_secs_f64()),
            held,
        })
    }

    /// What no abuse may leave behind in our server.
    async fn left_behind(&self) -> Result<Vec<Held>> {
        let Some(before) = self.gauges_before else {
            return Ok(Vec::new());
        };
        let after = self.gauges().await?;
        Ok(vec![
            Held::most("handlers still running", after.running, 0),
            Held::most(
                "runtime tasks afterwards",
                after.tasks,
                before.tasks + COMING_AND_GOING,
            ),
        ])
    }
}

/// How the bystander fared, and whether that is bearable.
fn beside(before: &Calls, during: &Calls, bounds: Bounds, held: &mut Vec<Held>) -> Beside {
    let (was, is) = (before.latencies(), during.latencies());
    if let Some(Bearable { failed, p99 }) = bounds.bystander {
        let mut failed = Held::most("failed calls of the bystander", during.failed(), failed);
        if let Some(failure) = during.first_failure() {
            failed.found = format!("{}: {failure}", failed.found);
        }
        let most = p99.max(was.percentile(99) * 10);
        held.extend([
            failed,
            Held::within("p99 of the bystander", is.percentile(99), most),
        ]);
    }
    Beside {
        calls: during.count(),
        failed: during.failed(),
        p50_ms: milliseconds(is.percentile(50)),
        p99_ms: milliseconds(is.percentile(99)),
        p50_before_ms: milliseconds(was.percentile(50)),
        p99_before_ms: milliseconds(was.percentile(99)),
    }
}
