//! `plainly replay`: a server that answers like a recorded one.

mod http;
mod player;
mod script;
mod stdio;

use std::fs;
use std::path::Path;

use self::player::Player;
use crate::args::ReplayArgs;
use crate::failure::Failure;
use crate::trace::recording::Recording;

/// Replays the server until its client is done.
pub(crate) async fn serve(args: ReplayArgs) -> Result<(), Failure> {
    let recording = read(&args.file)?;
    let player = Player::new(&recording);
    match args.http {
        Some(address) => http::serve(player, address, &recording.header.target).await,
        None => stdio::serve(player).await,
    }
}

fn read(path: &Path) -> Result<Recording, Failure> {
    let file = path.display();
    let bytes = fs::read(path)
        .map_err(|error| Failure::impossible(format!("cannot read {file}"), Box::from(error)))?;
    Recording::read(&bytes)
        .map_err(|error| Failure::impossible(format!("cannot replay {file}"), Box::from(error)))
}
