//! A peer over any connection that carries whole messages: passed on line by line, as a connection takes them.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::io::{duplex, split};

use super::Server;
use crate::transport::lines::Lines;
use crate::transport::{FlushProgress, Inbound, Messages};

/// Bytes that may be on their way in each direction.
const ON_THE_WAY: usize = 64 << 10;
/// The connection has a limit for what it takes, and what it sends was limited where it was made.
const UNLIMITED: usize = usize::MAX >> 1;

impl Server {
    /// Serves one peer over any connection that carries whole messages, such as a WebSocket, as [`serve`](Self::serve) does
    /// over a byte stream.
    pub async fn serve_messages(&self, messages: impl Messages) -> io::Result<()> {
        let (near, far) = duplex(ON_THE_WAY);
        let (near_reader, near_writer) = split(near);
        let (reader, writer) = split(far);
        let lines = Lines::new(near_reader, near_writer, UNLIMITED);
        let mut passing = std::pin::pin!(pass_on(messages, lines));
        tokio::select! {
            served = self.serve(reader, writer) => served,
            passed = &mut passing => passed,
        }
    }
}

/// Passes messages on in both directions until one of them ends.
async fn pass_on(mut messages: impl Messages, mut lines: impl Messages) -> io::Result<()> {
    loop {
        let (comes_from_peer, received) = poll_fn(|context| {
            if let Poll::Ready(received) = messages.poll_receive(context) {
                return Poll::Ready((true, received));
            }
            lines.poll_receive(context).map(|sent| (false, sent))
        })
        .await;
        let Some(Inbound::Message(message)) = received? else {
            return Ok(());
        };
        let to: &mut dyn Messages = if comes_from_peer {
            &mut lines
        } else {
            &mut messages
        };
        to.send(message);
        while poll_fn(|context| to.poll_flush(context)).await? == FlushProgress::Partial {}
    }
}
