//! Messages as server-sent events (Streamable HTTP, "Receiving Messages"): one event a message, made when the connection
//! has room for it; and a comment now and then where there is none, so that nobody on the way takes silence for the end.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use tokio::time::{Instant, Sleep};

use crate::transport::Feed;

/// A line that says nothing.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The events of a feed.
pub(super) struct Events {
    feed: Box<dyn Feed>,
    /// How long nothing is said before a comment is.
    pause: Duration,
    next_comment: Pin<Box<Sleep>>,
    is_ending: bool,
    has_ended: bool,
}

impl Events {
    pub(super) fn new(feed: Box<dyn Feed>, pause: Duration) -> Self {
        Self {
            feed,
            pause,
            next_comment: Box::pin(tokio::time::sleep(pause)),
            is_ending: false,
            has_ended: false,
        }
    }

    /// Ends the feed: what is left to send are its last words.
    pub(super) fn end(&mut self) {
        if !std::mem::replace(&mut self.is_ending, true) {
            self.feed.end();
        }
    }

    /// The next bytes to send; `None` after the last.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        if self.has_ended {
            return Poll::Ready(None);
        }
        let next = match self.feed.poll_message(context) {
            Poll::Ready(Some(message)) => event(&message),
            Poll::Ready(None) => {
                self.has_ended = true;
                return Poll::Ready(None);
            }
            Poll::Pending if self.next_comment.as_mut().poll(context).is_ready() => COMMENT,
            Poll::Pending => return Poll::Pending,
        };
        let at = Instant::now() + self.pause;
        self.next_comment.as_mut().reset(at);
        Poll::Ready(Some(next))
    }

    /// Whether nothing is left to send.
    pub(super) fn is_over(&self) -> bool {
        self.has_ended
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Events")
            .field("feed", &self.feed)
            .finish_non_exhaustive()
    }
}

/// A message has no line break, so one line holds it.
fn event(message: &[u8]) -> Bytes {
    debug_assert!(!message.iter().any(|byte| b"\r\n".contains(byte)));
    let mut event = BytesMut::with_capacity(message.len() + 8);
    event.extend_from_slice(b"data: ");
    event.extend_from_slice(message);
    event.extend_from_slice(b"\n\n");
    event.freeze()
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::future::poll_fn;

    use super::*;

    /// Says what it has, then waits; and when it has to end, goodbye.
    #[derive(Debug)]
    struct Said(VecDeque<&'static str>);

    impl Feed for Said {
        fn poll_message(&mut self, _context: &mut Context<'_>) -> Poll<Option<Bytes>> {
            match self.0.pop_front() {
                Some("") => Poll::Ready(None),
                Some(text) => Poll::Ready(Some(text.into())),
                None => Poll::Pending,
            }
        }

        fn end(&mut self) {
            self.0.clear();
            self.0.extend(["goodbye", ""]);
        }
    }

    fn events(said: impl Into<VecDeque<&'static str>>) -> Events {
        Events::new(Box::new(Said(said.into())), Duration::from_secs(15))
    }

    async fn next(events: &mut Events) -> Option<Bytes> {
        poll_fn(|context| events.poll_next(context)).await
    }

    #[tokio::test(start_paused = true)]
    async fn silence_is_broken_by_comments() {
        let mut events = events([r#"{"a":1}"#]);
        assert_eq!(next(&mut events).await.unwrap(), "data: {\"a\":1}\n\n");
        for _ in 0..3 {
            let before = Instant::now();
            assert_eq!(next(&mut events).await.unwrap(), ":\n\n");
            assert_eq!(before.elapsed().as_secs(), 15);
        }
        assert!(!events.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn a_feed_that_is_told_to_end_has_last_words() {
        let mut events = events(["one", "two"]);
        next(&mut events).await;
        events.end();
        events.end();
        assert_eq!(next(&mut events).await.unwrap(), "data: goodbye\n\n");
        assert!(!events.is_over());
        assert_eq!(next(&mut events).await, None);
        assert!(events.is_over());
    }

    #[tokio::test(start_paused = true)]
    async fn a_feed_that_has_ended_by_itself_has_none() {
        let mut events = events(["one", ""]);
        next(&mut events).await;
        assert_eq!(next(&mut events).await, None);
        events.end();
        assert!(events.is_over());
        assert_eq!(next(&mut events).await, None);
    }
}
