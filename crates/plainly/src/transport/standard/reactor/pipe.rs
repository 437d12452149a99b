//! Pipes, opened anew: that gives another open file of the same pipe, which nobody shares. (Linux)
//!
//! Only nameless ones. Of a pipe with a name whose writers are gone already, no reactor would hear that it has ended.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use rustix::fs::{FsWord, OFlags, fcntl_getfl, fstatfs};
use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

/// What standard input reads, if that is a pipe, and this process may open it.
pub(super) fn input() -> Option<Receiver> {
    if !is_pipe(io::stdin().as_fd(), OFlags::WRONLY) {
        return None;
    }
    OpenOptions::new().open_receiver("/proc/self/fd/0").ok()
}

/// What standard output writes to, if that is a pipe, and this process may open it.
pub(super) fn output() -> Option<Sender> {
    if !is_pipe(io::stdout().as_fd(), OFlags::RDONLY) {
        return None;
    }
    OpenOptions::new().open_sender("/proc/self/fd/1").ok()
}

/// Whether `descriptor` is of a nameless pipe, and not its other end: who opened that would talk to itself.
///
/// Asks the descriptor: to look at its link in `/proc` takes a fiftieth of a start.
fn is_pipe(descriptor: BorrowedFd<'_>, other_end: OFlags) -> bool {
    let is_nameless = fstatfs(descriptor).is_ok_and(|found| found.f_type == PIPEFS_MAGIC);
    is_nameless && fcntl_getfl(descriptor).is_ok_and(|flags| flags & OFlags::ACCMODE != other_end)
}

/// The file system of pipes that have no name.
const PIPEFS_MAGIC: FsWord = 0x5049_5045;
