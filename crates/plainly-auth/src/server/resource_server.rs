//! The builder of a resource server.

use std::sync::Arc;

use bytes::Bytes;
use plainly_oauth::jose::{ClaimRules, Jwks};
use plainly_oauth::metadata::Origin;
use plainly_oauth::scope::is_scope;
use plainly_protocol::method::Method;

use super::api_keys::ApiKeys;
use super::caller::Caller;
use super::challenge::Challenger;
use super::document::ResourceDocument;
use super::failures::Failures;
use super::introspection::{IntrospectedTokens, Introspection};
use super::issuer_keys::IssuerKeys;
use super::jwt::{IssuedTokens, KeySource};
use super::nonces::SealedNonces;
use super::proof::{Dpop, Proofs};
use super::public_client::PublicClient;
use super::remembered::TokenCache;
use super::scopes::{ScopeRules, ScopedRequest};
use super::setup::{AuthSetupError, check_issuer, check_public_url};
use super::tokens::Tokens;
use super::verifier::Verifier;
use crate::clock::Clock;
use crate::fetch::Fetcher;
use plainly_transport::seal::Keys;
use plainly_transport::tls::Certificate;

/// The path of a resource's metadata, below its origin (RFC 9728, 3).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Builds a gate that accepts requests with a token for this server, from an authorization server
/// or a list of keys. [`HttpService::authenticate`](plainly_http::HttpService::authenticate) puts
/// the gate before a server.
///
/// ```no_run
/// use plainly::server::Server;
/// use plainly::server::auth::ResourceServer;
/// use plainly::transport::http::HttpServer;
///
/// # async fn run(server: Server) -> Result<(), Box<dyn std::error::Error>> {
/// let auth = ResourceServer::new("https://mcp.example.com/mcp")
///     .issuer("https://login.example.com")
///     .require(["mcp:read"])
///     .tool("delete_file", ["files:write"])
///     .build()?;
/// let service = server.http().path("/mcp").allow_host("mcp.example.com")?.authenticate(auth);
/// HttpServer::bind("0.0.0.0:3333").await?.serve(service, plainly::shutdown::requested()).await?;
/// # Ok(())
/// # }
/// ```
///
/// It never issues tokens, and never forwards them: handlers only see the [`Caller`].
#[derive(Debug)]
#[must_use = "it does nothing until it is built"]
pub struct ResourceServerBuilder {
    resource: String,
    name: Option<String>,
    sources: Vec<TokenKind>,
    aliases: Vec<String>,
    rules: ScopeRules,
    asked_for: Option<Vec<String>>,
    public_client: Option<String>,
    dpop: Dpop,
    has_nonces: bool,
    keys: Option<Keys>,
    claims: Vec<String>,
    clock: Clock,
    trusted: Vec<Certificate>,
}

/// A kind of accepted tokens.
#[derive(Debug)]
enum TokenKind {
    Metadata(String),
    KeysAt(String, String),
    Keys(String, Arc<Jwks>),
    Introspection(Introspection),
    Other(Box<dyn Verifier>),
}

/// A server that accepts only requests with a token for it. See [`ResourceServer::new`].
#[derive(Debug)]
pub struct ResourceServer {
    pub(super) tokens: Arc<Tokens>,
    pub(super) rules: Arc<ScopeRules>,
    pub(super) challenges: Arc<Challenger>,
    pub(super) proofs: Proofs,
    pub(super) failures: Failures,
    pub(super) clock: Clock,
    /// The metadata for clients without a token, and its paths.
    pub(super) document: Option<(Bytes, Vec<String>)>,
    pub(super) public_client: Option<PublicClient>,
}

/// The documents that clients can read without a token.
#[derive(Default)]
struct PublicFacts {
    document: Option<(Bytes, Vec<String>)>,
    /// The URL of the metadata.
    metadata: Option<String>,
    public_client: Option<PublicClient>,
}

impl ResourceServer {
    /// Starts with the URL that clients use for this server. Tokens must be for exactly this URL,
    /// so it comes from the configuration and never from a request.
    #[expect(clippy::new_ret_no_self, reason = "what follows says who lets in")]
    pub fn new(public_url: impl Into<String>) -> ResourceServerBuilder {
        ResourceServerBuilder {
            resource: public_url.into(),
            name: None,
            sources: Vec::new(),
            aliases: Vec::new(),
            rules: ScopeRules::default(),
            asked_for: None,
            public_client: None,
            dpop: Dpop::default(),
            has_nonces: false,
            keys: None,
            claims: Vec::new(),
            clock: Clock::default(),
            trusted: Vec::new(),
        }
    }

    /// Asks the verifiers whether they can verify tokens, to detect failures at the start.
    /// Otherwise they are asked with the first token. A server with a [public
    /// client](ResourceServerBuilder::public_client) must call this, because it reads the metadata
    /// of the authorization server.
    pub async fn ready(&self) -> Result<(), AuthSetupError> {
        for verifier in &self.tokens.verifiers {
            verifier.ready(self.clock.now()).await?;
        }
        if let Some(client) = &self.public_client {
            let read = client.read_upstream().await;
            read.map_err(AuthSetupError::Client)?;
        }
        Ok(())
    }
}

