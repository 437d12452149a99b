//! An error of authorization for scripts: what it is, in a word, and of which authorization server.

use plainly::client::AuthError;
use serde_json::{Value, json};

/// The members that `--json` adds for such an error.
pub(super) fn about(error: &AuthError) -> Value {
    let (kind, issuer, code) = parts(error);
    let issuer = issuer.map(AuthError::shown_url);
    json!({ "kind": kind, "issuer": issuer, "error": code })
}

/// The word for it, the authorization server, and the code that this gave.
fn parts(error: &AuthError) -> (&'static str, Option<&str>, Option<&str>) {
    let of = |kind, issuer| (kind, Some(issuer), None);
    let alone = |kind| (kind, None, None);
    match error {
        AuthError::LoginRequired { .. } => alone("login-required"),
        AuthError::NoAuthorizationServer { .. } => alone("no-authorization-server"),
        AuthError::Metadata { .. } => alone("metadata"),
        AuthError::Fenced { .. } => alone("fenced"),
        AuthError::Unreachable { .. } => alone("unreachable"),
        AuthError::ResourceMismatch { .. } => alone("resource-mismatch"),
        AuthError::IssuerMismatch { expected, .. } => of("issuer-mismatch", &**expected),
        AuthError::IssuerMissing { issuer, .. } => of("issuer-missing", issuer),
        AuthError::PkceUnsupported { issuer, .. } => of("pkce-unsupported", issuer),
        AuthError::NoClientId { issuer, .. } => of("no-client-id", issuer),
        AuthError::RegistrationRefused { issuer, error, .. } => {
            ("registration-refused", Some(issuer), error.as_deref())
        }
        AuthError::RevocationRefused { issuer, error, .. } => {
            ("revocation-refused", Some(issuer), error.as_deref())
        }
        AuthError::Denied { issuer, error, .. } => ("denied", Some(issuer), Some(error)),
        AuthError::Callback { issuer, .. } => of("callback", issuer),
        AuthError::ConsentTimedOut { issuer, .. } => of("consent-timed-out", issuer),
        AuthError::ConsentFailed { issuer, .. } => of("consent-failed", issuer),
        AuthError::TokenRefused { issuer, error, .. } => {
            ("token-refused", Some(issuer), error.as_deref())
        }
        AuthError::TokenUnusable { .. } => alone("token-unusable"),
        AuthError::DpopDowngraded { issuer, .. } => of("dpop-downgraded", issuer),
        AuthError::ScopeRefused { .. } => alone("scope-refused"),
        AuthError::StillUnauthorized { issuer, .. } => of("still-unauthorized", issuer),
        AuthError::Plaintext { .. } => alone("plaintext"),
        AuthError::ClientOfAnotherIssuer { expected, .. } => {
            of("client-of-another-issuer", expected)
        }
        AuthError::Store { .. } => alone("store"),
        AuthError::Key { .. } => alone("key"),
        AuthError::Assertion { .. } => alone("assertion"),
        _ => alone("other"),
    }
}
