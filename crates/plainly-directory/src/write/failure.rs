//! Converts errors of the operating system during a change to those of the store.

use std::io;

use plainly::store::{StoreError, WriteError};

use crate::handle::{self, refuse};

/// The reason if an entry is not served. The same for all causes, so that writing reveals no more
/// than reading.
pub(super) const NOT_SERVED: &str = "nothing is served under this name: it is hidden or ignored, \
                                     or something other than a plain file or directory has it";

/// The error of a change that no caller may make.
pub(super) fn denied(why: &'static str) -> WriteError {
    WriteError::Denied { why: why.into() }
}

/// The error of a URI under which nothing can be created.
pub(super) fn invalid(why: &'static str) -> WriteError {
    WriteError::Store(StoreError::InvalidUri { why: why.into() })
}

/// The error of a call that changed nothing.
pub(crate) fn failed(error: io::Error) -> WriteError {
    use io::ErrorKind as Kind;

    let kind = error.kind();
    if handle::is_exhausted(&error) {
        return StoreError::Failed(error.into()).into();
    }
    match kind == Kind::StorageFull || kind == Kind::QuotaExceeded || kind == Kind::FileTooLarge {
        true => WriteError::Full {
            why: "the disk, or the server's share of it, is full".into(),
        },
        false if kind == Kind::ReadOnlyFilesystem => denied("the file system is read-only"),
        false if kind == Kind::PermissionDenied => {
            denied("the operating system lets the server change nothing there")
        }
        false => refuse(error).into(),
    }
}

/// The error of a call after which the change may have happened.
pub(super) fn unknown(error: io::Error) -> WriteError {
    WriteError::Unknown(error.into())
}
