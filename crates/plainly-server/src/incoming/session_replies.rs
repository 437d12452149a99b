//! Keeps a request of a session running if its connection is lost, because that is no cancellation
//! (2025-11-25, "Sending Messages to the Server").

use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use tokio::runtime::Handle;

use crate::replies::Replies;
use crate::sessions::streams::Streams;

/// The replies to a request or batch of a session that has no first item yet. A lost connection
/// drops this value, and the request then continues on a stream of the session.
pub(super) struct SessionReplies<'a> {
    pub(super) replies: Replies,
    /// The streams of the session; `None` if the revision has none that outlive a connection.
    pub(super) streams: Option<&'a Arc<Streams>>,
}

impl SessionReplies<'_> {
    /// The replies, no longer guarded: dropping them cancels the request.
    pub(super) fn into_replies(mut self) -> Replies {
        mem::take(&mut self.replies)
    }
}

impl Drop for SessionReplies<'_> {
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
