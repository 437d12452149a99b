//! The program's settings for logins: the client, the store, the ways to ask the user, and the
//! trust in servers.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plainly_oauth::Secret;

use super::client_id::ClientId;
use super::device::Screen;
use super::{Consent, MemoryStore, TokenStore};
use crate::clock::Clock;
use plainly_transport::tls::Certificate;

/// The authorization server of an organisation, which authenticates its users (enterprise-managed
/// authorization). Its URL must come from the organisation itself, never from a server.
#[derive(Clone, Debug)]
pub struct IdentityProvider {
    pub(super) token_endpoint: String,
    pub(super) client: ClientId,
}

impl IdentityProvider {
    /// The provider with this token endpoint, where this program is registered as `client`.
    pub fn new(token_endpoint: impl Into<String>, client: ClientId) -> Self {
        Self {
            token_endpoint: token_endpoint.into(),
            client,
        }
    }
}

/// The result of the program's function for assertions.
pub(super) type AssertionResult = Result<Secret, Arc<dyn std::error::Error + Send + Sync>>;

/// The source of assertions, which is called for each assertion.
#[derive(Clone)]
pub(super) struct AssertionSource(
    Arc<dyn Fn() -> BoxFuture<'static, AssertionResult> + Send + Sync>,
);

impl AssertionSource {
    pub(super) fn new<F, E>(source: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Result<Secret, E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        Self(Arc::new(move || {
            let asking = source();
            Box::pin(async move { asking.await.map_err(|error| Arc::from(error.into())) })
        }))
    }

    pub(super) async fn ask(&self) -> AssertionResult {
        (self.0)().await
    }
}

impl fmt::Debug for AssertionSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssertionSource")
    }
}

/// The way in which a client gets its tokens.
#[derive(Clone, Debug)]
pub(super) enum GrantSource {
    /// The user logs in.
    Login,
    /// The client authenticates itself.
    ClientCredentials,
    /// A platform vouches for the client.
    Workload(AssertionSource),
    /// An organisation vouches for its user.
    Enterprise(Box<IdentityProvider>, AssertionSource),
}

/// All settings of a program.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) source: GrantSource,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) consent: Option<Arc<dyn Consent>>,
    /// The display of instructions for a login on another device.
    pub(super) screen: Option<Screen>,
    pub(super) client: Option<ClientId>,
    /// The URL of this client's metadata document.
    pub(super) client_document: Option<String>,
    pub(super) client_name: String,
    /// The scopes to request, regardless of the server.
    pub(super) scope: Option<Vec<String>>,
    pub(super) dpop: bool,
    pub(super) trusts_private_networks: bool,
    pub(super) tolerates_issuer_slash: bool,
    pub(super) falls_back: bool,
    pub(super) trusted: Vec<Certificate>,
    pub(super) clock: Clock,
}

impl Settings {
    /// Whether the user logs in, rather than the client itself.
    pub(super) fn has_user(&self) -> bool {
        matches!(self.source, GrantSource::Login)
    }

    pub(super) fn new(source: GrantSource) -> Self {
        Self {
            source,
            store: Arc::new(MemoryStore::default()),
            consent: None,
            screen: None,
            client: None,
            client_document: None,
            client_name: "plainly".to_owned(),
            scope: None,
            dpop: false,
            trusts_private_networks: false,
            tolerates_issuer_slash: false,
            falls_back: true,
            trusted: Vec::new(),
            clock: Clock::default(),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("source", &self.source)
            .field("store", &self.store)
            .field("consent", &self.consent)
            .field("client", &self.client)
            .finish_non_exhaustive()
    }
}