impl ResourceServerBuilder {
    /// Accepts tokens of this authorization server: JWTs, signed with the keys that its metadata
    /// names.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.sources.push(TokenKind::Metadata(issuer.into()));
        self
    }

    /// Like [`issuer`](Self::issuer), with the keys at this URL.
    pub fn issuer_with_keys_at(
        mut self,
        issuer: impl Into<String>,
        jwks_uri: impl Into<String>,
    ) -> Self {
        self.sources
            .push(TokenKind::KeysAt(issuer.into(), jwks_uri.into()));
        self
    }

    /// Like [`issuer`](Self::issuer), with only these keys, which never change.
    pub fn issuer_with_keys(mut self, issuer: impl Into<String>, keys: Jwks) -> Self {
        self.sources
            .push(TokenKind::Keys(issuer.into(), Arc::new(keys)));
        self
    }

    /// Asks an authorization server about each token that no other verifier recognises (RFC 7662).
    pub fn introspect(mut self, introspection: Introspection) -> Self {
        self.sources.push(TokenKind::Introspection(introspection));
        self
    }

    /// Accepts the keys of a list.
    pub fn api_keys(self, keys: ApiKeys) -> Self {
        self.verifier(keys)
    }

    /// Accepts the tokens of another verifier.
    pub fn verifier(mut self, verifier: impl Verifier) -> Self {
        self.sources.push(TokenKind::Other(Box::new(verifier)));
        self
    }

    /// Sets the name of this server for users who are asked for consent.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Also accepts tokens for these audiences, which are other names that issuers use for this
    /// server.
    pub fn audiences<S: Into<String>>(mut self, audiences: impl IntoIterator<Item = S>) -> Self {
        self.aliases.extend(audiences.into_iter().map(Into::into));
        self
    }

    /// Requires these scopes for every request.
    pub fn require<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.rules.always.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Sets the scopes that clients request when users log in, instead of the required ones. For
    /// authorization servers that spell scopes in tokens differently than in requests, such as
    /// Entra.
    pub fn ask_for<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.asked_for = Some(scopes.into_iter().map(Into::into).collect());
        self
    }

    /// Provides the client id for authorization servers that register no clients. It is the id of a
    /// public client (PKCE, no secret), which is registered there with the clients' redirect URIs.
    /// The server publishes the metadata with this id, after [`ready`](ResourceServer::ready) was
    /// called. Tokens don't pass through the server.
    pub fn public_client(mut self, id: impl Into<String>) -> Self {
        self.public_client = Some(id.into());
        self
    }

    /// Also requires these scopes for calls of this tool.
    pub fn tool<S: Into<String>>(
        mut self,
        name: impl Into<String>,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        let of_tool = self.rules.tools.entry(name.into()).or_default();
        of_tool.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Also requires these scopes for requests of this method.
    pub fn method<S: Into<String>>(
        mut self,
        method: Method,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.rules.methods.push((method, scopes));
        self
    }

    /// Also requires the scopes that this returns for a request.
    pub fn scopes_for(
        mut self,
        rule: impl Fn(&ScopedRequest<'_>, &Caller) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.rules.rule = Some(Arc::new(rule));
        self
    }

    /// Sets whether tokens may be bound to a key.
    pub fn dpop(mut self, dpop: Dpop) -> Self {
        self.dpop = dpop;
        self
    }

    /// Requires a fresh nonce of this server in each proof, so that proofs can't be made in
    /// advance. Replicas accept each other's nonces if they have the same [keys](Self::keys).
    pub fn dpop_nonces(mut self) -> Self {
        self.has_nonces = true;
        self
    }

    /// Encrypts nonces with these keys. By default, each process has its own key.
    pub fn keys(mut self, keys: Keys) -> Self {
        self.keys = Some(keys);
        self
    }

    /// Passes these claims of tokens to handlers: [`Caller::claim`].
    pub fn claims<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.claims.extend(names.into_iter().map(Into::into));
        self
    }

    /// Also trusts the certificates in this text, in PEM, for requests to issuers, besides those
    /// that the operating system trusts.
    pub fn trust(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.trusted
            .extend(plainly_transport::tls::certificates(pem.as_ref()));
        self
    }

    /// Uses this as the time, in seconds since 1970, instead of the system's: for tests.
    pub fn clock(mut self, now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Clock::new(now);
        self
    }

    /// Builds the server.
    pub fn build(mut self) -> Result<ResourceServer, AuthSetupError> {
        self.check_scopes()?;
        let audiences: Vec<_> = [self.resource.clone()]
            .into_iter()
            .chain(std::mem::take(&mut self.aliases))
            .collect();
        let fetcher = Fetcher::for_operator().trust(std::mem::take(&mut self.trusted));
        let mut verifiers = Vec::new();
        let mut sources = std::mem::take(&mut self.sources);
        // Introspection is last, because it requires a request to another server.
        sources.sort_by_key(|source| matches!(source, TokenKind::Introspection(_)));
        for source in sources {
            verifiers.push(source.verifier(&audiences, &fetcher)?);
        }
        if verifiers.is_empty() {
            return Err(AuthSetupError::NoVerifier);
        }
        let keys = self.keys.take();
        let nonces = self
            .has_nonces
            .then(|| SealedNonces::new(keys, &self.resource));
        let (issuers, now) = (issuers(&verifiers), self.clock.now());
        // Without an issuer, tokens have no audience.
        if !issuers.is_empty() {
            check_public_url(&self.resource)?;
        }
        let discovery = self.discovery(issuers, &fetcher)?;
        let challenges = Challenger {
            metadata: discovery.metadata,
            scopes: self.asked_for.unwrap_or_else(|| self.rules.always.clone()),
            bearer: self.dpop != Dpop::Require,
            dpop: self.dpop != Dpop::Refuse,
        };
        Ok(ResourceServer {
            tokens: Arc::new(Tokens {
                verifiers,
                remembered: TokenCache::default(),
                claims: self.claims,
            }),
            rules: Arc::new(self.rules),
            challenges: Arc::new(challenges),
            proofs: Proofs::new(self.dpop, &self.resource, nonces, now),
            failures: Failures::default(),
            clock: self.clock,
            document: discovery.document,
            public_client: discovery.public_client,
        })
    }

    /// The document that clients can read without a token; none without an authorization server.
    fn discovery(
        &self,
        issuers: Vec<&str>,
        fetcher: &Fetcher,
    ) -> Result<PublicFacts, AuthSetupError> {
        let origin = Origin::of(&self.resource).filter(|_| !issuers.is_empty());
        let place = origin.map(|it| (it.text, it.path.trim_end_matches('/')));
        let mut discovery = PublicFacts::default();
        let mut named = issuers;
        if let Some(id) = &self.public_client {
            let (&[issuer], Some(place)) = (&*named, place) else {
                return Err(AuthSetupError::ClientWithoutIssuer(named.len()));
            };
            let fetcher = fetcher.clone();
            let client = PublicClient::new(id.clone(), issuer, &self.resource, place, fetcher);
            discovery.public_client = Some(client);
            named = vec![&self.resource];
        }
        if let Some((origin, path)) = place {
            let scopes = self.asked_for.as_ref().unwrap_or(&self.rules.always);
            let name = self.name.as_deref();
            let document = ResourceDocument::new(&self.resource, named, scopes, name, self.dpop);
            let paths = vec![format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()];
            discovery.document = Some((document.to_bytes(), paths));
            discovery.metadata = Some(format!("{origin}{WELL_KNOWN}{path}"));
        }
        Ok(discovery)
    }

    /// Checks the scopes, because they are sent in headers.
    fn check_scopes(&self) -> Result<(), AuthSetupError> {
        let rules = &self.rules;
        let of_methods = rules.methods.iter().flat_map(|(_, scopes)| scopes);
        let mut all = rules
            .always
            .iter()
            .chain(of_methods)
            .chain(self.asked_for.iter().flatten())
            .chain(rules.tools.values().flatten());
        match all.find(|scope| !is_scope(scope)) {
            Some(scope) => Err(AuthSetupError::Scope(scope.clone())),
            None => Ok(()),
        }
    }
}

