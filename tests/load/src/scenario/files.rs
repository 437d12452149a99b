//! `plainly serve`, from which large files are asked for, of which some are never read to their end.

use std::fs;

use anyhow::Result;

use crate::bystander::{Asked, Bystander};
use crate::crowd;
use crate::drive::Drive;
use crate::message::Message;
use crate::process::Server;
use crate::report::{Held, Outcome};
use crate::scale::Scale;
use crate::trial::{Bounds, Trial};

/// With those who read, as many as the server has threads on which it reads files: each file is read on any of them.
const IDLE: usize = 8;
const READING: usize = 8;

pub(super) async fn run(scale: Scale) -> Result<Outcome> {
    // In full, the largest that is served.
    let bytes: u64 = scale.pick(512 << 10, 16 << 20);
    let directory = tempfile::tempdir()?;
    let files = directory.path().join("files");
    fs::create_dir(&files)?;
    fs::write(files.join("small.txt"), "Small is beautiful.")?;
    fs::write(files.join("large.txt"), "x".repeat(usize::try_from(bytes)?))?;
    let server = Server::of_files(&files)?;
    let small = Asked::Read {
        uri: "file:///files/small.txt".to_owned(),
        text: "beautiful".to_owned(),
    };
    let bystander = Bystander::start(server.address, small);
    let trial = Trial::observe(server, bystander).await?;

    let large = Message::read(1, "file:///files/large.txt");
    let mut never = crowd::connect_from(&trial.server, 0..IDLE, true).await?;
    for peer in &mut never {
        peer.send(&large.http(trial.server.address)).await?;
    }
    let lasting = scale.seconds(2, 15);
    let drive = Drive::new(&large, READING, lasting);
    let read = drive.run(&trial.server).await?;
    let held = vec![
        Held::least("large files read meanwhile", read.served.count(), READING),
        Held::exactly("large files refused", read.refused.count(), 0),
    ];
    drop(never);
    let asked = format!(
        "{READING} clients that read a file of {} KiB again and again for {} s, beside {IDLE} that never read it",
        bytes >> 10,
        lasting.as_secs()
    );
    // Once for each, and what an allocator keeps for each of the threads on which files are read.
    let growth = (IDLE + READING) as u64 * bytes * 5 / 2 + (16 << 20);
    let bounds = Bounds {
        growth,
        bystander: scale.bearable(0, 3_000),
    };
    trial.end("files", asked, bounds, held).await
}
