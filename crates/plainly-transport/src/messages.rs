//! The interface between JSON-RPC and the carriers of its messages: lines on a byte stream, memory,
//! a WebSocket. Server and client accept any implementation; neither side knows the other.

use std::io;
use std::task::{Context, Poll};

use bytes::Bytes;
use plainly_protocol::id::RequestId;

/// A connection that carries whole JSON-RPC messages in both directions.
///
/// [`Lines`](super::lines::Lines) puts one message per line on a byte stream, and
/// [`Duplex`](super::Duplex) stays in memory. To use MCP over something else, implement this trait
/// and pass it to `Server::serve_messages` or `Client::over_messages`. As with `Stream` and `Sink`,
/// anything that returns `Pending` wakes the task that last called it; one task calls all of these
/// methods.
///
/// ```
/// use std::io;
/// use std::task::{Context, Poll};
///
/// use bytes::Bytes;
/// use plainly::transport::{Duplex, FlushProgress, Inbound, Messages};
///
/// /// Counts what is sent over another connection.
/// struct Counted<M> {
///     inner: M,
///     sent: usize,
/// }
///
/// impl<M: Messages> Messages for Counted<M> {
///     fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
///         self.inner.poll_receive(context)
///     }
///
///     fn send(&mut self, message: Bytes) {
///         self.sent += 1;
///         self.inner.send(message);
///     }
///
///     fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
///         self.inner.poll_flush(context)
///     }
/// }
///
/// let (near, _far) = Duplex::pair();
/// let mut counted = Counted { inner: near, sent: 0 };
/// counted.send(Bytes::from_static(b"{}"));
/// assert_eq!(counted.sent, 1);
/// ```
pub trait Messages: Send {
    /// Receives the next message; `None` at the end. An error is also the end.
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>>;

    /// Returns the next message if it has already arrived, without waiting.
    ///
    /// A server processes all of these before it flushes, so that the replies to many requests are
    /// sent together. By default there are none, and replies are sent one by one.
    fn take_buffered(&mut self) -> Option<Inbound> {
        None
    }

    /// Queues a message, JSON without line breaks, to be sent by [`poll_flush`](Self::poll_flush).
    ///
    /// The queue always accepts it: callers flush before they queue too much.
    fn send(&mut self, message: Bytes);

    /// Sends the queue, and waits until the peer has made room for it.
    ///
    /// A transport that sends in parts returns after each, so that callers can distinguish a slow
    /// peer from one that reads nothing. A transport that can't distinguish them always returns
    /// [`FlushProgress::Complete`].
    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>>;

    /// Signals the peer that nothing more will be sent. Called after everything has been flushed;
    /// `send` is not called afterwards.
    ///
    /// Does nothing by default, for connections that close when they are dropped.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let _ = context;
        Poll::Ready(Ok(()))
    }
}

/// A received message, or a report of one that was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "a message fits or it does not")]
pub enum Inbound {
    /// A whole message: JSON in UTF-8, if the peer follows the protocol.
    Message(Bytes),
    /// A message longer than the limit. It was discarded, and the next message can be received.
    TooLong {
        /// The id of the request, if it is known, for the error response.
        id: Option<RequestId>,
    },
}

/// The progress of a flush.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "something is left or nothing is")]
pub enum FlushProgress {
    /// The peer has read some bytes, and more are queued.
    Partial,
    /// The queue is empty.
    Complete,
}

impl<M: Messages + ?Sized> Messages for Box<M> {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        (**self).poll_receive(context)
    }

    fn take_buffered(&mut self) -> Option<Inbound> {
        (**self).take_buffered()
    }

    fn send(&mut self, message: Bytes) {
        (**self).send(message);
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        (**self).poll_flush(context)
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        (**self).poll_close(context)
    }
}
