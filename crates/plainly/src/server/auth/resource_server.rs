//! How a resource server is put together, and what can be wrong with that.

use std::sync::Arc;

use bytes::Bytes;
use plainly_oauth::jose::dpop::Nonces;
use plainly_oauth::jose::{ClaimRules, Jwks};
use plainly_oauth::metadata::Origin;
use plainly_protocol::method::Method;
use url::Url;

use super::api_keys::ApiKeys;
use super::caller::Caller;
use super::challenge::Challenger;
use super::document::ResourceDocument;
use super::failures::Failures;
use super::introspection::{IntrospectedTokens, Introspection};
use super::issuer_keys::IssuerKeys;
use super::jwt::{IssuedTokens, KeySource};
use super::proof::{Dpop, Proofs};
use super::remembered::Remembered;
use super::scopes::{ScopeRules, ScopedRequest};
use super::tokens::Tokens;
use super::verifier::{Unverified, Verifier};
use crate::clock::Clock;
use crate::fetch::Fetcher;
use crate::tls::Certificate;

/// Where the metadata of a resource is, below its origin (RFC 9728, 3).
const WELL_KNOWN: &str = "/.well-known/oauth-protected-resource";

/// Lets in who has a token for this server, from an authorization server or from a list of keys:
/// [`HttpService::authenticate`](crate::transport::http::HttpService::authenticate) puts it before a server.
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
/// It never gives out tokens, and never passes one on: what handlers see of it is the [`Caller`].
#[derive(Debug)]
#[must_use = "it does nothing until it is built"]
pub struct ResourceServerBuilder {
    resource: String,
    name: Option<String>,
    sources: Vec<TokenKind>,
    aliases: Vec<String>,
    rules: ScopeRules,
    dpop: Dpop,
    has_nonces: bool,
    claims: Vec<String>,
    clock: Clock,
    trusted: Vec<Certificate>,
}

/// A kind of token that lets in.
#[derive(Debug)]
enum TokenKind {
    Metadata(String),
    KeysAt(String, String),
    Keys(String, Arc<Jwks>),
    Introspection(Introspection),
    Other(Box<dyn Verifier>),
}

/// A server that lets in who has a token for it. See [`ResourceServer::new`].
#[derive(Debug)]
pub struct ResourceServer {
    pub(super) tokens: Arc<Tokens>,
    pub(super) rules: Arc<ScopeRules>,
    pub(super) challenges: Arc<Challenger>,
    pub(super) proofs: Proofs,
    pub(super) failures: Failures,
    pub(super) clock: Clock,
    /// What clients without a token read, and the paths where they find it.
    pub(super) document: Option<(Bytes, Vec<String>)>,
}

/// Why a resource server can't be put together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AuthSetupError {
    /// The public URL is none that tokens can be for.
    #[error("{url:?} can't be the public URL of a server: {why}")]
    PublicUrl {
        /// The URL.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The issuer is none.
    #[error("{issuer:?} can't be an issuer: {why}")]
    Issuer {
        /// The issuer.
        issuer: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// A scope has characters that no scope has.
    #[error(
        "{0:?} can't be a scope: expected visible ASCII without spaces, quotes and backslashes"
    )]
    Scope(String),
    /// Nobody lets anybody in.
    #[error("nobody is named who lets clients in: give an issuer or a list of keys")]
    NoVerifier,
    /// The system has no random numbers.
    #[error("the system has no random numbers")]
    NoRandomNumbers,
    /// Nobody can say at the moment what tokens are worth.
    #[error(transparent)]
    Unready(#[from] Unverified),
}

impl ResourceServer {
    /// Begins with the URL at which clients know this server. Tokens must be for it, letter by letter, so it comes from
    /// configuration and never from a request.
    #[expect(clippy::new_ret_no_self, reason = "what follows says who lets in")]
    pub fn new(public_url: impl Into<String>) -> ResourceServerBuilder {
        ResourceServerBuilder {
            resource: public_url.into(),
            name: None,
            sources: Vec::new(),
            aliases: Vec::new(),
            rules: ScopeRules::default(),
            dpop: Dpop::default(),
            has_nonces: false,
            claims: Vec::new(),
            clock: Clock::default(),
            trusted: Vec::new(),
        }
    }

