//! The credentials that were sent. A server may repeat them, so they are masked in every error.

use std::borrow::Cow;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use http::HeaderMap;

use super::Mask;

/// The credentials of every connection of this process.
static SENT: LazyLock<Mutex<Mask>> = LazyLock::new(Mutex::default);

/// Stores the secrets in the headers of a request.
pub(crate) fn keep(headers: &HeaderMap) {
    sent().learn_headers(headers);
}

/// The text without credentials that were sent.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    sent().text(text)
}

fn sent() -> MutexGuard<'static, Mask> {
    SENT.lock().unwrap_or_else(PoisonError::into_inner)
}
