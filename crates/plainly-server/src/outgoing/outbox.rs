//! The messages that are sent before the reply to one request. Few can wait, so that a handler that
//! sends many waits for the peer to read. Independent of their content.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

use plainly_transport::lock::Lock;

/// The maximum number of waiting messages.
const MOST_MESSAGES: usize = 16;
/// The number of bytes of waiting messages from which no more are accepted.
const MOST_BYTES: usize = 256 << 10;

/// An item that is sent before a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutboxItem {
    Message(Bytes),
    /// A request that the client reconnect for the following items.
    Pause,
}

impl OutboxItem {
    fn bytes(&self) -> usize {
        match self {
            Self::Message(message) => message.len(),
            Self::Pause => 0,
        }
    }
}

/// The messages before a reply. There may be many writers, but only one reader.
#[derive(Debug, Default)]
pub(crate) struct Outbox(Lock<OutboxState>);

#[derive(Debug, Default)]
struct OutboxState {
    messages: VecDeque<OutboxItem>,
    is_closed: bool,
    reader: Option<Waker>,
    writers: Vec<Waker>,
    /// Wakes the task that waits until all messages have been read.
    last: Option<Waker>,
}

impl Outbox {
    /// Sends `message`, once there is room for it. After the reply it is dropped.
    pub(crate) async fn send(&self, message: Bytes) {
        let mut message = Some(message);
        poll_fn(|context| self.poll_send(context, &mut message)).await;
    }

    /// Sends `message` even if there is no room, to withdraw a message that was sent before.
    pub(crate) fn add(&self, message: Bytes) {
        let mut state = self.0.lock();
        if !state.is_closed {
            state.messages.push_back(OutboxItem::Message(message));
            state.wake_reader();
        }
    }

    fn poll_send(&self, context: &mut Context<'_>, message: &mut Option<Bytes>) -> Poll<()> {
        let mut state = self.0.lock();
        if state.is_closed {
            return Poll::Ready(());
        }
        if !state.has_room() {
            let waker = context.waker();
            // A handler may send several messages from one task, which polls each of them whenever
            // it is woken.
            if !state.writers.iter().any(|known| known.will_wake(waker)) {
                state.writers.push(waker.clone());
            }
            return Poll::Pending;
        }
        state
            .messages
            .extend(message.take().map(OutboxItem::Message));
        state.wake_reader();
        Poll::Ready(())
    }

    /// Makes the client reconnect for the following items. After another pause, or after the reply,
    /// this has no effect.
    pub(crate) fn pause(&self) {
        let mut state = self.0.lock();
        if !state.is_closed && state.messages.back() != Some(&OutboxItem::Pause) {
            state.messages.push_back(OutboxItem::Pause);
            state.wake_reader();
        }
    }

    /// The next message or pause.
    pub(crate) fn poll_next(&self, context: &mut Context<'_>) -> Poll<OutboxItem> {
        let mut state = self.0.lock();
        let Some(message) = state.messages.pop_front() else {
            // A closed outbox has no event to wake the reader for.
            if state.is_closed {
                return Poll::Pending;
            }
            match &mut state.reader {
                Some(reader) => reader.clone_from(context.waker()),
                reader => *reader = Some(context.waker().clone()),
            }
            return Poll::Pending;
        };
        state.wake_writers();
        Poll::Ready(message)
    }

    /// Whether no message waits to be read.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().messages.is_empty()
    }

    /// Discards the waiting messages.
    pub(crate) fn clear(&self) {
        let mut state = self.0.lock();
        state.messages.clear();
        state.wake_writers();
    }

    /// Stops accepting messages. Waiting ones can still be read.
    pub(crate) fn close(&self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        // Wakes the writers that wait for room, because they would wait forever otherwise.
        state.writers.drain(..).for_each(Waker::wake);
    }

    /// Ready once no message waits to be read. The caller need not be the reader.
    pub(crate) fn poll_empty(&self, context: &Context<'_>) -> Poll<()> {
        let mut state = self.0.lock();
        if state.messages.is_empty() {
            return Poll::Ready(());
        }
        state.last = Some(context.waker().clone());
        Poll::Pending
    }
}

