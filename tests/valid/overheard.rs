//! A server in the same process whose conversation is held to the schemas on its way, both sides of it.

use std::sync::Mutex;

use plainly::server::Server;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};

use super::Conversation;

/// Bytes that may be on their way in each direction.
const ON_THE_WAY: usize = 64 << 10;

/// The client's end of a stream to `server`. What is not valid ends the stream, after the panic that says why.
#[must_use]
pub fn overheard(server: Server) -> (ReadHalf<DuplexStream>, WriteHalf<DuplexStream>) {
    let (client, to_client) = duplex(ON_THE_WAY);
    let (to_server, end) = duplex(ON_THE_WAY);
    let (said, told) = split(to_client);
    let (answered, asked) = split(to_server);
    let conversation = Mutex::new(Conversation::new());
    tokio::spawn(async move {
        let (reader, writer) = split(end);
        server.serve(reader, writer).await
    });
    // In one task, so that a panic lets go of both ends.
    tokio::spawn(async move {
        tokio::join!(
            pass(said, asked, &conversation, Conversation::said),
            pass(answered, told, &conversation, Conversation::heard),
        )
    });
    split(client)
}

async fn pass(
    from: ReadHalf<DuplexStream>,
    mut to: WriteHalf<DuplexStream>,
    conversation: &Mutex<Conversation>,
    check: fn(&mut Conversation, &[u8]),
) {
    let mut lines = BufReader::new(from).split(b'\n');
    while let Ok(Some(mut line)) = lines.next_segment().await {
        check(
            &mut conversation.lock().expect("the other side was valid"),
            &line,
        );
        line.push(b'\n');
        if to.write_all(&line).await.is_err() {
            return;
        }
    }
    // Whoever reads there may be gone already.
    let _ = to.shutdown().await;
}
