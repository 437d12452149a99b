//! Logins at the authorization servers of MCP servers (OAuth 2.1): from the rejection of a request
//! to a token.
//!
//! `steps` has the steps in their order; `authorizer` starts a flow for each rejection.

mod authorization;
mod authorizer;
mod client_id;
mod consent;
mod device;
mod device_login;
mod discovery;
mod error;
mod failures;
mod flow;
mod need;
mod policy;
mod registration;
mod renewal;
mod revocation;
mod settings;
mod steps;
mod store;
mod stored;
mod token_endpoint;
mod wallet;

use std::fmt;
use std::sync::{Arc, OnceLock};

pub use plainly_oauth::jose::{KeyError, SigningKey};

pub use plainly_oauth::metadata::server_address;
pub use plainly_oauth::{Secret, credentials};

pub use self::client_id::ClientId;
pub use self::consent::{Consent, ConsentError, ConsentPage, Loopback, Paste, PasteMistake, Visit};
pub use self::device::DevicePage;
use self::device::Screen;
pub use self::error::{IssuerPlace, OAuthError};
use self::flow::Flow;
pub use self::renewal::renewals_finished;
pub use self::revocation::LoggedOut;
pub use self::settings::IdentityProvider;
use self::settings::{AssertionSource, GrantSource, Settings};
pub use self::store::{FileStore, Keychain, MemoryStore, StoreLock, TokenStore, TokenStoreError};
use plainly_transport::tls;

/// Logs in to an MCP server when it requires that, and renews its tokens.
///
/// Serves one client: pass it to [`authorizer`](plainly_client::Builder::authorizer). Nothing is
/// requested before the server rejects a request. Identifiers in metadata must be the expected
/// ones, and no URL may be further inside a network than the server that names it.
///
/// ```no_run
/// use plainly::Client;
/// use plainly::client::oauth::{ClientId, OAuth};
///
/// # async fn example() -> plainly::client::Result<()> {
/// let secret = std::env::var("CLIENT_SECRET").unwrap_or_default();
/// let client = ClientId::new("batch").issuer("https://login.example.com").secret(secret);
/// let client = Client::http("https://mcp.example.com/mcp")
///     .authorizer(OAuth::client_credentials(client))
///     .connect()
///     .await?;
/// # Ok(())
/// # }
/// ```
pub struct OAuth {
    settings: Settings,
    /// The authorization for the MCP server, once its URL is known.
    flow: OnceLock<Arc<Flow>>,
}

impl OAuth {
    /// Lets the user log in in a browser, if there is a [`consent`](Self::consent). Otherwise, only
    /// stored tokens are used.
    #[expect(clippy::new_without_default, reason = "the others are no less usual")]
    pub fn new() -> Self {
        Self::of(GrantSource::Login)
    }

    /// Authenticates the client itself, with a secret or a key (the extension
    /// `oauth-client-credentials`).
    pub fn client_credentials(client: ClientId) -> Self {
        Self::of(GrantSource::ClientCredentials).client(client)
    }

    /// Authenticates by the platform that the client runs on: `assertion` returns its JWT, and is
    /// called for each token (the extension for workload identity federation).
    pub fn workload<F, E>(
        client: ClientId,
        assertion: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Secret, E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let source = AssertionSource::new(assertion);
        Self::of(GrantSource::Workload(source)).client(client)
    }

    /// Authenticates the user by their organisation: `identity` returns the ID token of its
    /// provider, which the provider exchanges for an assertion to each authorization server (the
    /// extension `enterprise-managed-authorization`).
    pub fn enterprise<F, E>(
        client: ClientId,
        provider: IdentityProvider,
        identity: impl Fn() -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Secret, E>> + Send + 'static,
        E: Into<Box<dyn std::error::Error + Send + Sync>>,
    {
        let source = AssertionSource::new(identity);
        Self::of(GrantSource::Enterprise(Box::new(provider), source)).client(client)
    }

    fn of(source: GrantSource) -> Self {
        Self {
            settings: Settings::new(source),
            flow: OnceLock::new(),
        }
    }

    /// The settings, which can only be changed before the first request.
    fn change(&mut self) -> &mut Settings {
        self.flow.take();
        &mut self.settings
    }

    /// Stores registrations and tokens in `store`. By default, they are stored in memory during the
    /// life of this `OAuth`.
    #[must_use]
    pub fn store(mut self, store: impl TokenStore + 'static) -> Self {
        self.change().store = Arc::new(store);
        self
    }

    /// Sets the way to ask the user. Without one, a required login fails with
    /// [`LoginRequired`](OAuthError::LoginRequired).
    #[must_use]
    pub fn consent(mut self, consent: impl Consent + 'static) -> Self {
        self.change().consent = Some(Arc::new(consent));
        self
    }

    /// Lets the user log in on another device (RFC 8628), instead of in a browser here. `show`
    /// shows the user the URL, and the code to enter there.
    #[must_use]
    pub fn device(mut self, show: impl Fn(&DevicePage<'_>) + Send + Sync + 'static) -> Self {
        self.change().screen = Some(Screen::new(show));
        self
    }

    /// Uses this client id, and no other. By default, the client registers where it has no id.
    #[must_use]
    pub fn client(mut self, client: ClientId) -> Self {
        self.change().client = Some(client);
        self
    }

    /// Uses the document at this URL as the client's description, for authorization servers that
    /// read such documents.
    #[must_use]
    pub fn client_document(mut self, url: impl Into<String>) -> Self {
        self.change().client_document = Some(url.into());
        self
    }

    /// Registers under this name, which the user sees on the page that asks for consent. `plainly`
    /// by default.
    #[must_use]
    pub fn client_name(mut self, name: impl Into<String>) -> Self {
        self.change().client_name = name.into();
        self
    }

    /// Requests these scopes and no others, regardless of the server.
    #[must_use]
    pub fn scope<S: Into<String>>(mut self, scope: impl IntoIterator<Item = S>) -> Self {
        self.change().scope = Some(scope.into_iter().map(Into::into).collect());
        self
    }

    /// Requests tokens that are bound to a key (DPoP, RFC 9449), regardless of the server. By
    /// default, the client requests them if both servers support that and the MCP server announces
    /// it.
    #[must_use]
    pub fn dpop(mut self) -> Self {
        self.change().dpop = true;
        self
    }

    /// Also trusts these certificates, in PEM. Pass the certificates that the client trusts, too.
    #[must_use]
    pub fn trust(mut self, pem: impl AsRef<[u8]>) -> Self {
        let certificates = tls::certificates(pem.as_ref());
        self.change().trusted.extend(certificates);
        self
    }

    /// Lets public servers name authorization servers in private networks, for use within a
    /// company.
    #[must_use]
    pub fn trust_private_networks(mut self) -> Self {
        self.change().trusts_private_networks = true;
        self
    }

    /// Accepts an issuer without a path both with and without a slash at its end, because some
    /// servers write it both ways. By default, these are two issuers, as the specification says.
    #[must_use]
    pub fn tolerate_issuer_slash(mut self) -> Self {
        self.change().tolerates_issuer_slash = true;
        self
    }

    /// Never treats a server without metadata as its own authorization server, as in 2025-03-26.
    #[must_use]
    pub fn without_fallback(mut self) -> Self {
        self.change().falls_back = false;
        self
    }
}

impl fmt::Debug for OAuth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OAuth")
            .field("settings", &self.settings)
            .finish_non_exhaustive()
    }
}
