//! Valid calls: many over one connection. Each reply must contain the text that its caller sent.

use anyhow::{Result, ensure};
use plainly::Client;
use plainly::protocol::types::{Content, ElicitFormParams, ElicitResult};
use serde_json::json;

use crate::actor::Part;
use crate::message::Message;
use crate::peer::Peer;

/// Makes several calls over one connection.
pub(crate) async fn call(part: &mut Part) {
    let mut peer = match Peer::connect(part.stage.server, part.source).await {
        Ok(peer) => peer,
        Err(error) => return part.note("calls", Err(error)),
    };
    for _ in 0..part.lot.usize(1..200) {
        let outcome = one(part, &mut peer).await;
        let is_broken = outcome.is_err();
        part.note("calls", outcome);
        if is_broken {
            return;
        }
        part.pause(40).await;
    }
}

async fn one(part: &mut Part, peer: &mut Peer) -> Result<()> {
    let (nonce, id) = (part.nonce(), part.lot.u64(..1 << 32));
    let message = match part.lot.usize(..10) {
        0 => Message::call(
            id,
            "wait",
            &json!({"milliseconds": part.lot.u64(..50), "text": nonce}),
        ),
        1 => Message::call(
            id,
            "spin",
            &json!({"microseconds": part.lot.u64(..500), "text": nonce}),
        ),
        2 => Message::read(id, &format!("load://item/{nonce}")),
        3 => Message::echo(
            id,
            &format!("{nonce} {}", "x".repeat(part.lot.usize(..100_000))),
        ),
        4 => return panics(peer, id).await,
        5 => return missing(peer, id, &nonce).await,
        _ => Message::echo(id, &nonce),
    };
    let reply = peer.reply(&message).await?;
    ensure!(
        reply["id"] == id && reply.to_string().contains(&nonce),
        "not {nonce}: {reply}"
    );
    Ok(())
}

/// Checks that a panicking handler only fails its own call.
async fn panics(peer: &mut Peer, id: u64) -> Result<()> {
    let (_, body) = peer.ask(&Message::call(id, "panic", &json!({}))).await?;
    let reply: serde_json::Value = serde_json::from_slice(&body)?;
    let is_failure = reply["error"].is_object() || reply["result"]["isError"] == true;
    ensure!(reply["id"] == id && is_failure, "not a failure: {reply}");
    Ok(())
}

async fn missing(peer: &mut Peer, id: u64, nonce: &str) -> Result<()> {
    let uri = format!("load://nothing/{nonce}");
    let reply = peer.reply(&Message::read(id, &uri)).await?;
    ensure!(
        reply["id"] == id && reply["error"]["data"]["uri"] == uri,
        "not missing: {reply}"
    );
    Ok(())
}

/// Makes a call whose handler asks a question first.
pub(crate) async fn be_asked(part: &mut Part) {
    let nonce = part.nonce();
    let outcome = asked(
        format!("http://{}{}", part.stage.server, crate::served::PATH),
        nonce,
    );
    let outcome = outcome.await;
    part.note("questions answered", outcome);
    part.pause(300).await;
}

async fn asked(url: String, nonce: String) -> Result<()> {
    let client = Client::http(url).on_elicitation(answer).connect().await?;
    answers(&client, &nonce).await
}

/// Answers a form with the word in its question.
pub(crate) async fn answer(form: ElicitFormParams) -> ElicitResult {
    ElicitResult::accept([("word", form.message.into())].into())
}

pub(crate) async fn answers(client: &Client, nonce: &str) -> Result<()> {
    let reply = client.call_tool("ask", json!({"text": nonce})).await?;
    let expected = format!("{nonce}: What about {nonce}?");
    ensure!(
        reply.content == [Content::text(&expected)],
        "not {expected}: {reply:?}"
    );
    Ok(())
}
