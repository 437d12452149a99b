//! Clients that listen. Each must only be notified of its own resource, and disconnects in one way
//! or another.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::timeout;

use crate::actor::Part;
use crate::message::Message;
use crate::peer::Peer;

/// The maximum wait for a notification.
const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) async fn listen(part: &mut Part) {
    let outcome = hear(part).await;
    part.note("listens", outcome);
}

async fn hear(part: &mut Part) -> Result<()> {
    let id = part.lot.u64(..1 << 32);
    let own = format!("load://item/{}", part.nonce());
    let mut listening = Peer::connect(part.stage.server, part.source).await?;
    listening
        .open_events(&Message::listen(id, std::slice::from_ref(&own)))
        .await?;
    event(&mut listening, id).await?;
    let mut author = Peer::connect(part.stage.server, part.source).await?;
    for _ in 0..part.lot.usize(1..20) {
        let (tool, arguments) = match part.lot.usize(..20) {
            // All listening clients are notified of this change.
            0 => ("relist", json!({})),
            _ => ("update", json!({"uri": own})),
        };
        author.reply(&Message::call(1, tool, &arguments)).await?;
        if tool == "update" {
            while event(&mut listening, id).await? != own {}
        }
        part.pause(300).await;
    }
    if part.lot.bool() {
        listening.reset();
    }
    Ok(())
}

/// The URI in the next event; empty if it has none.
async fn event(listening: &mut Peer, id: u64) -> Result<String> {
    let event = timeout(PATIENCE, listening.event())
        .await
        .context("no news in time")??;
    let event = event.context("the stream has ended")?;
    let meta = &event["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    ensure!(*meta == id, "another's event: {event}");
    Ok(event["params"]["uri"]
        .as_str()
        .unwrap_or_default()
        .to_owned())
}
