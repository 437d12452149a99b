//! Calls that run as tasks: polled until they are done, cancelled, or abandoned.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde_json::json;

use crate::actor::Part;
use crate::message::Message;
use crate::peer::Peer;

/// The maximum wait for a short task.
const PATIENCE: Duration = Duration::from_secs(10);

pub(crate) async fn task(part: &mut Part) {
    let outcome = one(part).await;
    part.note("tasks", outcome);
    part.pause(200).await;
}

async fn one(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect(part.stage.server, part.source).await?;
    let nonce = part.nonce();
    let job = json!({"milliseconds": part.lot.u64(..500), "text": nonce});
    let begun = peer
        .reply(&Message::call(1, "job", &job).with_tasks())
        .await?;
    let name = begun["result"]["taskId"]
        .as_str()
        .with_context(|| format!("no task: {begun}"))?;
    match part.lot.usize(..4) {
        0 => Ok(()),
        1 => {
            let cancelled = peer
                .reply(&Message::of_task(2, "tasks/cancel", name))
                .await?;
            ensure!(
                cancelled["result"].is_object(),
                "not cancelled: {cancelled}"
            );
            Ok(())
        }
        _ => wait(part, &mut peer, name, &nonce).await,
    }
}

async fn wait(part: &mut Part, peer: &mut Peer, name: &str, nonce: &str) -> Result<()> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        let found = peer.reply(&Message::of_task(3, "tasks/get", name)).await?;
        match found["result"]["status"].as_str() {
            Some("working") => part.pause(100).await,
            Some("completed") if found.to_string().contains(nonce) => return Ok(()),
            _ => bail!("not done: {found}"),
        }
    }
    bail!("it is never done")
}
