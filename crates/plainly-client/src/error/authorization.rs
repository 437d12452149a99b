//! Errors of authorization: the failure between a server that requires credentials and the
//! credentials. Each names the server, the failure and the reason; the remedy is in [`advice`].

mod advice;
mod words;

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::problem::wait_in_words;

use super::{Error, LocalError};

use self::words::{Address, Answered, Scopes, Theirs, Tried, Why};

/// The source of a token that no authorization server issued.
const OWN: &str = "this client's settings";

/// The reason why there are no credentials that a server accepts: the rejected or faulty part, its
/// author, and the cause.
///
/// What others say is in quotation marks, without control characters, and at most 500 characters of it. URLs are shown without
/// user name and query. No variant has a token, a code or a secret in it.
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum AuthError {
    /// The server requires a login, and there is no user to ask.
    #[error("{} wants a login{}, and nobody can be asked for it here", Address(.server), Scopes(" with the scope", .scopes))]
    LoginRequired {
        /// The URL of the server.
        server: String,
        /// The scopes that it requires; empty if it names none.
        scopes: Vec<String>,
        /// Whether there is a login, which has not all of them.
        has_login: bool,
    },
    /// The server requires credentials, but names no authorization server.
    #[error("{} wants credentials, but does not say where to log in{}", Address(.server), Tried(.tried))]
    NoAuthorizationServer {
        /// The URL of the server.
        server: String,
        /// The URLs that were asked, each with the HTTP status of its answer.
        tried: Vec<(String, u16)>,
    },
    /// Metadata, of a server or of an authorization server, can't be used.
    #[error("the metadata at {} can't be used: {}", Address(.url), Why(.why))]
    Metadata {
        /// The URL of the metadata.
        url: String,
        /// The fault.
        why: String,
        /// The HTTP status of the answer, if that is the fault.
        status: Option<u16>,
    },
    /// A server names an address that it may not send this client to. Nothing was sent there.
    #[error("{} is no address that the server may send this client to: {}", Address(.url), Why(.why))]
    Fenced {
        /// The address.
        url: String,
        /// The fault.
        why: String,
    },
    /// Nothing answers at a URL that a login needs: of an authorization server, or of metadata.
    #[error("cannot reach {}, which a login needs", Address(.url))]
    Unreachable {
        /// The URL.
        url: String,
        /// The cause, in name resolution, connecting, TLS or the answer.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The metadata of the server are about another one. Nothing was sent anywhere.
    #[error("the metadata of {} are about the resource {}", Address(.expected), Theirs(.got))]
    ResourceMismatch {
        /// The URL of the server.
        expected: String,
        /// The resource that they are about, as they spell it.
        got: String,
    },
    /// An authorization server is another one than it should be. It was sent nothing that is secret.
    #[error("{at} is of the issuer {}, and should be of {}", Theirs(.got), Theirs(.expected))]
    IssuerMismatch {
        /// The authorization server that it should be.
        expected: String,
        /// The issuer that it names.
        got: String,
        /// The place of the name.
        at: IssuerPlace,
    },
    /// The authorization server names itself in the answers of logins, but not in this one. The answer was not used.
    #[error("the answer to the login at {} does not say that it is from there (`iss`), as that server's do", Address(.issuer))]
    IssuerMissing {
        /// The authorization server.
        issuer: String,
    },
    /// The authorization server does not declare PKCE with S256, without which a login could be stolen.
    #[error("{} does not say that it supports PKCE (`code_challenge_methods_supported` with `S256`)", Address(.issuer))]
    PkceUnsupported {
        /// The authorization server.
        issuer: String,
    },
    /// This client has no id at the authorization server, and can't get one by itself.
    #[error("this client has no id at {}, which does not give any to clients it does not know", Address(.issuer))]
    NoClientId {
        /// The authorization server.
        issuer: String,
        /// The redirect URI of this client.
        redirect_uri: String,
        /// The scopes that it wants.
        scopes: Vec<String>,
    },
    /// The authorization server refuses to register this client.
    #[error("{} refuses to register this client: HTTP status {status}{}", Address(.issuer), Answered(error.as_deref(), description.as_deref()))]
    RegistrationRefused {
        /// The authorization server.
        issuer: String,
        /// The HTTP status.
        status: u16,
        /// Its code for that (RFC 7591, 3.2.2), if it has one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The authorization server does not take tokens back. They are forgotten here, and good until they end.
    #[error("{} does not take the tokens back: HTTP status {status}{}", Address(.issuer), Answered(error.as_deref(), description.as_deref()))]
    RevocationRefused {
        /// The authorization server.
        issuer: String,
        /// The HTTP status.
        status: u16,
        /// Its code for that (RFC 7009, 2.2.1), if it has one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// The login was declined, by the user or by the authorization server.
    #[error("the login at {} was refused{}", Address(.issuer), Answered(Some(error.as_str()), description.as_deref()))]
    Denied {
        /// The authorization server.
        issuer: String,
        /// Its code for that (RFC 6749, 4.1.2.1).
        error: String,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// A browser came back with something that is no answer to this login. It was not used.
    #[error("what came back from the login at {} is no answer to it: {}", Address(.issuer), Why(.why))]
    Callback {
        /// The authorization server.
        issuer: String,
        /// The fault.
        why: String,
    },
    /// Nobody has logged in in time.
    #[error("nobody has logged in at {} within {}", Address(.issuer), wait_in_words(*.after))]
    ConsentTimedOut {
        /// The authorization server.
        issuer: String,
        /// The time that this client waited.
        after: Duration,
    },
    /// The page of the login could not be shown, or its answer not be received.
    #[error("nobody can be sent to log in at {}", Address(.issuer))]
    ConsentFailed {
        /// The authorization server.
        issuer: String,
        /// The cause: no browser, or a port that is taken.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The authorization server refuses to give a token.
    #[error("{} refuses a token for the grant `{grant}`: HTTP status {status}{}", Address(.issuer), Answered(error.as_deref(), description.as_deref()))]
    TokenRefused {
        /// The authorization server.
        issuer: String,
        /// The kind of grant, such as `refresh_token`.
        grant: String,
        /// The HTTP status.
        status: u16,
        /// Its code for that (RFC 6749, 5.2), if it has one.
        error: Option<String>,
        /// The server's description of the error.
        description: Option<String>,
    },
    /// A token can't be used.
    #[error("the token from {} can't be used: {}", Address(.from), Why(.why))]
    TokenUnusable {
        /// The source of the token: an authorization server, or the program.
        from: String,
        /// The fault; nothing of the token itself.
        why: String,
    },
    /// A token bound to a key was requested, and an unbound one came. It was not sent anywhere.
    #[error("{} gave a token of the type Bearer where one of the type DPoP was asked for", Address(.issuer))]
    DpopDowngraded {
        /// The authorization server.
        issuer: String,
    },
    /// The server wants scopes that this user does not get.
    #[error("{} refuses for want of rights{}{}", Address(.server), Scopes("; it wants the scope", .wanted), Scopes("; the login gave the scope", .granted))]
    ScopeRefused {
        /// The URL of the server.
        server: String,
        /// The scopes that it wants.
        wanted: Vec<String>,
        /// The scopes that the token has.
        granted: Vec<String>,
    },
    /// The server refuses a token that its own authorization server has just given.
    #[error("{} refuses the token that its own authorization server {} has just given", Address(.server), Address(.issuer))]
    StillUnauthorized {
        /// The URL of the server.
        server: String,
        /// The authorization server.
        issuer: String,
    },
    /// The credentials would go to another machine unencrypted. They were not sent.
    #[error("credentials are not sent to {} unencrypted: anybody on the way could read and use them", Address(.server))]
    Plaintext {
        /// The URL of the server.
        server: String,
    },
    /// The client's id was given for one authorization server, and the server wants another. The id was not sent there.
    #[error("the client id is for {}, and the server wants a login at {}", Address(.expected), Theirs(.got))]
    ClientOfAnotherIssuer {
        /// The authorization server that the id is for.
        expected: String,
        /// The one that the server names.
        got: String,
    },
    /// The stored logins can't be read or written.
    #[error("logins can't be kept or found again")]
    Store {
        /// The cause: a file, its permissions, a lock.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// The key of this client can't be used.
    #[error("the key of this client can't be used")]
    Key {
        /// The cause: its form, or the algorithm.
        source: Arc<dyn StdError + Send + Sync>,
    },
    /// This program was asked for a token or an assertion, and failed.
    #[error("no token could be had from this program")]
    Assertion {
        /// Its error.
        source: Arc<dyn StdError + Send + Sync>,
    },
}

/// The place where an authorization server names itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum IssuerPlace {
    /// In its metadata.
    Metadata,
    /// In the answer to a login (`iss`, RFC 9207).
    Callback,
}

impl From<AuthError> for Error {
    fn from(error: AuthError) -> Self {
        LocalError::Authorization(error.into()).into()
    }
}

impl AuthError {
    /// For an authorizer that gets its credentials elsewhere: that failed with this error.
    pub fn of_program(source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Assertion {
            source: Arc::from(source.into()),
        }
    }

    /// A URL as errors show it: without user name, password, query and fragment, and otherwise as it is spelled.
    pub fn shown_url(url: &str) -> String {
        Address(url).to_string()
    }

    /// For a token that this program was given or made.
    #[cfg(feature = "http")]
    pub(crate) fn unusable(why: &str) -> Self {
        Self::TokenUnusable {
            from: OWN.to_owned(),
            why: why.to_owned(),
        }
    }

    /// Whether the user has to log in first.
    pub fn is_login_required(&self) -> bool {
        matches!(self, Self::LoginRequired { .. })
    }

    /// Whether the user or the authorization server declined the login.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::Denied { .. })
    }

    /// Whether the user has not the rights that the server wants.
    pub fn is_insufficient_scope(&self) -> bool {
        matches!(self, Self::ScopeRefused { .. })
    }

    /// Whether the same may succeed later, unchanged: an authorization server was not reached, asked for fewer requests, or
    /// failed.
    pub fn is_retryable(&self) -> bool {
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
}

// No more than `Display` shows, and the causes: the fields may have whole URLs.
plainly_errors::debug_with_causes!(AuthError);

#[cfg(test)]
mod tests;
