//! Pipes, opened again: this gives another open file of the same pipe, which no other process shares. (Linux)
//!
//! Only nameless ones: a reactor would never learn that a named pipe has ended if its writers were gone before.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FsWord, OFlags, fcntl_getfl, fstatfs};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

/// The pipe at standard input, if there is one and this process may open it.
pub(super) fn input() -> Option<Receiver> {
    if !is_pipe(io::stdin().as_fd(), OFlags::WRONLY) {
        return None;
    }
    OpenOptions::new().open_receiver("/proc/self/fd/0").ok()
}

/// The pipe at standard output, if there is one and this process may open it.
pub(super) fn output() -> Option<Sender> {
    if !is_pipe(io::stdout().as_fd(), OFlags::RDONLY) {
        return None;
    }
    OpenOptions::new().open_sender("/proc/self/fd/1").ok()
}

/// Whether `descriptor` is the right end of a nameless pipe: this process would talk to itself at the other one.
///
/// Asks the descriptor, because looking at its link in `/proc` takes a fiftieth of the time to start.
fn is_pipe(descriptor: BorrowedFd<'_>, other_end: OFlags) -> bool {
    let is_nameless = fstatfs(descriptor).is_ok_and(|found| found.f_type == PIPEFS_MAGIC);
    is_nameless && fcntl_getfl(descriptor).is_ok_and(|flags| flags & OFlags::ACCMODE != other_end)
}

/// The file system of pipes that have no name.
const PIPEFS_MAGIC: FsWord = 0x5049_5045;
