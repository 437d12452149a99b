//! Requests of a session, which a lost connection does not cancel (2025-11-25, "Sending Messages to
//! the Server").

use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use tokio::runtime::Handle;

use crate::replies::Replies;
use crate::sessions::streams::Streams;

/// Waits for the first item of `replies`. If the connection is lost meanwhile, which drops this
/// future, the request continues on a stream of the session.
pub(super) async fn first(replies: Replies, streams: Option<&Arc<Streams>>) -> Replies {
    let mut uncut = Uncut { replies, streams };
    uncut.replies.first().await;
    mem::take(&mut uncut.replies)
}

struct Uncut<'a> {
    replies: Replies,
    /// None if the revision has no streams that outlive a connection.
    streams: Option<&'a Arc<Streams>>,
}

impl Drop for Uncut<'_> {
    fn drop(&mut self) {
        let replies = mem::take(&mut self.replies);
        // A runtime that shuts down drops its futures, and starts no tasks.
        if let Some(streams) = self.streams
            && !replies.is_over()
            && Handle::try_current().is_ok()
        {
            // Without a last word, because no client knows this stream.
            drop(streams.carry(replies, Bytes::new));
        }
    }
}
