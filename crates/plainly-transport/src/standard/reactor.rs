//! Standard input and output for the reactor, on Linux: pipes and sockets.
//!
//! A reactor needs reads and writes that don't block. Whether they block is a property of the open
//! file, not of the descriptor, and an open file is shared: with the parent, with its other
//! children, and between standard output and standard error if both are the same. A process that
//! doesn't expect the change loses output. So the property is not changed, and threads handle the
//! files that can't be used in this way.
//!
//! A pipe is opened again, which creates another open file of the same pipe that no other process
//! shares. This is done only for an anonymous pipe, because a reactor would never notice the end of
//! a named pipe whose writers have already gone.

mod socket;

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FsWord, OFlags, fcntl_getfl, fstatfs};
use tokio::io::{AsyncRead, AsyncWrite, Interest};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

use self::socket::StdioSocket;

/// The standard input; `None` if a thread has to read it.
pub(super) fn input() -> Option<Box<dyn AsyncRead + Send + Unpin>> {
    match input_pipe() {
        Some(pipe) => Some(Box::new(pipe)),
        None => Some(Box::new(StdioSocket::of(
            io::stdin().as_fd(),
            Interest::READABLE,
        )?)),
    }
}

/// The standard output; `None` if a thread has to write it.
pub(super) fn output() -> Option<Box<dyn AsyncWrite + Send + Unpin>> {
    match output_pipe() {
        Some(pipe) => Some(Box::new(pipe)),
        None => Some(Box::new(StdioSocket::of(
            io::stdout().as_fd(),
            Interest::WRITABLE,
        )?)),
    }
}

/// The pipe at standard input, if there is one and this process may open it.
fn input_pipe() -> Option<Receiver> {
    if !is_pipe(io::stdin().as_fd(), OFlags::WRONLY) {
        return None;
    }
    OpenOptions::new().open_receiver("/proc/self/fd/0").ok()
}

/// The pipe at standard output, if there is one and this process may open it.
fn output_pipe() -> Option<Sender> {
    if !is_pipe(io::stdout().as_fd(), OFlags::RDONLY) {
        return None;
    }
    OpenOptions::new().open_sender("/proc/self/fd/1").ok()
}

/// Whether `descriptor` is the right end of an anonymous pipe, because at the other end this
/// process would communicate with itself.
///
/// Queries the descriptor, because reading its link in `/proc` takes a fiftieth of the start-up
/// time.
fn is_pipe(descriptor: BorrowedFd<'_>, other_end: OFlags) -> bool {
    let is_nameless = fstatfs(descriptor).is_ok_and(|found| found.f_type == PIPEFS_MAGIC);
    is_nameless && fcntl_getfl(descriptor).is_ok_and(|flags| flags & OFlags::ACCMODE != other_end)
}

/// The file system of anonymous pipes.
const PIPEFS_MAGIC: FsWord = 0x5049_5045;
