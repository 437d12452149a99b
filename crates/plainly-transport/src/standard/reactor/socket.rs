//! A socket as standard input or output, as Node gives it to its children, for the reactor (Linux).
//!
//! Unlike a pipe, a socket can't be opened again, but each call on it can request not to block.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustix::net::sockopt::socket_type;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};

/// A socket that stays blocking for the processes that share it.
#[derive(Debug)]
pub(super) struct StdioSocket(AsyncFd<OwnedFd>);

impl StdioSocket {
    /// A socket for the reactor. `None` if `descriptor` is not a socket or can't be watched; then a
    /// thread can use it as it is.
    pub(super) fn of(descriptor: BorrowedFd<'_>, interest: Interest) -> Option<Self> {
        socket_type(descriptor).ok()?;
        let own = descriptor.try_clone_to_owned().ok()?;
        #[expect(
            deprecated,
            reason = "what follows it is unsafe, for types whose descriptor may change or close; this one's can't"
        )]
        let watched = AsyncFd::with_interest(own, interest).ok()?;
        Some(Self(watched))
    }
}

impl AsyncRead for StdioSocket {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            let mut ready = ready!(self.0.poll_read_ready(cx))?;
            let received = ready.try_io(|socket| {
                let free = buffer.initialize_unfilled();
                Ok(recv(socket.get_ref(), free, RecvFlags::DONTWAIT)?)
            });
            // Otherwise nothing had arrived yet, and the task will be woken.
            if let Ok(received) = received {
                let (_, read) = received?;
                buffer.advance(read);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for StdioSocket {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &[u8],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.0.poll_write_ready(cx))?;
            let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
            let sent = ready.try_io(|socket| Ok(send(socket.get_ref(), buffer, flags)?));
            // Otherwise there was no room, and the task will be woken.
            if let Ok(sent) = sent {
                return Poll::Ready(sent);
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Leaves the socket open for other processes.
    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}