    /// Asks those who say what tokens are worth whether they can, to learn it at the start. Without it they are asked with the
    /// first token.
    pub async fn ready(&self) -> Result<(), AuthSetupError> {
        for verifier in &self.tokens.verifiers {
            verifier.ready(self.clock.now()).await?;
        }
        Ok(())
    }
}

impl ResourceServerBuilder {
    /// Takes the tokens of this authorization server: JWTs, signed with the keys that its metadata names.
    pub fn issuer(mut self, issuer: impl Into<String>) -> Self {
        self.sources.push(TokenKind::Metadata(issuer.into()));
        self
    }

    /// The same, with its keys at this URL.
    pub fn issuer_with_keys_at(
        mut self,
        issuer: impl Into<String>,
        jwks_uri: impl Into<String>,
    ) -> Self {
        self.sources
            .push(TokenKind::KeysAt(issuer.into(), jwks_uri.into()));
        self
    }

    /// The same, with these keys, and no others ever.
    pub fn issuer_with_keys(mut self, issuer: impl Into<String>, keys: Jwks) -> Self {
        self.sources
            .push(TokenKind::Keys(issuer.into(), Arc::new(keys)));
        self
    }

    /// Asks an authorization server about each token that no one else here recognises (RFC 7662).
    pub fn introspect(mut self, introspection: Introspection) -> Self {
        self.sources.push(TokenKind::Introspection(introspection));
        self
    }

    /// Takes the keys of a list.
    pub fn api_keys(self, keys: ApiKeys) -> Self {
        self.verifier(keys)
    }

    /// Takes what somebody else vouches for.
    pub fn verifier(mut self, verifier: impl Verifier) -> Self {
        self.sources.push(TokenKind::Other(Box::new(verifier)));
        self
    }

    /// What this server calls itself to people who are asked to let a client use it.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Takes tokens for these audiences too: other names that issuers have for this server.
    pub fn audiences<S: Into<String>>(mut self, audiences: impl IntoIterator<Item = S>) -> Self {
        self.aliases.extend(audiences.into_iter().map(Into::into));
        self
    }

