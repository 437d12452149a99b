//! Authorizers of this client's requests. Each is called for credentials before each HTTP request,
//! and once more when a request was rejected. Authorizers that already hold a token are here; those
//! that ask the user are elsewhere.

pub(crate) mod bearer;
mod nonce;
mod shared;
pub(crate) mod token_source;

use std::fmt;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

pub use self::nonce::dpop_nonce;
pub(crate) use crate::error::AuthError;
use crate::error::Challenge;
use crate::message::clocks::Clocks;

/// Authorizes requests: provides the credentials, and decides what to do when the server rejects
/// them.
///
/// It is called for every HTTP request of a connection: calls, notifications, streams and the end
/// of a session. Its credentials are sent to that server alone: redirects are not followed, and
/// credentials are sent unencrypted only to the same machine, unless the client [allows
/// more](crate::Builder::allow_plaintext_token).
///
/// It acts for one user. A program with several users needs a client for each.
///
/// ```
/// use futures_util::FutureExt;
/// use futures_util::future::BoxFuture;
/// use plainly::client::{AuthError, Authorizer, Client, Credentials, UnsentRequest};
///
/// /// A token that another process renews in a file.
/// #[derive(Debug)]
/// struct TokenFile(std::path::PathBuf);
///
/// impl Authorizer for TokenFile {
///     fn credentials<'a>(
///         &'a self,
///         _request: &'a UnsentRequest<'a>,
///     ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
///         async {
///             let token = std::fs::read_to_string(&self.0);
///             Credentials::bearer(token.map_err(AuthError::of_program)?.trim())
///         }
///         .boxed()
///     }
/// }
///
/// let client = Client::http("https://mcp.example.com/mcp").authorizer(TokenFile("token".into()));
/// ```
pub trait Authorizer: fmt::Debug + Send + Sync {
    /// The extensions of MCP that the authorizer uses, by identifier; the client declares them.
    fn extensions(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// The credentials for this request; none if there are none yet.
    fn credentials<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>>;

    /// Decides about a request that was rejected: send it again, with the current
    /// [`credentials`](Self::credentials), or give up. Called for 401, and for 403 with a
    /// challenge; at most five times for one request. Some requests [may not ask the
    /// user](UnsentRequest::may_ask_user).
    fn refused<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
        refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        let _ = (request, refusal);
        ready(Ok(Again::GiveUp)).boxed()
    }

    /// Called with the head of each response.
    fn answered(&self, request: &UnsentRequest<'_>, head: &Head<'_>) {
        let _ = (request, head);
    }
}

/// A request that is about to be sent.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct UnsentRequest<'a> {
    /// The HTTP method.
    pub http: &'a Method,
    /// The whole URL of the request, including parts that may be secret.
    pub url: &'a str,
    /// The URL of the server, which may differ from `url` if a transport has several URLs.
    pub server: &'a str,
    /// The number of rejections so far.
    pub attempt: u32,
    /// The clocks to pause while waiting for the user.
    pub clocks: &'a Clocks,
    /// Whether the user may be asked to log in. `false` if no caller waits for the request, such as
    /// for the end of a session.
    pub may_ask_user: bool,
}

impl<'a> UnsentRequest<'a> {
    /// The first attempt of a request to the server's own URL, such as for a test of an
    /// [`Authorizer`].
    pub fn new(http: &'a Method, server: &'a str, clocks: &'a Clocks) -> Self {
        Self {
            http,
            url: server,
            server,
            attempt: 0,
            clocks,
            may_ask_user: true,
        }
    }
}

/// The credentials of a request.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct Credentials {
    /// The headers, with `Authorization` first.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The generation of the authorizer's credentials, which a [`Refusal`] returns.
    pub generation: u64,
}

/// The rejection of a request, because of missing or insufficient credentials.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Refusal {
    /// 401 or 403.
    pub status: StatusCode,
    /// The server's challenges that can be read.
    pub challenges: Vec<Challenge>,
    /// The generation of the rejected credentials.
    pub generation: u64,
    /// The number of earlier rejections of these credentials, for this request.
    pub repeated: u32,
    /// The nonce that the next proof must have (`DPoP-Nonce`, RFC 9449).
    pub dpop_nonce: Option<String>,
}

impl Refusal {
    /// The first rejection of these credentials, without a challenge.
    pub fn new(status: StatusCode, generation: u64) -> Self {
        Self {
            status,
            challenges: Vec::new(),
            generation,
            repeated: 0,
            dpop_nonce: None,
        }
    }
}

/// The head of a response.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Head<'a> {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: &'a HeaderMap,
}

/// The decision about a request that was rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "it is sent again, or it is not")]
pub enum Again {
    /// Send it again.
    Retry,
    /// Don't send it again: the caller gets the rejection.
    GiveUp,
}

/// Omits the URL, parts of which may be secret.
impl fmt::Debug for UnsentRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnsentRequest")
            .field("http", self.http)
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// Omits the values, which are secret.
impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.headers.iter().map(|(name, _)| name).collect();
        f.debug_struct("Credentials")
            .field("headers", &names)
            .field("generation", &self.generation)
            .finish()
    }
}
