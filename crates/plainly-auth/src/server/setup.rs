//! Mistakes in the configuration of a resource server.

use plainly_oauth::is_this_machine;
use url::Url;

use super::verifier::VerificationError;

/// An error in the configuration of a resource server.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum AuthSetupError {
    /// The public URL can't be the audience of tokens.
    #[error("invalid public URL {url:?}: {why}")]
    PublicUrl {
        /// The URL.
        url: String,
        /// The reason.
        why: &'static str,
    },
    /// The issuer is invalid.
    #[error("invalid issuer {issuer:?}: {why}")]
    Issuer {
        /// The issuer.
        issuer: String,
        /// The reason.
        why: &'static str,
    },
    /// A scope has characters that a scope must not have.
    #[error("invalid scope {0:?}: expected visible ASCII without spaces, quotes and backslashes")]
    Scope(String),
    /// A public client is configured, but there is not exactly one authorization server for it.
    #[error(
        "a client id needs exactly one authorization server, where it is registered: there are {0}"
    )]
    ClientWithoutIssuer(usize),
    /// The metadata for the public client can't be built. The text is for the operator.
    #[error("cannot use the client id: {0}")]
    Client(String),
    /// No token verifier is configured.
    #[error("no token verifier is configured: add an issuer or a list of keys")]
    NoVerifier,
    /// No verifier is available.
    #[error(transparent)]
    Unready(#[from] VerificationError),
}

plainly_errors::debug_with_causes!(AuthSetupError);

pub(super) fn check_public_url(text: &str) -> Result<(), AuthSetupError> {
    let wrong = |why| {
        let url = text.to_owned();
        Err(AuthSetupError::PublicUrl { url, why })
    };
    match not_a_place(text, "expected a URL such as https://mcp.example.com/mcp") {
        Some(why) => wrong(why),
        None if text.contains(['?', '#']) => wrong("it has a query or a fragment"),
        None => Ok(()),
    }
}

pub(super) fn check_issuer(text: &str) -> Result<(), AuthSetupError> {
    match not_a_place(text, "expected a URL such as https://login.example.com") {
        Some(why) => {
            let issuer = text.to_owned();
            Err(AuthSetupError::Issuer { issuer, why })
        }
        None => Ok(()),
    }
}

/// The reason why a text is no URL that tokens and keys may be requested from, if there is one;
/// `expected` if it is no URL at all.
fn not_a_place(text: &str, expected: &'static str) -> Option<&'static str> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    let url = Url::parse(text)
        .ok()
        .filter(|url| is_plain && url.has_host());
    let Some(url) = url else {
        return Some(expected);
    };
    match url.scheme() {
        "https" => {}
        "http" if is_this_machine(&url) => {}
        "http" => return Some("plain HTTP would expose tokens: use https"),
        _ => return Some("expected an https URL"),
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    has_user.then_some("it contains a user name or a password")
}
