//! What the operating system can't do, acted out: names that fail to be looked at or opened.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;

/// Something that the operating system is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Look,
    Open,
    /// To see what is in a directory.
    List,
}

/// An operation, the name with which it fails, and the error's number.
pub(super) type Fault = (Operation, &'static str, i32);

thread_local! {
    static FAULTS: RefCell<Vec<Fault>> = const { RefCell::new(Vec::new()) };
}

/// Fails if that was asked for on this thread.
pub(super) fn strike(operation: Operation, name: &OsStr) -> io::Result<()> {
    FAULTS.with_borrow(|faults| {
        for (failing, called, number) in faults {
            if (*failing, OsStr::new(called)) == (operation, name) {
                return Err(io::Error::from_raw_os_error(*number));
            }
        }
        Ok(())
    })
}

/// Does `work` while `faults` strike on this thread.
pub(super) fn during<T>(faults: &[Fault], work: impl FnOnce() -> T) -> T {
    FAULTS.set(faults.to_vec());
    let done = work();
    FAULTS.take();
    done
}
