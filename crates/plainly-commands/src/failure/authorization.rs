//! An error of authorization for scripts: its kind, in a word, and its authorization server.

use plainly::client::AuthError;
use serde_json::{Value, json};

/// The members that `--json` adds for such an error.
pub(super) fn about(error: &AuthError) -> Value {
    let issuer = error.issuer().map(AuthError::shown_url);
    json!({ "kind": error.kind(), "issuer": issuer, "error": error.code() })
}
