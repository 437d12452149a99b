//! The soak: for minutes, all kinds of clients act at the same time, with random choices. Every
//! reply is checked, and the server's resource usage must not grow.

use std::fs;
use std::io::{self, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::actor::{Actor, Stage};
use crate::flat::Samples;
use crate::message::Message;
use crate::peer::{Peer, Source};
use crate::process::Server;
use crate::report::{Held, mebibytes};
use crate::served::Gauges;
use crate::served::Settings;
use crate::tally::Tally;
use crate::usage::Usage;

/// The time after which the server must have released all resources of former clients, with the
/// limits below.
const QUIET: Duration = Duration::from_secs(25);
/// The allowed increase of descriptors and tasks.
const COMING_AND_GOING: usize = 5;

/// Short limits, so that each is reached many times.
fn settings(directory: std::path::PathBuf) -> Settings {
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    Settings {
        directory: Some(directory),
        head: seconds(3),
        body_grace: seconds(3),
        write_stall: seconds(4),
        keep_alive: seconds(2),
        session_idle: seconds(10),
        resume: seconds(5),
        task_ttl: seconds(10),
        ..Settings::default()
    }
}

/// Runs the soak, and returns the requirements.
pub(crate) async fn run(lasting: Duration, seed: u64) -> Result<Vec<Held>> {
    let directory = tempfile::tempdir()?;
    let files = directory.path().join("soak");
    fs::create_dir(&files)?;
    let server = Server::start(&settings(files.clone()))?;
    let (start, tally) = (Instant::now(), Arc::new(Tally::default()));
    let watcher = || Peer::connect(server.address, Source::WATCHER);
    let (before, gauges_before) = {
        let mut watcher = watcher().await?;
        (server.usage()?, gauges(&mut watcher).await?)
    };
    let stage = Stage {
        server: server.address,
        directory: files,
        end: start + lasting,
        tally: Arc::clone(&tally),
    };
    let actors: JoinSet<()> = Actor::cast()
        .zip(0..)
        .map(|(actor, number)| actor.act(stage.clone(), number, seed))
        .collect();
    let mut samples = Samples::default();
    while start.elapsed() < lasting {
        sleep(Duration::from_secs(1)).await;
        samples.add(start.elapsed(), server.usage()?);
    }
    actors.join_all().await;
    let mut watcher = watcher().await?;
    quiet(&server, &mut watcher, before, gauges_before).await?;
    let (after, gauges_after) = (server.usage()?, gauges(&mut watcher).await?);
    let mut held = tally.judge();
    held.push(samples.judge());
    held.extend(left(before, after, gauges_before, gauges_after));
    let stopped = server.stop(Duration::from_secs(35)).context("at the end")?;
    held.push(Held::within(
        "shutdown, once asked",
        stopped,
        Duration::from_secs(5),
    ));
    writeln!(
        io::stdout(),
        "{}. Memory was {} MiB at the start, {} at its peak, {} at the end.\n",
        tally.summary(),
        mebibytes(before.resident),
        mebibytes(after.peak),
        mebibytes(after.resident),
    )?;
    Ok(held)
}

/// Waits until the server has released the actors' resources, or the time is up.
async fn quiet(server: &Server, watcher: &mut Peer, before: Usage, was: Gauges) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < QUIET {
        let (usage, is) = (server.usage()?, gauges(watcher).await?);
        let all_left = left(before, usage, was, is);
        if all_left.iter().all(|held| held.is_held) {
            break;
        }
        sleep(Duration::from_millis(200)).await;
    }
    Ok(())
}

fn left(before: Usage, after: Usage, was: Gauges, is: Gauges) -> Vec<Held> {
    vec![
        Held::most("handlers still running", is.running, 0),
        Held::most(
            "descriptors afterwards",
            after.descriptors,
            before.descriptors + COMING_AND_GOING,
        ),
        Held::most(
            "runtime tasks afterwards",
            is.tasks,
            was.tasks + COMING_AND_GOING,
        ),
    ]
}

async fn gauges(peer: &mut Peer) -> Result<Gauges> {
    let reply = peer.reply(&Message::call(0, "gauges", &json!({}))).await?;
    Ok(serde_json::from_value(
        reply["result"]["structuredContent"].clone(),
    )?)
}
