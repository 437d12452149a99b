//! Files that change while they are read. Each content must be one that a writer wrote.

use std::fs;

use anyhow::{Context, Result, ensure};

use crate::actor::Part;
use crate::message::Message;
use crate::peer::Peer;

const FILES: [&str; 4] = ["one.txt", "two.txt", "three.txt", "deep/four.txt"];

/// Replaces a file with a new one.
pub(crate) async fn write(part: &mut Part) {
    let outcome = rewrite(part);
    part.note("files written", outcome);
    part.pause(100).await;
}

fn rewrite(part: &mut Part) -> Result<()> {
    let path = part
        .stage
        .directory
        .join(part.lot.choice(FILES).context("there are some")?);
    fs::create_dir_all(path.parent().context("it is inside")?)?;
    let line = format!("{:016x}\n", part.lot.u64(..));
    let text = line.repeat(part.lot.usize(1..10_000));
    let new = part.stage.directory.join(".new");
    fs::write(&new, text)?;
    Ok(fs::rename(new, path)?)
}

/// Reads a file. All its lines must be from the same write.
pub(crate) async fn read(part: &mut Part) {
    let outcome = whole(part).await;
    part.note("files read", outcome);
}

async fn whole(part: &mut Part) -> Result<()> {
    let mut peer = Peer::connect(part.stage.server, part.source).await?;
    for _ in 0..part.lot.usize(1..20) {
        let name = part.lot.choice(FILES).context("there are some")?;
        let id = part.lot.u64(..1 << 32);
        let reply = peer
            .reply(&Message::read(id, &format!("file:///soak/{name}")))
            .await?;
        ensure!(reply["id"] == id, "another's reply: {reply}");
        // A file is missing until its first write.
        if let Some(text) = reply["result"]["contents"][0]["text"].as_str() {
            let first = text.lines().next().context("it is never empty")?;
            ensure!(
                text.lines().all(|line| line == first),
                "{name} is of two writings"
            );
        }
        part.pause(50).await;
    }
    Ok(())
}
