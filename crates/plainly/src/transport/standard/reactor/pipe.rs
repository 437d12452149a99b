//! Pipes, opened anew: that gives another open file of the same pipe, which nobody shares.
//!
//! Only nameless ones. Of a pipe with a name whose writers are gone already, no reactor would hear that it has ended.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tokio::net::unix::pipe::{OpenOptions, Receiver, Sender};

/// What standard input reads, if that is a pipe, and this process may open it.
pub(super) fn input() -> Option<Receiver> {
    let path = end_of_pipe("/proc/self/fd/0", OWNER_READS)?;
    OpenOptions::new().open_receiver(path).ok()
}

/// What standard output writes to, if that is a pipe, and this process may open it.
pub(super) fn output() -> Option<Sender> {
    let path = end_of_pipe("/proc/self/fd/1", OWNER_WRITES)?;
    OpenOptions::new().open_sender(path).ok()
}

/// `path`, if that is this end of a nameless pipe: who opened the other would talk to itself.
fn end_of_pipe(path: &'static str, end: u32) -> Option<&'static str> {
    let mode = fs::symlink_metadata(path).ok()?.permissions().mode();
    let target = fs::read_link(path).ok()?;
    let is_pipe = target.as_os_str().as_encoded_bytes().starts_with(b"pipe:[");
    (is_pipe && mode & end != 0).then_some(path)
}

// What a descriptor was opened for is the mode of its link in `/proc/self/fd`.
const OWNER_READS: u32 = 0o400;
const OWNER_WRITES: u32 = 0o200;
