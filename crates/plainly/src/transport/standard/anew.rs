//! Pipes that are opened anew, for the reactor. (Linux)
//!
//! A reactor needs reads and writes that don't block. Whether they do is a property of the open file, not of the descriptor,
//! and an open file is shared: with the parent, with its other children, and by standard output with standard error where
//! both are one pipe. Whoever of them doesn't expect it then loses what it writes. A pipe that is opened anew is another open
//! file of the same pipe.
//!
//! Nothing but a nameless pipe is opened here. One with a name, whose writers had gone before, would never be said to have ended.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

/// What standard input reads, if that is a pipe which this process may open.
pub(super) fn input() -> Option<Receiver> {
    let path = pipe("/proc/self/fd/0", OWNER_READS)?;
    // Whatever keeps it from being opened, it can still be read as it is.
    OpenOptions::new().open_receiver(path).ok()
}

/// What standard output writes to, if that is a pipe which this process may open.
pub(super) fn output() -> Option<Sender> {
    let path = pipe("/proc/self/fd/1", OWNER_WRITES)?;
    // As above.
    OpenOptions::new().open_sender(path).ok()
}

/// `path` if the descriptor that it names is the end of a nameless pipe for which it is used: at `path` one could open the other.
fn pipe(path: &'static str, end: u32) -> Option<&'static str> {
    let is_end = fs::symlink_metadata(path).ok()?.permissions().mode() & end != 0;
    let target = fs::read_link(path).ok()?;
    let is_pipe = target.as_os_str().as_encoded_bytes().starts_with(b"pipe:[");
    (is_pipe && is_end).then_some(path)
}

// The mode of a link in `/proc/self/fd` says what its descriptor is open for.
const OWNER_READS: u32 = 0o400;
const OWNER_WRITES: u32 = 0o200;