impl OutboxState {
    fn has_room(&self) -> bool {
        // The next message doesn't count yet, so that one larger than the whole limit can still be
        // sent.
        let bytes: usize = self.messages.iter().map(OutboxItem::bytes).sum();
        self.messages.len() < MOST_MESSAGES && bytes < MOST_BYTES
    }

    fn wake_reader(&mut self) {
        self.reader.take().into_iter().for_each(Waker::wake);
    }

    /// Wakes the writers, because there is room, and the task that waits for an empty outbox, if it
    /// is empty.
    fn wake_writers(&mut self) {
        self.writers.drain(..).for_each(Waker::wake);
        let last = self.last.take_if(|_| self.messages.is_empty());
        last.into_iter().for_each(Waker::wake);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    async fn next(outbox: &Outbox) -> Bytes {
        match poll_fn(|context| outbox.poll_next(context)).await {
            OutboxItem::Message(message) => message,
            OutboxItem::Pause => Bytes::from_static(b"pause"),
        }
    }

    #[tokio::test]
    async fn who_writes_waits_for_who_reads() {
        let outbox = Arc::new(Outbox::default());
        let writer = Arc::clone(&outbox);
        let writing = tokio::spawn(async move {
            for number in 0..100 {
                writer.send(Bytes::from(number.to_string())).await;
                assert!(writer.0.lock().messages.len() <= MOST_MESSAGES);
            }
        });
        for number in 0..100 {
            assert_eq!(next(&outbox).await, number.to_string());
        }
        writing.await.unwrap();
        assert!(outbox.0.lock().messages.is_empty());
    }

    #[test]
    fn few_large_messages_are_as_much_as_many_small_ones() {
        let outbox = Outbox::default();
        let mut context = Context::from_waker(Waker::noop());
        let mut send = |bytes: usize| {
            let mut message = Some(Bytes::from(vec![b'x'; bytes]));
            outbox.poll_send(&mut context, &mut message).is_ready()
        };
        assert!(send(MOST_BYTES - 1), "at the limit less one byte");
        assert!(send(1 << 20), "one more, however large");
        assert!(!send(1));
        outbox.clear();
        assert!(send(MOST_BYTES));
        assert!(!send(1));
    }

    #[tokio::test]
    async fn many_who_wait_are_all_served() {
        let outbox = Arc::new(Outbox::default());
        let writing: Vec<_> = (0..50)
            .map(|_| {
                let writer = Arc::clone(&outbox);
                tokio::spawn(async move { writer.send(Bytes::from_static(b"x")).await })
            })
            .collect();
        for _ in 0..50 {
            next(&outbox).await;
        }
        for writer in writing {
            writer.await.unwrap();
        }
    }

    #[tokio::test]
    async fn closed_it_keeps_what_it_has_and_takes_no_more() {
        let outbox = Arc::new(Outbox::default());
        for _ in 0..MOST_MESSAGES {
            outbox.send(Bytes::from_static(b"before")).await;
        }
        let late = Arc::clone(&outbox);
        let waiting = tokio::spawn(async move { late.send(Bytes::from_static(b"late")).await });
        tokio::task::yield_now().await;
        outbox.close();
        waiting.await.unwrap();
        for _ in 0..MOST_MESSAGES {
            assert_eq!(next(&outbox).await, "before");
        }
        assert!(outbox.0.lock().messages.is_empty());
    }

    #[tokio::test]
    async fn a_pause_keeps_its_place_and_needs_no_room() {
        let outbox = Outbox::default();
        for _ in 0..MOST_MESSAGES {
            outbox.send(Bytes::from_static(b"before")).await;
        }
        outbox.pause();
        outbox.pause();
        for _ in 0..MOST_MESSAGES {
            assert_eq!(next(&outbox).await, "before");
        }
        assert_eq!(next(&outbox).await, "pause");
        assert!(outbox.0.lock().messages.is_empty());
        outbox.close();
        outbox.pause();
        assert!(outbox.0.lock().messages.is_empty());
    }
}
