//! A server in this process, with a check of all messages between it and its client.

use std::sync::Mutex;

use plainly::server::Server;
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf, duplex, split,
};

use super::Conversation;

/// The most bytes in transit in each direction.
const ON_THE_WAY: usize = 64 << 10;

/// Returns the client's end of a stream to `server`. An invalid message panics in the task between
/// them, which closes the stream.
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
    // Both directions are in one task, so that a panic closes both ends.
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
    // The reader may be gone already.
    let _ = to.shutdown().await;
}
