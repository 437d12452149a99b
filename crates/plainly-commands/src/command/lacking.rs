//! Handles features that a server lacks entirely: a listing is then empty, with a note, and no
//! failure.

use plainly::client::{self, Error, LocalError};
use plainly::errors::Revision;
use plainly::protocol::method::Method;

use crate::output::Output;

/// The listing; an empty one if the server lacks the feature. The user gets a note that it is
/// empty.
pub(super) fn or_none<T>(
    listing: client::Result<Vec<T>>,
    kind: &str,
    output: &Output,
) -> client::Result<Vec<T>> {
    match listing {
        Err(error) if is_lacking(&error) => {
            tracing::warn!("this server has no {kind}");
            Ok(Vec::new())
        }
        Ok(listed) if listed.is_empty() && !output.is_json() => {
            tracing::warn!("this server lists no {kind}");
            Ok(listed)
        }
        listing => listing,
    }
}

/// Whether the error means that the server lacks the feature.
pub(super) fn is_lacking(error: &Error) -> bool {
    let is_undeclared = matches!(error.local(), Some(LocalError::NotDeclared { .. }));
    is_undeclared || error.is_method_not_found()
}

/// The reason why this revision has no tasks, if it has none.
pub(super) fn no_tasks(revision: Revision) -> Option<String> {
    let has_tasks = Method::GetTask.is_in(revision);
    (!has_tasks).then(|| {
        format!("the connection speaks {revision}, and plainly has tasks from 2026-07-28 on")
    })
}
