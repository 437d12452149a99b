//! Writes bytes to an open file, piece by piece, while the caller waits.

use std::io::{self, Write};

use cap_std::fs::File;
use plainly::store::WriteError;

use super::failure::failed;
use crate::job::Waiter;
use crate::step::ChangeStep;

/// The number of bytes written between two checks.
pub(super) const PIECE: usize = 256 << 10;

/// Writes all bytes, and adds the number of written bytes to `written`.
pub(super) fn write(
    file: &mut File,
    bytes: &[u8],
    waiter: &Waiter,
    written: &mut u64,
) -> Result<(), WriteError> {
    let mut rest = bytes;
    while let Some(piece) = rest.chunks(PIECE).next() {
        waiter.check()?;
        let step = match *written {
            0 => ChangeStep::Write,
            _ => ChangeStep::WriteRest,
        };
        step.begin().map_err(failed)?;
        match file.write(piece) {
            Ok(0) => return Err(failed(io::ErrorKind::WriteZero.into())),
            Ok(length) => {
                *written += length as u64;
                rest = rest.get(length..).unwrap_or_default();
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(failed(error)),
        }
    }
    Ok(())
}
