//! The socket of a connection. It records events, and still responds to a peer that has finished
//! sending.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

use super::paced::PacedStream;
use super::watch::Activity;

/// The maximum number of bytes that are still read from a peer after its last response. Many
/// clients read the response only after they have sent their whole body.
pub(super) const LINGER_BYTES: usize = 32 << 20;
/// The interval between checks whether a peer that has finished sending is gone, because no event
/// reports it.
const LOOK: Duration = Duration::from_millis(40);

/// The stream from which requests are read: plain or with TLS.
pub(super) trait Socket: AsyncRead + AsyncWrite + Send + Unpin {
    /// The pending error of the operating system.
    fn take_error(&self) -> io::Result<Option<io::Error>>;
}

/// The stream that hyper reads from.
pub(super) struct WatchedSocket<S> {
    stream: S,
    activity: Activity,
    /// Whether the peer has finished sending.
    has_ended: bool,
    lingered: usize,
    /// The time of the next check whether a peer that has finished sending is still there.
    next_look: Option<Pin<Box<Sleep>>>,
    /// Whether a byte was sent to such a peer to find out if it is still there.
    has_asked: bool,
    /// Whether the peer must read before more can be sent.
    is_blocked: bool,
}

impl Socket for PacedStream {
    fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.take_error()
    }
}

#[cfg(feature = "tls")]
impl Socket for tokio_rustls::server::TlsStream<PacedStream> {
    fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.get_ref().0.take_error()
    }
}

impl<S: Socket> WatchedSocket<S> {
    pub(super) fn new(stream: S, activity: Activity) -> Self {
        Self {
            stream,
            activity,
            has_ended: false,
            lingered: 0,
            next_look: None,
            has_asked: false,
            is_blocked: false,
        }
    }

    fn note_blocked(&mut self, is_blocked: bool) {
        if is_blocked != std::mem::replace(&mut self.is_blocked, is_blocked) {
            self.activity.events().is_blocked = is_blocked;
        }
    }

    /// Hides from hyper that the peer has finished sending, until its response is sent. Fails once
    /// the peer has closed the other half too, because then it does not read the response.
    ///
    /// The two cases can't be distinguished until data is sent: then the kernel of a peer that is
    /// gone sends a reset. An informational response may be sent for that purpose (RFC 9110, 15.2:
    /// clients skip unexpected ones).
    fn poll_gone(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let next_look = self
            .next_look
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(LOOK)));
        while next_look.as_mut().poll(cx).is_ready() {
            // hyper has already read a complete body, so this one really ended too early.
            if self.activity.events().lacks_body() {
                return Poll::Ready(Ok(()));
            }
            if let Some(error) = self.stream.take_error()? {
                return Poll::Ready(Err(error));
            }
            if !self.has_asked && self.activity.events().takes_interim() {
                self.has_asked = true;
                // If it does not fit, sending the response itself detects a closed peer.
                let interim = b"HTTP/1.1 100 Continue\r\n\r\n";
                let _sent = Pin::new(&mut self.stream).poll_write(cx, interim);
                let _sent = Pin::new(&mut self.stream).poll_flush(cx);
            }
            next_look.as_mut().reset(Instant::now() + LOOK);
        }
        Poll::Pending
    }

    /// Reads the data that the peer still sends. Otherwise the kernel would respond with a reset,
    /// which can overtake the last response.
    fn poll_linger(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let mut space = [0; 16 << 10];
        while !self.has_ended && self.lingered < LINGER_BYTES {
            let mut buffer = ReadBuf::new(&mut space);
            ready!(Pin::new(&mut self.stream).poll_read(cx, &mut buffer))?;
            self.has_ended = buffer.filled().is_empty();
            self.lingered += buffer.filled().len();
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Socket> AsyncRead for WatchedSocket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buffer))?;
        if let Some(first) = buffer.filled().get(before) {
            self.activity.events().note_read(*first);
            return Poll::Ready(Ok(()));
        }
        self.has_ended = true;
        // hyper would treat the end as a disconnect, but a half-closed connection can still receive
        // a response.
        if self.activity.events().owes_answer() {
            return self.poll_gone(cx);
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: Socket> AsyncWrite for WatchedSocket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if written.is_pending() {
            self.note_blocked(true);
        }
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        if written.is_pending() {
            self.note_blocked(true);
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.note_blocked(flushed.is_pending());
        flushed
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(Pin::new(&mut self.stream).poll_shutdown(cx))?;
        {
            let mut events = self.activity.events();
            if !events.was_cut_off() {
                return Poll::Ready(Ok(()));
            }
            events.is_closing = true;
        }
        self.poll_linger(cx)
    }
}
