//! The credentials that were sent: a server may repeat them, and no error of a command shows them.

use std::borrow::Cow;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use http::HeaderMap;

use super::Mask;

/// All of it, of every connection of this process.
static SENT: LazyLock<Mutex<Mask>> = LazyLock::new(Mutex::default);

/// Keeps in mind what is secret in the headers of a request.
pub(crate) fn keep(headers: &HeaderMap) {
    sent().learn_headers(headers);
}

/// The text without what was sent.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    sent().text(text)
}

fn sent() -> MutexGuard<'static, Mask> {
    SENT.lock().unwrap_or_else(PoisonError::into_inner)
}
