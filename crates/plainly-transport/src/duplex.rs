//! Messages in memory: between a client and a server in the same process, or between two requests
//! and their session.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll, Waker, ready};

use bytes::Bytes;
use tokio::task::coop;

use crate::lock::Lock;
use crate::messages::{FlushProgress, Inbound, Messages};

/// The number of unreceived bytes beyond which a flush waits.
const CAPACITY: usize = 64 << 10;
/// The number of bytes counted for each message in addition to its own.
// Without it, empty messages would never fill a queue.
const OVERHEAD: usize = 1;

/// One end of a connection in memory. Dropping it ends the connection: the other end receives
/// everything sent before.
#[derive(Debug)]
pub struct Duplex {
    incoming: Arc<Lock<Queue>>,
    outgoing: Arc<Lock<Queue>>,
}

/// The messages of one direction.
#[derive(Debug, Default)]
struct Queue {
    messages: VecDeque<Bytes>,
    bytes: usize,
    is_closed: bool,
    /// Whether messages were received since the sender's last flush.
    has_advanced: bool,
    receiver: Option<Waker>,
    sender: Option<Waker>,
}

impl Duplex {
    /// Both ends of a new connection.
    pub fn pair() -> (Self, Self) {
        let (there, back) = (Arc::default(), Arc::default());
        let near = Self {
            incoming: Arc::clone(&back),
            outgoing: Arc::clone(&there),
        };
        let far = Self {
            incoming: there,
            outgoing: back,
        };
        (near, far)
    }
}

impl Messages for Duplex {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        // A peer that sends without pause must not keep this task from other work.
        let budget = ready!(coop::poll_proceed(context));
        let mut queue = self.incoming.lock();
        if let Some(message) = queue.take() {
            budget.made_progress();
            return Poll::Ready(Ok(Some(Inbound::Message(message))));
        }
        if queue.is_closed {
            budget.made_progress();
            return Poll::Ready(Ok(None));
        }
        queue.receiver = Some(context.waker().clone());
        Poll::Pending
    }

    fn send(&mut self, message: Bytes) {
        let mut queue = self.outgoing.lock();
        if queue.is_closed {
            // The next flush returns the error.
            return;
        }
        queue.bytes += message.len() + OVERHEAD;
        queue.messages.push_back(message);
        wake(&mut queue.receiver);
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        let mut queue = self.outgoing.lock();
        if queue.is_closed {
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let has_advanced = std::mem::take(&mut queue.has_advanced);
        if queue.bytes <= CAPACITY {
            return Poll::Ready(Ok(FlushProgress::Complete));
        }
        // Callers wait for a peer that reads, even slowly, and give up only on one that reads
        // nothing.
        if has_advanced {
            return Poll::Ready(Ok(FlushProgress::Partial));
        }
        queue.sender = Some(context.waker().clone());
        Poll::Pending
    }

    fn poll_close(&mut self, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.outgoing.lock().close();
        Poll::Ready(Ok(()))
    }
}

impl Drop for Duplex {
    fn drop(&mut self) {
        self.outgoing.lock().close();
        self.incoming.lock().close();
    }
}

impl Queue {
    fn take(&mut self) -> Option<Bytes> {
        let message = self.messages.pop_front()?;
        self.bytes -= message.len() + OVERHEAD;
        self.has_advanced = true;
        wake(&mut self.sender);
        Some(message)
    }

    fn close(&mut self) {
        self.is_closed = true;
        wake(&mut self.receiver);
        wake(&mut self.sender);
    }
}

fn wake(waiting: &mut Option<Waker>) {
    if let Some(waker) = waiting.take() {
        waker.wake();
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use futures_util::FutureExt;

    use super::*;

    async fn receive(end: &mut Duplex) -> Option<Inbound> {
        poll_fn(|context| end.poll_receive(context)).await.unwrap()
    }

    fn flush(end: &mut Duplex) -> Option<io::Result<FlushProgress>> {
        poll_fn(|context| end.poll_flush(context)).now_or_never()
    }

    fn message(text: &'static str) -> Inbound {
        Inbound::Message(Bytes::from_static(text.as_bytes()))
    }

    #[tokio::test]
    async fn each_end_receives_what_the_other_sends() {
        let (mut near, mut far) = Duplex::pair();
        near.send(Bytes::from_static(b"there"));
        far.send(Bytes::from_static(b"back"));
        assert_eq!(receive(&mut far).await, Some(message("there")));
        assert_eq!(receive(&mut near).await, Some(message("back")));
        assert!(receive(&mut near).now_or_never().is_none());
    }

    #[tokio::test]
    async fn a_sender_waits_for_room_and_is_told_when_something_was_taken() {
        let (mut near, mut far) = Duplex::pair();
        let large = || Bytes::from(vec![b'x'; CAPACITY / 2]);
        near.send(large());
        assert!(matches!(
            flush(&mut near),
            Some(Ok(FlushProgress::Complete))
        ));
        near.send(large());
        near.send(large());
        assert!(flush(&mut near).is_none(), "there is no room");
        receive(&mut far).await.unwrap();
        assert!(matches!(flush(&mut near), Some(Ok(FlushProgress::Partial))));
        assert!(flush(&mut near).is_none(), "nothing was taken since");
        receive(&mut far).await.unwrap();
        assert!(matches!(
            flush(&mut near),
            Some(Ok(FlushProgress::Complete))
        ));
    }

    #[tokio::test]
    async fn who_waits_is_woken_by_a_message_by_room_and_by_the_end() {
        let (mut near, mut far) = Duplex::pair();
        let waiting = tokio::spawn(async move { (receive(&mut far).await, far) });
        tokio::task::yield_now().await;
        near.send(Bytes::from(vec![b'x'; 2 * CAPACITY]));
        let (received, mut far) = waiting.await.unwrap();
        assert!(received.is_some());

        near.send(Bytes::from(vec![b'x'; 2 * CAPACITY]));
        near.outgoing.lock().has_advanced = false;
        let flushing = tokio::spawn(async move {
            let flushed = poll_fn(|context| near.poll_flush(context)).await;
            (flushed, near)
        });
        tokio::task::yield_now().await;
        assert!(receive(&mut far).await.is_some());
        let (flushed, near) = flushing.await.unwrap();
        assert!(matches!(flushed, Ok(FlushProgress::Complete)));

        let waiting = tokio::spawn(async move { receive(&mut far).await });
        tokio::task::yield_now().await;
        drop(near);
        assert_eq!(waiting.await.unwrap(), None);
    }

    #[tokio::test]
    async fn what_was_sent_before_the_end_is_received_and_nothing_after() {
        let (mut near, mut far) = Duplex::pair();
        near.send(Bytes::from_static(b"last"));
        poll_fn(|context| near.poll_close(context)).await.unwrap();
        assert_eq!(receive(&mut far).await, Some(message("last")));
        assert_eq!(receive(&mut far).await, None);
        far.send(Bytes::from_static(b"answer"));
        assert_eq!(receive(&mut near).await, Some(message("answer")));
        drop(near);
        far.send(Bytes::from_static(b"lost"));
        assert!(matches!(flush(&mut far), Some(Err(_))));
    }
}
