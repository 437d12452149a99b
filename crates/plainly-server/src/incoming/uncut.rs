//! Requests of a session, which a lost connection does not cancel (2025-11-25, "Sending Messages to
//! the Server").

use std::mem;
use std::sync::Arc;

use bytes::Bytes;
use tokio::runtime::Handle;

use crate::replies::Replies;
use crate::sessions::streams::Streams;

/// The replies to a request of a session, until the first item is there. If the connection is lost
/// before, which drops this, the request continues on a stream of the session.
pub(super) struct Uncut<'a> {
    pub(super) replies: Replies,
    /// None if the revision has no streams that outlive a connection.
    pub(super) streams: Option<&'a Arc<Streams>>,
}

impl Uncut<'_> {
    /// The replies, which end with their connection from now on.
    pub(super) fn into_replies(mut self) -> Replies {
        mem::take(&mut self.replies)
    }
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