impl TokenKind {
    fn verifier(
        self,
        audiences: &[String],
        fetcher: &Fetcher,
    ) -> Result<Box<dyn Verifier>, AuthSetupError> {
        let rules = |issuer: &str| {
            check_issuer(issuer)?;
            Ok::<_, AuthSetupError>(ClaimRules::new(issuer, audiences.iter().cloned()))
        };
        let reading = |issuer: &str, url| {
            KeySource::Read(Arc::new(IssuerKeys::new(issuer, url, fetcher.clone())))
        };
        let (rules, keys) = match self {
            Self::Metadata(issuer) => (rules(&issuer)?, reading(&issuer, None)),
            Self::KeysAt(issuer, url) => (rules(&issuer)?, reading(&issuer, Some(url))),
            Self::Keys(issuer, keys) => (rules(&issuer)?, KeySource::Given(keys)),
            Self::Introspection(introspection) => {
                let rules = rules(&introspection.issuer)?;
                let tokens = IntrospectedTokens::new(introspection, rules, fetcher.clone());
                return Ok(Box::new(tokens));
            }
            Self::Other(verifier) => return Ok(verifier),
        };
        Ok(Box::new(IssuedTokens { rules, keys }))
    }
}

/// The authorization servers that clients get tokens from, each once.
fn issuers(verifiers: &[Box<dyn Verifier>]) -> Vec<&str> {
    let mut issuers = Vec::new();
    for issuer in verifiers.iter().filter_map(|it| it.issuer()) {
        if !issuers.contains(&issuer) {
            issuers.push(issuer);
        }
    }
    issuers
}