    /// Every request needs these scopes.
    pub fn require<S: Into<String>>(mut self, scopes: impl IntoIterator<Item = S>) -> Self {
        self.rules.always.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Calls of this tool need these scopes besides.
    pub fn tool<S: Into<String>>(
        mut self,
        name: impl Into<String>,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        let of_tool = self.rules.tools.entry(name.into()).or_default();
        of_tool.extend(scopes.into_iter().map(Into::into));
        self
    }

    /// Requests of this method need these scopes besides.
    pub fn method<S: Into<String>>(
        mut self,
        method: Method,
        scopes: impl IntoIterator<Item = S>,
    ) -> Self {
        let scopes = scopes.into_iter().map(Into::into).collect();
        self.rules.methods.push((method, scopes));
        self
    }

    /// A request needs besides what this returns for it.
    pub fn scopes_for(
        mut self,
        rule: impl Fn(&ScopedRequest<'_>, &Caller) -> Vec<String> + Send + Sync + 'static,
    ) -> Self {
        self.rules.rule = Some(Arc::new(rule));
        self
    }

    /// Whether tokens may be bound to a key.
    pub fn dpop(mut self, dpop: Dpop) -> Self {
        self.dpop = dpop;
        self
    }

    /// Asks for a fresh nonce of this server in each proof, so that none can be made in advance. Replicas don't know each other's.
    pub fn dpop_nonces(mut self) -> Self {
        self.has_nonces = true;
        self
    }

    /// Keeps these claims of tokens for handlers: [`Caller::claim`].
    pub fn claims<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Self {
        self.claims.extend(names.into_iter().map(Into::into));
        self
    }

    /// Trusts the certificates in this text, in PEM, too when issuers are asked, besides those that the operating system trusts.
    pub fn trust(mut self, pem: impl AsRef<[u8]>) -> Self {
        self.trusted.extend(crate::tls::certificates(pem.as_ref()));
        self
    }

    /// Asks this for the time, in seconds since 1970, instead of the system: for tests.
    pub fn clock(mut self, now: impl Fn() -> u64 + Send + Sync + 'static) -> Self {
        self.clock = Clock::new(now);
        self
    }

    /// The server.
    pub fn build(self) -> Result<ResourceServer, AuthSetupError> {
        self.check_scopes()?;
        let audiences: Vec<_> = [self.resource.clone()]
            .into_iter()
            .chain(self.aliases)
            .collect();
        let fetcher = Fetcher::for_operator().trust(self.trusted);
        let mut verifiers = Vec::new();
        let mut sources = self.sources;
        // Who can only ask somebody else about a token is asked last.
        sources.sort_by_key(|source| matches!(source, TokenKind::Introspection(_)));
        for source in sources {
            verifiers.push(source.verifier(&audiences, &fetcher)?);
        }
        if verifiers.is_empty() {
            return Err(AuthSetupError::NoVerifier);
        }
        let nonces = self
            .has_nonces
            .then(|| Nonces::new().ok_or(AuthSetupError::NoRandomNumbers));
        let (issuers, now) = (issuers(&verifiers), self.clock.now());
        // Without an issuer no token is for anybody in particular.
        if !issuers.is_empty() {
            check_public_url(&self.resource)?;
        }
        let origin = Origin::of(&self.resource);
        let origin =
            origin.map(|it| (it.text.to_owned(), it.path.trim_end_matches('/').to_owned()));
        let place = origin.filter(|_| !issuers.is_empty());
        let document = place.as_ref().map(|(_, path)| {
            let (name, dpop) = (self.name.as_deref(), self.dpop);
            let document =
                ResourceDocument::new(&self.resource, issuers, &self.rules.always, name, dpop);
            let paths = vec![format!("{WELL_KNOWN}{path}"), WELL_KNOWN.to_owned()];
            (document.to_bytes(), paths)
        });
        let challenges = Challenger {
            metadata: place.map(|(origin, path)| format!("{origin}{WELL_KNOWN}{path}")),
            scopes: self.rules.always.clone(),
            bearer: self.dpop != Dpop::Require,
            dpop: self.dpop != Dpop::Refuse,
        };
        Ok(ResourceServer {
            tokens: Arc::new(Tokens {
                verifiers,
                remembered: Remembered::default(),
                claims: self.claims,
            }),
            rules: Arc::new(self.rules),
            challenges: Arc::new(challenges),
            proofs: Proofs::new(self.dpop, &self.resource, nonces.transpose()?, now),
            failures: Failures::default(),
            clock: self.clock,
            document,
        })
    }

    /// Scopes go into headers.
    fn check_scopes(&self) -> Result<(), AuthSetupError> {
        let rules = &self.rules;
        let of_methods = rules.methods.iter().flat_map(|(_, scopes)| scopes);
        let mut all = rules
            .always
            .iter()
            .chain(of_methods)
            .chain(rules.tools.values().flatten());
        match all.find(|scope| plainly_oauth::scope::read(scope) != [scope.as_str()]) {
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

fn check_public_url(text: &str) -> Result<(), AuthSetupError> {
    let wrong = |why| {
        let url = text.to_owned();
        Err(AuthSetupError::PublicUrl { url, why })
    };
    match not_a_place(text) {
        Some(why) => wrong(why),
        None if text.contains(['?', '#']) => wrong("it has a query or a fragment"),
        None => Ok(()),
    }
}

fn check_issuer(text: &str) -> Result<(), AuthSetupError> {
    match not_a_place(text) {
        Some(why) => {
            let issuer = text.to_owned();
            Err(AuthSetupError::Issuer { issuer, why })
        }
        None => Ok(()),
    }
}

/// What keeps a text from being a URL that tokens and keys may be asked for at, if anything.
fn not_a_place(text: &str) -> Option<&'static str> {
    let is_plain = text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\');
    let url = Url::parse(text)
        .ok()
        .filter(|url| is_plain && url.has_host());
    let Some(url) = url else {
        return Some("it is not a URL such as https://mcp.example.com/mcp");
    };
    let is_loopback = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => {}
        "http" if is_loopback => {}
        "http" => return Some("plain HTTP would show tokens to everybody on the way: use https"),
        _ => return Some("it is not a URL of https"),
    }
    let has_user = !url.username().is_empty() || url.password().is_some();
    has_user.then_some("it has a name or a password in it")
}
