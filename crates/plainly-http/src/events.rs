//! A feed as server-sent events (Streamable HTTP, "Receiving Messages"). Each event is created when
//! the connection has room for it. During silence, comments keep intermediaries from closing the
//! stream.

use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use memchr::memchr2_iter;
use tokio::time::Sleep;

use super::limits::after;
use plainly_transport::{Event, Feed};

/// An empty comment, which clients ignore.
const COMMENT: Bytes = Bytes::from_static(b":\n\n");

/// The events of a feed.
pub(super) struct Events {
    feed: Box<dyn Feed>,
    /// The time without events after which a comment is sent.
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

    /// Ends the feed; only its remaining events are still sent.
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
        let next = match self.feed.poll_event(context) {
            Poll::Ready(Some(event)) => encode(&event),
            Poll::Ready(None) => {
                self.has_ended = true;
                return Poll::Ready(None);
            }
            Poll::Pending if self.next_comment.as_mut().poll(context).is_ready() => COMMENT,
            Poll::Pending => return Poll::Pending,
        };
        self.next_comment.as_mut().reset(after(self.pause));
        Poll::Ready(Some(next))
    }

    /// Whether all bytes have been sent.
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

/// Encodes an event, with each field on one line. A message with line breaks between its tokens
/// becomes one `data` line for each of its lines; readers join the lines with line breaks again.
fn encode(event: &Event) -> Bytes {
    let mut out = BytesMut::with_capacity(event.data.len() + 64);
    if let Some(name) = event.name {
        put_field(&mut out, "event", name.as_bytes());
    }
    if let Some(id) = &event.id {
        put_field(&mut out, "id", id.as_bytes());
    }
    if let Some(retry) = event.retry {
        put_field(&mut out, "retry", retry.as_millis().to_string().as_bytes());
    }
    let data = &event.data;
    let mut start = 0;
    for end in memchr2_iter(b'\r', b'\n', data).chain([data.len()]) {
        put_field(&mut out, "data", data.get(start..end).unwrap_or_default());
        start = end + 1;
    }
    out.extend_from_slice(b"\n");
    out.freeze()
}

fn put_field(out: &mut BytesMut, name: &str, value: &[u8]) {
    debug_assert!(!value.iter().any(|byte| b"\r\n".contains(byte)));
    for part in [name.as_bytes(), b": ", value, b"\n"] {
        out.extend_from_slice(part);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;
    use std::future::poll_fn;

    use tokio::time::Instant;

    use super::*;

    /// A feed that sends its texts, then waits, and sends a last text when it is ended.
    #[derive(Debug)]
    struct LastWords(VecDeque<&'static str>);

    impl Feed for LastWords {
        fn poll_event(&mut self, _context: &mut Context<'_>) -> Poll<Option<Event>> {
            match self.0.pop_front() {
                Some("") => Poll::Ready(None),
                Some(text) => Poll::Ready(Some(Bytes::from(text).into())),
                None => Poll::Pending,
            }
        }

        fn end(&mut self) {
            self.0.clear();
            self.0.extend(["goodbye", ""]);
        }
    }

    fn events(said: impl Into<VecDeque<&'static str>>) -> Events {
        Events::new(Box::new(LastWords(said.into())), Duration::from_secs(15))
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

    #[test]
    fn each_field_has_its_line() {
        let data = Bytes::from_static(b"{}");
        let full = Event::from(data.clone())
            .name("endpoint")
            .id("3-1")
            .retry(Duration::from_millis(1_500));
        let primer = Event::default().id("3-0");
        for (event, expected) in [
            (Event::from(data), "data: {}\n\n"),
            (full, "event: endpoint\nid: 3-1\nretry: 1500\ndata: {}\n\n"),
            (primer, "id: 3-0\ndata: \n\n"),
            (
                Event::from(Bytes::from_static(b"{\n\"a\":\r\n1\r}")),
                "data: {\ndata: \"a\":\ndata: \ndata: 1\ndata: }\n\n",
            ),
        ] {
            assert_eq!(encode(&event), expected);
        }
    }
}
