//! Standard input and output for the reactor, on Linux: pipes and sockets.
//!
//! A reactor needs reads and writes that don't block. Whether they do is a property of the open file, not of the
//! descriptor, and an open file is shared: with the parent, with its other children, and between standard output and
//! standard error if both are the same. A process that doesn't expect the change loses output. So the property stays as
//! it is, and files that can't be used that way are left to threads.

mod pipe;
mod socket;

use std::io;
use std::os::fd::AsFd;

use tokio::io::{AsyncRead, AsyncWrite, Interest};

use self::socket::StdioSocket;

/// `None` if a thread has to read.
pub(super) fn input() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
    match pipe::input() {
        Some(pipe) => Some(Box::new(pipe)),
        None => Some(Box::new(StdioSocket::of(
            io::stdin().as_fd(),
            Interest::READABLE,
        )?)),
    }
}

/// `None` if a thread has to write.
pub(super) fn output() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
    match pipe::output() {
        Some(pipe) => Some(Box::new(pipe)),
        None => Some(Box::new(StdioSocket::of(
            io::stdout().as_fd(),
            Interest::WRITABLE,
        )?)),
    }
}
