//! What a server does not have at all: to whoever lists it, that is an empty listing with a note, and no failure.

use plainly::client::{self, Error, LocalError};

/// The listing; an empty one if the server has nothing of the kind.
pub(super) fn or_none<T: Default>(listing: client::Result<T>, kind: &str) -> client::Result<T> {
    match listing {
        Err(error) if is_lacking(&error) => {
            tracing::warn!("this server has no {kind}");
            Ok(T::default())
        }
        listing => listing,
    }
}

/// Whether it is because the server has nothing of the kind.
pub(super) fn is_lacking(error: &Error) -> bool {
    let is_undeclared = matches!(error.local(), Some(LocalError::NotDeclared { .. }));
    is_undeclared || error.is_method_not_found()
}
