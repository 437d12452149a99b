//! Errors of logins. Each names the server, the failure and the reason; the remedy is in `advice`.

mod advice;
#[cfg(test)]
mod tests;
mod words;

use std::borrow::Cow;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use plainly_client::{AuthError, AuthorizerError, Error};
use plainly_errors::problem::wait_in_words;

use self::words::{access, answer, attempts, quoted, reason, scope_list, shown_url};

/// The reason why a login fails: the rejected or faulty part, its source, and the cause.
///
/// Texts of other parties are in quotation marks, without control characters, and shortened in the
/// middle if they are long. URLs are shown without user name and query. No variant contains a
/// token, a code or a secret.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OAuthError {
    /// The server requires a login, and there is no user to ask.
    #[error(
        "{} requires a login{}, and there is no user to ask",
        shown_url(.server), scope_list(" with the scope", .scopes)
    )]
    LoginRequired {
        /// The URL of the server.
        server: String,
        /// The scopes that it requires; empty if it names none.
        scopes: Vec<String>,
        /// Whether the user is logged in, without some of these scopes.
        has_login: bool,
    },
    /// The server requires credentials, but names no authorization server.
    #[error(
        "{} requires credentials, but names no authorization server{}",
        shown_url(.server), attempts(.tried)
    )]
    NoAuthorizationServer {
        /// The URL of the server.
        server: String,
        /// The requested URLs, each with the HTTP status of its answer.
        tried: Vec<(String, u16)>,
    },
    /// The metadata of a server or of an authorization server can't be used.
    #[error("the metadata at {} is unusable: {}", shown_url(.url), reason(.why))]
    Metadata {
        /// The URL of the metadata.
        url: String,
        /// The fault.
        why: String,
        /// The HTTP status of the answer, if that is the fault.
        status: Option<u16>,
    },
    /// A server names a URL that this client must not contact. Nothing was sent there.
    #[error(
        "the server names {}, which this client must not contact: {}",
        shown_url(.url), reason(.why)
    )]
    Fenced {
        /// The URL.
        url: String,
        /// The fault.
        why: String,
    },
    /// A URL that the login needs, of an authorization server or of metadata, can't be reached.
    #[error("cannot reach {}, which the login needs", shown_url(.url))]
    Unreachable {
        /// The URL.
        url: String,
        /// The cause, in name resolution, connecting, TLS or the answer.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The metadata of the server is for another server. Nothing was sent anywhere.
    #[error("the metadata of {} is for another resource: {}", shown_url(.expected), quoted(.got))]
    ResourceMismatch {
        /// The URL of the server.
        expected: String,
        /// The resource of the metadata, as it spells it.
        got: String,
    },
    /// An authorization server is not the expected one. No secret was sent to it.
    #[error("{at} has the issuer {}, expected {}", quoted(.got), quoted(.expected))]
    IssuerMismatch {
        /// The expected authorization server.
        expected: String,
        /// The issuer that the authorization server names.
        got: String,
        /// The place of the name.
        at: IssuerPlace,
    },
    /// The authorization server announces that login responses contain its issuer, and this
    /// response has none. The response was not used.
    #[error(
        "the login response of {} has no issuer (`iss`), although that server announces one",
        shown_url(.issuer)
    )]
    IssuerMissing {
        /// The authorization server.
        issuer: String,
    },
    /// The authorization server does not announce PKCE with S256. Without it, an attacker could
    /// steal a login.
    #[error(
        "{} does not announce PKCE (`code_challenge_methods_supported` with `S256`)",
        shown_url(.issuer)
    )]
    PkceUnsupported {
        /// The authorization server.
        issuer: String,
    },
    /// This client has no id at the authorization server, and can't register there.
    #[error("this client has no id at {}, which does not register clients", shown_url(.issuer))]
    NoClientId {
        /// The authorization server.
        issuer: String,
        /// The redirect URI of this client.
        redirect_uri: String,
        /// The scopes to request.
        scopes: Vec<String>,
    },
    /// The authorization server rejected the registration of this client.
    #[error(
        "{} rejected the registration of this client: HTTP status {status}{}",
        shown_url(.issuer), answer(error.as_deref(), description.as_deref())
    )]
    RegistrationRefused {
        /// The authorization server.
        issuer: String,
        /// The HTTP status.
        status: u16,
        /// The server's error code (RFC 7591, 3.2.2), if it sent one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The authorization server did not revoke the tokens. They are removed from the store, and
    /// stay valid until they expire.
    #[error(
        "{} did not revoke the tokens: HTTP status {status}{}",
        shown_url(.issuer), answer(error.as_deref(), description.as_deref())
    )]
    RevocationRefused {
        /// The authorization server.
        issuer: String,
        /// The HTTP status.
        status: u16,
        /// The server's error code (RFC 7009, 2.2.1), if it sent one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The login was declined, by the user or by the authorization server.
    #[error(
        "the login at {} was denied{}",
        shown_url(.issuer), answer(Some(error), description.as_deref())
    )]
    Denied {
        /// The authorization server.
        issuer: String,
        /// The server's error code (RFC 6749, 4.1.2.1).
        error: String,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The browser returned an invalid response to this login. The response was not used.
    #[error("invalid response to the login at {}: {}", shown_url(.issuer), reason(.why))]
    Callback {
        /// The authorization server.
        issuer: String,
        /// The fault.
        why: String,
    },
    /// The user did not log in in time.
    #[error(
        "the login at {} was not finished within {}",
        shown_url(.issuer), wait_in_words(*.after)
    )]
    ConsentTimedOut {
        /// The authorization server.
        issuer: String,
        /// The time that this client waited.
        after: Duration,
    },
    /// The login page could not be shown, or the browser can't be redirected back.
    #[error("cannot show the login page of {}", shown_url(.issuer))]
    ConsentFailed {
        /// The authorization server.
        issuer: String,
        /// The cause: no browser, or a port that is taken.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The authorization server rejected a token request.
    #[error(
        "{} rejected the token request (grant `{grant}`): HTTP status {status}{}",
        shown_url(.issuer), answer(error.as_deref(), description.as_deref())
    )]
    TokenRefused {
        /// The authorization server.
        issuer: String,
        /// The kind of grant, such as `refresh_token`.
        grant: String,
        /// The HTTP status.
        status: u16,
        /// The server's error code (RFC 6749, 5.2), if it sent one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// A token can't be used.
    #[error("cannot use the token from {}: {}", shown_url(.from), reason(.why))]
    TokenUnusable {
        /// The source of the token: an authorization server, or the program.
        from: String,
        /// The fault, without any part of the token.
        why: String,
    },
    /// The authorization server issued an unbound token, although a token bound to a key was
    /// requested. The token was not used.
    #[error("{} issued a token of the type Bearer, expected DPoP", shown_url(.issuer))]
    DpopDowngraded {
        /// The authorization server.
        issuer: String,
    },
    /// The server requires scopes that the user was not granted.
    #[error("access denied by {}{}", shown_url(.server), access(.wanted, .granted))]
    ScopeRefused {
        /// The URL of the server.
        server: String,
        /// The required scopes.
        wanted: Vec<String>,
        /// The scopes that the token has.
        granted: Vec<String>,
    },
    /// The server rejects a token that its own authorization server just issued.
    #[error(
        "{} rejected the token that its authorization server {} just issued",
        shown_url(.server), shown_url(.issuer)
    )]
    StillUnauthorized {
        /// The URL of the server.
        server: String,
        /// The authorization server.
        issuer: String,
    },
    /// The client's id is for one authorization server, and the MCP server names another. The id
    /// was not sent there.
    #[error(
        "the client id is for {}, but the server requires a login at {}",
        shown_url(.expected), quoted(.got)
    )]
    ClientOfAnotherIssuer {
        /// The authorization server that the id is for.
        expected: String,
        /// The authorization server that the MCP server names.
        got: String,
    },
    /// The stored logins can't be read or written.
    #[error("cannot read or write the stored logins")]
    Store {
        /// The cause: a file, its permissions, a lock.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The key of this client can't be used.
    #[error("cannot use the key of this client")]
    Key {
        /// The cause: its form, or the algorithm.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// This program failed to provide an assertion.
    #[error("this program provided no assertion")]
    Assertion {
        /// The program's error.
        source: Arc<dyn StdError + Send + Sync>,
    },
}

/// The place where an authorization server names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IssuerPlace {
    /// In its metadata.
    Metadata,
    /// In the response to a login (`iss`, RFC 9207).
    Callback,
}

