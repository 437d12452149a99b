//! The login: the user's browser is sent to the authorization server, and the code that it returns
//! is exchanged for a token.

use plainly_oauth::authorization::{AuthorizationRequest, ExpectedCallback};
use plainly_oauth::credentials::{Credentials, Grant, GrantKey, Registration};
use plainly_oauth::jose::SigningKey;
use plainly_oauth::metadata::ServerMetadata;
use plainly_oauth::token::{TokenRequest, Tokens};
use plainly_oauth::{Pkce, Secret, check_page, random_text, scope};

use super::discovery::Protection;
use super::flow::Flow;
use super::token_endpoint::Asking;
use super::wallet::Came;
use super::{ConsentPage, Visit, failures};
use plainly_client::AuthError;

/// The scope of tokens that can be renewed while the user is away (OpenID Connect Core, 11).
const OFFLINE_ACCESS: &str = "offline_access";

impl Flow {
    /// Has the user log in, here or on another device, and uses the new token.
    pub(super) async fn log_in(
        &self,
        found: &Protection,
        scope: Vec<String>,
    ) -> Result<(), AuthError> {
        let scope = with_offline_access(scope, &found.server);
        match &self.settings.screen {
            Some(screen) => self.log_in_elsewhere(found, scope, screen).await,
            None => self.log_in_here(found, scope).await,
        }
    }

    async fn log_in_here(&self, found: &Protection, scope: Vec<String>) -> Result<(), AuthError> {
        let server = &found.server;
        let endpoint = server.authorization_endpoint.as_deref();
        let endpoint =
            endpoint.ok_or_else(|| failures::lacking(&server.issuer, "authorization_endpoint"))?;
        if !server.has_pkce() {
            return Err(AuthError::PkceUnsupported {
                issuer: server.issuer.clone(),
            });
        }
        let Some(consent) = &self.settings.consent else {
            let error = AuthError::LoginRequired {
                server: self.server.clone(),
                scopes: scope,
                has_login: false,
            };
            return Err(self.unless_guessed(found, error));
        };
        let unfit = |why| failures::unfit(&server.issuer, "authorization_endpoint", &why);
        check_page(endpoint).map_err(unfit)?;
        self.fetcher.check(endpoint).await?;
        let client = self.client(server, &scope, &**consent).await;
        let (client, visit) = client.map_err(|error| {
            let is_refused = matches!(error, AuthError::RegistrationRefused { .. });
            match is_refused {
                true => self.unless_guessed(found, error),
                false => error,
            }
        })?;
        let redirect_uri = visit.redirect_uri().to_owned();
        let (pkce, key) = (Pkce::new(), self.new_key(found)?);
        let asking = Asking {
            issuer: &server.issuer,
            endpoint: token_endpoint(server)?,
            client: &client,
            given: self.settings.client.as_ref(),
            resource: found.resource.as_deref(),
            scope: &scope,
            key: key.as_ref(),
        };
        let code = self.code(asking, server, endpoint, visit, &pkce).await;
        // Where a client is unknown, the browser ends at a page that says so, and never comes back.
        if let Err(AuthError::ConsentTimedOut { .. }) = &code {
            self.forget_client(&client).await?;
        }
        let code = code?;
        let request = TokenRequest::code(&code, &redirect_uri, &pkce);
        let tokens = self.token(asking, request).await;
        if let Err(AuthError::TokenRefused { error, .. }) = &tokens
            && error.as_deref() == Some("invalid_client")
        {
            self.forget_client(&client).await?;
        }
        self.take(found, asking, tokens?).await
    }

    /// Forgets who this client is at a server that may not know it any more: the next login registers it anew.
    async fn forget_client(&self, client: &Registration) -> Result<(), AuthError> {
        if !client.is_own() {
            return Ok(());
        }
        let Registration {
            issuer, client_id, ..
        } = client;
        let forget = Box::new(|it: &mut Credentials| it.forget_registration(issuer, client_id));
        Ok(self.settings.store.update(forget).await?)
    }

    /// The error of a login at an authorization server: `NoAuthorizationServer` if that server was
    /// only a guess.
    pub(super) fn unless_guessed(&self, found: &Protection, error: AuthError) -> AuthError {
        match &found.is_guess {
            Some(tried) => AuthError::NoAuthorizationServer {
                server: self.server.clone(),
                tried: tried.clone(),
            },
            None => error,
        }
    }

