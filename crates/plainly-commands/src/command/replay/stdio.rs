//! A recorded server over standard input and output.

use std::io::{self, IsTerminal, Write};
use std::time::Duration;

use bytes::Bytes;
use plainly::limits::ClientLimits;
use plainly::shutdown;
use plainly::transport::Inbound;
use plainly::transport::lines::LineReader;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::player::{ClientMessage, Listener, Player, error_response};
use crate::failure::Failure;
use crate::format::Format;
use crate::output::Output;

/// The time for pending messages after the end of the client's input.
const REST: Duration = Duration::from_millis(200);

pub(super) async fn serve(player: Player) -> Result<(), Failure> {
    if io::stdin().is_terminal() {
        // A user at the terminal would wait for a prompt. Clients don't read standard error.
        let _ = writeln!(
            io::stderr(),
            "waiting for a client's messages on standard input, as in `plainly tools -- plainly replay FILE`; \
             Ctrl-D stops it"
        );
    }
    let (listener, said) = mpsc::unbounded_channel();
    let conversation = async { tokio::try_join!(read(&player, listener), write(said)) };
    tokio::select! {
        biased;
        () = shutdown::requested() => Ok(()),
        ended = conversation => ended.map(|_both| ()),
    }
}

async fn read(player: &Player, listener: Listener) -> Result<(), Failure> {
    let broken = |error| Failure::unless_gone("the connection broke", error);
    let limit = ClientLimits::default().message_bytes;
    let mut lines = LineReader::new(tokio::io::stdin(), limit);
    let mut playing = JoinSet::new();
    while let Some(line) = lines.next().await.map_err(broken)? {
        let Inbound::Message(message) = line else {
            continue;
        };
        let (player, listener) = (player.clone(), listener.clone());
        match Player::read(&message) {
            Ok(ClientMessage::Request(asked)) => {
                playing.spawn(player.play(asked, listener.clone(), listener));
            }
            Ok(ClientMessage::Notification(key)) => {
                playing.spawn(player.follow(&key, listener));
            }
            Ok(ClientMessage::Answer(id)) => player.hear(id),
            Err(error) => {
                let _gone = listener.send(error_response(None, &error));
            }
        }
    }
    let _waiting = timeout(REST, async { while playing.join_next().await.is_some() {} }).await;
    playing.shutdown().await;
    Ok(())
}

async fn write(mut said: mpsc::UnboundedReceiver<Bytes>) -> Result<(), Failure> {
    let mut output = Output::new(Format::Text);
    while let Some(message) = said.recv().await {
        output.write(&message)?;
        output.write(b"\n")?;
        output.flush()?;
    }
    Ok(())
}