impl AuthorizerError for OAuthError {
    fn kind(&self) -> &'static str {
        self.summary().0
    }

    fn issuer(&self) -> Option<&str> {
        self.summary().1
    }

    fn code(&self) -> Option<&str> {
        self.summary().2
    }

    fn is_retryable(&self) -> bool {
        if let Self::Metadata {
            status: Some(status),
            ..
        }
        | Self::RegistrationRefused { status, .. }
        | Self::RevocationRefused { status, .. }
        | Self::TokenRefused { status, .. } = self
        {
            return matches!(status, 429 | 500..);
        }
        matches!(self, Self::Unreachable { .. })
    }

    fn advice(&self) -> Cow<'static, str> {
        match self.is_retryable() {
            true => "try again later".into(),
            false => self.remedy(),
        }
    }
}

impl OAuthError {
    /// The kind of failure, the authorization server, and the error code that it returned.
    fn summary(&self) -> (&'static str, Option<&str>, Option<&str>) {
        let at = |kind, issuer| (kind, Some(issuer), None);
        let alone = |kind| (kind, None, None);
        match self {
            Self::LoginRequired { .. } => alone("login-required"),
            Self::NoAuthorizationServer { .. } => alone("no-authorization-server"),
            Self::Metadata { .. } => alone("metadata"),
            Self::Fenced { .. } => alone("fenced"),
            Self::Unreachable { .. } => alone("unreachable"),
            Self::ResourceMismatch { .. } => alone("resource-mismatch"),
            Self::IssuerMismatch { expected, .. } => at("issuer-mismatch", &**expected),
            Self::IssuerMissing { issuer } => at("issuer-missing", issuer),
            Self::PkceUnsupported { issuer } => at("pkce-unsupported", issuer),
            Self::NoClientId { issuer, .. } => at("no-client-id", issuer),
            Self::RegistrationRefused { issuer, error, .. } => {
                ("registration-refused", Some(issuer), error.as_deref())
            }
            Self::RevocationRefused { issuer, error, .. } => {
                ("revocation-refused", Some(issuer), error.as_deref())
            }
            Self::Denied { issuer, error, .. } => ("denied", Some(issuer), Some(error)),
            Self::Callback { issuer, .. } => at("callback", issuer),
            Self::ConsentTimedOut { issuer, .. } => at("consent-timed-out", issuer),
            Self::ConsentFailed { issuer, .. } => at("consent-failed", issuer),
            Self::TokenRefused { issuer, error, .. } => {
                ("token-refused", Some(issuer), error.as_deref())
            }
            Self::TokenUnusable { .. } => alone("token-unusable"),
            Self::DpopDowngraded { issuer } => at("dpop-downgraded", issuer),
            Self::ScopeRefused { .. } => alone("scope-refused"),
            Self::StillUnauthorized { issuer, .. } => at("still-unauthorized", issuer),
            Self::ClientOfAnotherIssuer { expected, .. } => {
                at("client-of-another-issuer", expected)
            }
            Self::Store { .. } => alone("store"),
            Self::Key { .. } => alone("key"),
            Self::Assertion { .. } => alone("assertion"),
        }
    }
}

impl From<OAuthError> for AuthError {
    fn from(error: OAuthError) -> Self {
        Self::Authorizer(Arc::new(error))
    }
}

impl From<OAuthError> for Error {
    fn from(error: OAuthError) -> Self {
        AuthError::from(error).into()
    }
}

// The `Debug` output is limited to `Display` and the causes, because the fields may contain whole
// URLs.
plainly_errors::debug_with_causes!(OAuthError);
