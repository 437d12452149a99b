//! Contains panics in an author's code: each ends only one request.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::future::{CatchUnwind, FutureExt};
use plainly_errors::{Internal, ProtocolError};

use super::answer::AnswerFuture;

/// Calls `calling`, and converts a panic to an error.
pub(super) fn caught<T>(calling: impl FnOnce() -> T) -> Result<T, ProtocolError> {
    catch_unwind(AssertUnwindSafe(calling)).map_err(|payload| panicked(&*payload))
}

/// The error for code of the program that panicked with this payload. Only the log gets the
/// payload.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> ProtocolError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ProtocolError::from(Internal::Failed)
        .with_source(format!("the program's code panicked: {text}"))
}

/// A handler whose panics end only itself.
pub(super) type GuardedHandler = CatchUnwind<AssertUnwindSafe<AnswerFuture>>;

/// Guards a handler against its panics.
pub(super) fn guarded(handler: AnswerFuture) -> GuardedHandler {
    AssertUnwindSafe(handler).catch_unwind()
}