    /// Stores the tokens of a login, and uses them.
    pub(super) async fn take(
        &self,
        found: &Protection,
        asking: Asking<'_>,
        tokens: Tokens,
    ) -> Result<(), AuthError> {
        let id = &asking.client.client_id;
        let grant = self.grant(found, id, asking.scope.to_vec(), asking.key)?;
        let grant = tokens.renew(&grant, self.settings.clock.now());
        self.keep(grant.clone(), Some(asking.client.clone()))
            .await?;
        self.hold(grant, Came::Fresh)
    }

    /// The code that the user's browser returns from the authorization server.
    async fn code(
        &self,
        asking: Asking<'_>,
        server: &ServerMetadata,
        endpoint: &str,
        visit: Box<dyn Visit>,
        pkce: &Pkce,
    ) -> Result<Secret, AuthError> {
        let issuer = asking.issuer;
        let redirect_uri = visit.redirect_uri().to_owned();
        let thumbprint = asking.key.map(SigningKey::thumbprint);
        let (state, client_id) = (random_text(), &asking.client.client_id);
        let mut request =
            AuthorizationRequest::new(endpoint, client_id, &redirect_uri, &state, pkce);
        request.scope = asking.scope;
        request.resource = asking.resource;
        request.dpop_jkt = thumbprint.as_deref();
        request.asks_again = asking.scope.iter().any(|it| it == OFFLINE_ACCESS);
        let unfit = |why| failures::unfit(issuer, "authorization_endpoint", &why);
        let url = request.url().map_err(unfit)?;
        let page = ConsentPage {
            url: &url,
            state: &state,
            server: &self.server,
            issuer,
            scope: asking.scope,
        };
        let waiting = PersonAsked::begin(self);
        let query = visit.visit(&page).await;
        drop(waiting);
        let query = query.map_err(|why| failures::consent(issuer, why))?;
        let code = ExpectedCallback::new(&state, issuer, server.sends_issuer).code(&query);
        code.map_err(|why| failures::callback(issuer, why))
    }

    /// A grant of this server, without its tokens.
    pub(super) fn grant(
        &self,
        found: &Protection,
        client_id: &str,
        scope: Vec<String>,
        key: Option<&SigningKey>,
    ) -> Result<Grant, AuthError> {
        let server = &found.server;
        let resource = found.resource.as_deref().unwrap_or_default();
        let of = GrantKey::new(server.issuer.as_str(), resource, client_id);
        let mut grant = Grant::new(of, token_endpoint(server)?, String::new().into());
        grant
            .revocation_endpoint
            .clone_from(&server.revocation_endpoint);
        grant.granted_scope.clone_from(&scope);
        grant.requested_scope = scope;
        grant.dpop_key = key.map(SigningKey::to_secret);
        Ok(grant)
    }

    /// A key that a new token is to be bound to, if both servers can do that and one of them wants it, or the program does.
    pub(super) fn new_key(&self, found: &Protection) -> Result<Option<SigningKey>, AuthError> {
        const OURS: &str = "ES256";
        let can = found.server.dpop_algorithms.iter().any(|it| it == OURS);
        match self.settings.dpop || found.takes_dpop && can {
            true => SigningKey::generate().map(Some).map_err(failures::key),
            false => Ok(None),
        }
    }
}

/// The scopes, and the one for tokens that last, if the server has it.
fn with_offline_access(mut scope: Vec<String>, server: &ServerMetadata) -> Vec<String> {
    if server.scopes.iter().any(|it| it == OFFLINE_ACCESS) {
        scope = scope::union(&scope, [OFFLINE_ACCESS]);
    }
    scope
}

pub(super) fn token_endpoint(server: &ServerMetadata) -> Result<&str, AuthError> {
    let endpoint = server.token_endpoint.as_deref();
    endpoint.ok_or_else(|| failures::lacking(&server.issuer, "token_endpoint"))
}

/// Marks that the user is being asked, until it is dropped.
pub(super) struct PersonAsked<'a>(&'a Flow);

impl<'a> PersonAsked<'a> {
    pub(super) fn begin(flow: &'a Flow) -> Self {
        flow.wallet.asking.send_replace(true);
        Self(flow)
    }
}

impl Drop for PersonAsked<'_> {
    fn drop(&mut self) {
        self.0.wallet.asking.send_replace(false);
    }
}
