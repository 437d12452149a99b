//! Sessions of older revisions: opened, used, with answered questions, and ended or abandoned.

use anyhow::{Context, Result, ensure};
use plainly::protocol::types::Content;
use plainly::{Client, Revision};
use serde_json::json;

use crate::actor::Part;
use crate::calls::{answer, answers};
use crate::served::{FIXED, PATH};

const LEGACY: [Revision; 4] = [
    Revision::V2024_11_05,
    Revision::V2025_03_26,
    Revision::V2025_06_18,
    Revision::V2025_11_25,
];

pub(crate) async fn hold_session(part: &mut Part) {
    let outcome = session(part).await;
    part.note("sessions", outcome);
    part.pause(200).await;
}

async fn session(part: &mut Part) -> Result<()> {
    let revision = part.lot.choice(LEGACY).context("there are some")?;
    let url = format!("http://{}{PATH}", part.stage.server);
    let client = Client::http(url)
        .revision(revision)
        .on_elicitation(answer)
        .connect()
        .await?;
    for _ in 0..part.lot.usize(1..20) {
        let nonce = part.nonce();
        match part.lot.usize(..5) {
            0 => {
                let read = client.read(FIXED).await?;
                ensure!(read.contents.len() == 1, "not one: {read:?}");
            }
            1 if has_forms(revision) => answers(&client, &nonce).await?,
            2 => {
                let arguments = json!({"messages": part.lot.usize(..20), "bytes": 100});
                client
                    .call_tool("flood", arguments)
                    .on_progress(|_| {})
                    .await?;
            }
            _ => {
                let reply = client.call_tool("echo", json!({"text": nonce})).await?;
                ensure!(
                    reply.content == [Content::text(&nonce)],
                    "not {nonce}: {reply:?}"
                );
            }
        }
        part.pause(100).await;
    }
    if part.lot.bool() {
        client.close().await;
    }
    Ok(())
}

fn has_forms(revision: Revision) -> bool {
    matches!(revision, Revision::V2025_06_18 | Revision::V2025_11_25)
}
