//! Terminals for tests.

use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// No child process inherits the user's end, so the terminal is closed when the test closes that
/// end.
#[cfg(target_os = "linux")]
const OWN: OpenptFlags = OpenptFlags::CLOEXEC;
#[cfg(not(target_os = "linux"))]
const OWN: OpenptFlags = OpenptFlags::empty();

/// A terminal: the user's end, and the end of a process.
pub(crate) fn terminal() -> (OwnedFd, OwnedFd) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OWN).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = rustix::fs::open(
        &name,
        OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
        Mode::empty(),
    )
    .unwrap();
    (master, slave)
}
