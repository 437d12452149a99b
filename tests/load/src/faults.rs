//! Misbehaving clients: connections that are cut anywhere, invalid bytes, and slow peers.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::json;
use tokio::time::timeout;

use crate::actor::Part;
use crate::message::Message;
use crate::peer::Peer;

/// The maximum wait for the server's reaction to invalid bytes. Longer than any of its deadlines.
const PATIENCE: Duration = Duration::from_secs(15);

/// A random valid request.
fn any_message(part: &mut Part) -> Message {
    let (nonce, id) = (part.nonce(), part.lot.u64(..));
    match part.lot.usize(..7) {
        0 => Message::call(
            id,
            "wait",
            &json!({"milliseconds": part.lot.u64(..2_000), "text": nonce}),
        ),
        1 => {
            Message::call(id, "flood", &json!({"messages": 1_000, "bytes": 1_000})).with_progress()
        }
        2 => Message::call(id, "large", &json!({"bytes": part.lot.usize(..1 << 20)})),
        3 => Message::listen(id, &[format!("load://item/{nonce}")]),
        4 => Message::call(id, "job", &json!({"milliseconds": 100})).with_tasks(),
        5 => Message::call(id, "ask", &json!({"text": nonce})).with_forms(),
        _ => Message::echo(id, &nonce),
    }
}

/// Sends a request up to a random position, or completely, reads a part of the response or nothing,
/// and disconnects.
pub(crate) async fn cut(part: &mut Part) {
    let outcome = cut_off(part).await;
    part.note("connections cut", outcome);
}

async fn cut_off(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect(part.stage.server, part.source).await?;
    let request = any_message(part).http(part.stage.server);
    let sent = match part.lot.bool() {
        true => request.len(),
        false => part.lot.usize(..request.len()),
    };
    peer.send(request.get(..sent).unwrap_or_default()).await?;
    part.pause(100).await;
    // Whether and what the server responds depends on the position of the cut.
    let some = part.lot.usize(1..20_000);
    timeout(Duration::from_millis(50), peer.skip(some))
        .await
        .ok();
    if part.lot.bool() {
        peer.reset();
    }
    Ok(())
}

/// Changes bytes of a request. The server must respond correctly or close the connection, and never
/// leave the client waiting.
pub(crate) async fn mumble(part: &mut Part) {
    let outcome = match part.lot.bool() {
        true => garbled_body(part).await,
        false => garbled(part).await,
    };
    part.note("requests garbled", outcome);
}

/// The framing is valid, so there must be a response.
async fn garbled_body(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect(part.stage.server, part.source).await?;
    let message = Message::echo(part.lot.u64(..), &part.nonce());
    let mut body = message.body().into_bytes();
    garble(part, &mut body);
    let mut request = message.head(part.stage.server, body.len()).into_bytes();
    request.extend_from_slice(&body);
    peer.send(&request).await?;
    let head = timeout(PATIENCE, peer.head())
        .await
        .context("no answer to a garbled body")??;
    ensure!(
        (200..500).contains(&head.status),
        "status {} for a garbled body",
        head.status
    );
    Ok(())
}

async fn garbled(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect(part.stage.server, part.source).await?;
    let mut request = Message::echo(1, &part.nonce()).http(part.stage.server);
    garble(part, &mut request);
    // The server may have closed the connection already.
    peer.send(&request).await.ok();
    timeout(PATIENCE, peer.skip(1))
        .await
        .context("neither answered nor closed")?;
    Ok(())
}

fn garble(part: &mut Part, bytes: &mut Vec<u8>) {
    for _ in 0..part.lot.usize(1..4) {
        let at = part.lot.usize(..bytes.len());
        match part.lot.usize(..3) {
            0 => bytes.truncate(at.max(1)),
            1 => bytes.insert(at, part.lot.u8(..)),
            _ => bytes
                .get_mut(at)
                .into_iter()
                .for_each(|byte| *byte = part.lot.u8(..)),
        }
    }
}

/// Sends a byte from time to time, or reads nothing. The server must close the connection after a
/// while.
pub(crate) async fn be_slow(part: &mut Part) {
    let outcome = match part.lot.bool() {
        true => slow_writer(part).await,
        false => slow_reader(part).await,
    };
    part.note("slow peers", outcome);
}

async fn slow_writer(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect(part.stage.server, part.source).await?;
    let request = Message::echo(1, &"x".repeat(10_000)).http(part.stage.server);
    let (first, rest) = request.split_at(part.lot.usize(..1_000));
    peer.send(first).await?;
    let start = Instant::now();
    for byte in rest {
        if timeout(Duration::from_millis(500), peer.closed())
            .await
            .is_ok()
        {
            return Ok(());
        }
        ensure!(start.elapsed() < PATIENCE, "a slow writer is never closed");
        peer.send(&[*byte]).await.ok();
    }
    Ok(())
}

/// Doesn't read for a while, and then disconnects or reads the response.
async fn slow_reader(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect_narrow(part.stage.server, part.source).await?;
    let message = match part.lot.bool() {
        true => Message::call(1, "large", &json!({"bytes": 1 << 20})),
        false => {
            Message::call(1, "flood", &json!({"messages": 100_000, "bytes": 1_000})).with_progress()
        }
    };
    peer.send(&message.http(part.stage.server)).await?;
    part.pause(8_000).await;
    timeout(Duration::from_millis(500), peer.closed())
        .await
        .ok();
    Ok(())
}
