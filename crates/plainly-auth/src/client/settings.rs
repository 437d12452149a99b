//! What a program decides about its logins: who it is, where tokens are kept, who is asked, and how far servers are trusted.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plainly_oauth::Secret;
use plainly_oauth::jose::SigningKey;

use super::device::Screen;
use super::{Consent, MemoryStore, TokenStore};
use crate::clock::Clock;
use plainly_transport::tls::Certificate;

/// The client, as an authorization server knows it that was told of it beforehand.
#[derive(Clone, Debug)]
pub struct ClientId {
    pub(super) id: String,
    pub(super) issuer: Option<String>,
    pub(super) proof: ClientProof,
}

/// What proves that a client is who it says.
#[derive(Clone, Debug)]
pub(super) enum ClientProof {
    Nothing,
    Secret(Secret),
    Key(SigningKey),
}

impl ClientId {
    /// The id of a client that has nothing to prove it.
    pub fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            issuer: None,
            proof: ClientProof::Nothing,
        }
    }

    /// The same at this authorization server, as that spells itself, and at no other.
    ///
    /// Without it, the id is for the first authorization server that is met.
    #[must_use]
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.issuer = Some(issuer.into());
        self
    }

    /// The same with a secret.
    #[must_use]
    pub fn secret(mut self, secret: impl Into<Secret>) -> Self {
        self.proof = ClientProof::Secret(secret.into());
        self
    }

    /// The same with a key (`private_key_jwt`).
    #[must_use]
    pub fn key(mut self, key: SigningKey) -> Self {
        self.proof = ClientProof::Key(key);
        self
    }
}

/// The authorization server of an organisation, which knows its people (enterprise-managed authorization). From the organisation
/// itself, never from a server.
#[derive(Clone, Debug)]
pub struct IdentityProvider {
    pub(super) token_endpoint: String,
    pub(super) client: ClientId,
}

impl IdentityProvider {
    /// The one whose tokens are asked for at this URL, where this program is known as `client`.
    pub fn new(token_endpoint: impl Into<String>, client: ClientId) -> Self {
        Self {
            token_endpoint: token_endpoint.into(),
            client,
        }
    }
}

/// What a program gives when it is asked for an assertion.
pub(super) type Asserted = Result<Secret, Arc<dyn std::error::Error + Send + Sync>>;

/// Where assertions come from: asked anew each time.
#[derive(Clone)]
pub(super) struct AssertionSource(Arc<dyn Fn() -> BoxFuture<'static, Asserted> + Send + Sync>);

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

    pub(super) async fn ask(&self) -> Asserted {
        (self.0)().await
    }
}

impl fmt::Debug for AssertionSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AssertionSource")
    }
}

/// How a client comes by its tokens.
#[derive(Clone, Debug)]
pub(super) enum GrantSource {
    /// A person logs in.
    Login,
    /// The client asks for itself.
    ClientCredentials,
    /// A platform says who the client is.
    Workload(AssertionSource),
    /// An organisation says who its user is.
    Enterprise(Box<IdentityProvider>, AssertionSource),
}

/// All that a program decides.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) source: GrantSource,
    pub(super) store: Arc<dyn TokenStore>,
    pub(super) consent: Option<Arc<dyn Consent>>,
    /// Where a person is shown what to do at another device.
    pub(super) screen: Option<Screen>,
    pub(super) client: Option<ClientId>,
    /// The URL of this client's description.
    pub(super) client_document: Option<String>,
    pub(super) client_name: String,
    /// What is asked for, whatever servers say.
    pub(super) scope: Option<Vec<String>>,
    pub(super) dpop: bool,
    pub(super) trusts_private_networks: bool,
    pub(super) tolerates_issuer_slash: bool,
    pub(super) wants_exact_resource: bool,
    pub(super) falls_back: bool,
    pub(super) trusted: Vec<Certificate>,
    pub(super) clock: Clock,
}

impl Settings {
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
            wants_exact_resource: false,
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
