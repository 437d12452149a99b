//! An error and why it came about, in one line.

use plainly::errors::ProtocolError;
use plainly::errors::mistake::shortened;

use crate::visible::visible;

/// The most bytes that are shown of a cause, because a server may send any.
const LONGEST_CAUSE: usize = 1_024;

/// The error and its innermost cause, in one line; those between are less useful than either.
pub(super) fn caused(error: &dyn std::error::Error) -> String {
    let text = visible(&error.to_string());
    let causes = || std::iter::successors(error.source(), |cause| cause.source());
    // What a server said is all that is known of the cause.
    let said = causes().find(|cause| cause.is::<ProtocolError>());
    match said
        .or_else(|| causes().last())
        .map(|cause| visible(&shortened(&cause.to_string(), LONGEST_CAUSE)))
    {
        // Some libraries say the cause in the error too.
        Some(cause) if !text.ends_with(&cause) => format!("{text}: {cause}"),
        Some(_) | None => text,
    }
}
