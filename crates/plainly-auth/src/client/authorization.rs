//! The approval of a login, and its exchange for tokens: a code that the user's browser returns, a
//! code for another device, or an assertion of a third party (the extensions for workload identity
//! and enterprise-managed authorization).

use plainly_oauth::authorization::{AuthorizationRequest, ExpectedCallback};
use plainly_oauth::credentials::{Grant, GrantKey};
use plainly_oauth::device::DeviceAuthorization;
use plainly_oauth::jose::SigningKey;
use plainly_oauth::metadata::ServerMetadata;
use plainly_oauth::token::{TokenExchange, TokenRequest, Tokens, read_assertion};
use plainly_oauth::{Pkce, Secret, random_text};

use super::OAuthError;
use super::client_id::RegisteredClient;
use super::device::Screen;
use super::failures::{self, Request};
use super::flow::Flow;
use super::policy::{Login, OFFLINE_ACCESS};
use super::settings::{AssertionSource, GrantSource, IdentityProvider};
use super::token_endpoint::TokenCall;
use super::{ConsentPage, Visit};
use crate::fetch::Fetcher;

/// The algorithm of this client's DPoP keys.
const DPOP_ALGORITHM: &str = "ES256";

/// The party that approves a login.
pub(super) enum Approver {
    /// The user, in a browser that is redirected to this program.
    Browser(Box<dyn Visit>),
    /// The user, at another device.
    Device(Screen),
    /// The program, for itself or with an assertion of a third party.
    Program,
}

impl Approver {
    pub(super) fn redirect_uri(&self) -> Option<&str> {
        match self {
            Self::Browser(visit) => Some(visit.redirect_uri()),
            Self::Device(_) | Self::Program => None,
        }
    }
}

/// An approval of a login, to be exchanged for tokens.
pub(super) enum Authorization {
    Code {
        code: Secret,
        redirect_uri: String,
        pkce: Pkce,
    },
    Device(DeviceAuthorization),
    Assertion(Secret),
    /// The authentication of the client itself.
    Client,
}

impl Flow {
    /// The token request of a login, with a new key if the tokens are to be bound to one.
    pub(super) fn token_call(
        &self,
        login: &Login,
        client: RegisteredClient,
    ) -> Result<TokenCall, OAuthError> {
        let (found, server) = (&login.found, &login.found.server);
        let can_bind = server.dpop_algorithms.iter().any(|it| it == DPOP_ALGORITHM);
        let key = match self.settings.dpop || found.accepts_dpop && can_bind {
            true => Some(SigningKey::generate().map_err(failures::key)?),
            false => None,
        };
        let endpoint = server.token_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| failures::lacking(&server.issuer, "token_endpoint"));
        let id = client.registration.client_id.as_str();
        let key_of_grant = GrantKey::new(server.issuer.as_str(), found.resource.as_str(), id);
        let mut grant = Grant::new(key_of_grant, endpoint?, String::new().into());
        grant
            .revocation_endpoint
            .clone_from(&server.revocation_endpoint);
        grant.granted_scope.clone_from(&login.scope);
        grant.requested_scope.clone_from(&login.scope);
        grant.dpop_key = key.as_ref().map(SigningKey::to_secret);
        Ok(TokenCall {
            endpoint: grant.token_endpoint.clone(),
            key,
            grant,
            client,
        })
    }

    /// Gets the approval of a login.
    pub(super) async fn authorize(
        &self,
        server: &ServerMetadata,
        call: &TokenCall,
        approver: Approver,
    ) -> Result<Authorization, OAuthError> {
        match approver {
            Approver::Browser(visit) => self.visit(server, call, visit).await,
            Approver::Device(screen) => {
                let device = self.start_at_device(server, call, &screen).await?;
                Ok(Authorization::Device(device))
            }
            Approver::Program => match &self.settings.source {
                GrantSource::Workload(source) => {
                    Ok(Authorization::Assertion(assertion(source).await?))
                }
                GrantSource::Enterprise(provider, source) => {
                    let identity = assertion(source).await?;
                    let assertion = self.identity_assertion(provider, &identity, call);
                    Ok(Authorization::Assertion(assertion.await?))
                }
                GrantSource::ClientCredentials | GrantSource::Login => Ok(Authorization::Client),
            },
        }
    }

    /// Exchanges an approval for tokens.
    pub(super) async fn exchange(
        &self,
        call: &TokenCall,
        authorization: &Authorization,
    ) -> Result<Tokens, OAuthError> {
        let request = match authorization {
            Authorization::Code {
                code,
                redirect_uri,
                pkce,
            } => TokenRequest::code(code, redirect_uri, pkce),
            Authorization::Device(device) => return self.poll(call, device).await,
            Authorization::Assertion(assertion) => TokenRequest::JwtBearer(assertion),
            Authorization::Client => TokenRequest::ClientCredentials,
        };
        self.token(call, request).await
    }

    /// Sends the user's browser to the authorization server, which returns a code.
    async fn visit(
        &self,
        server: &ServerMetadata,
        call: &TokenCall,
        visit: Box<dyn Visit>,
    ) -> Result<Authorization, OAuthError> {
        let issuer = &server.issuer;
        let endpoint = server.authorization_endpoint.as_deref().unwrap_or_default();
        let redirect_uri = visit.redirect_uri().to_owned();
        let (pkce, state, scope) = (Pkce::new(), random_text(), &call.grant.requested_scope);
        let thumbprint = call.key.as_ref().map(SigningKey::thumbprint);
        let id = &call.client.registration.client_id;
        let mut request = AuthorizationRequest::new(endpoint, id, &redirect_uri, &state, &pkce);
        request.scope = scope;
        request.resource = call.resource();
        request.dpop_jkt = thumbprint.as_deref();
        request.asks_again = scope.iter().any(|it| it == OFFLINE_ACCESS);
        let unfit = |why| failures::metadata(issuer, format!("its `authorization_endpoint` {why}"));
        let url = request.url().map_err(unfit)?;
        let page = ConsentPage {
            url: &url,
            state: &state,
            server: &self.server,
            issuer,
            scope,
        };
        let waiting = self.wallet.wait_for_user();
        let query = visit.visit(&page).await;
        drop(waiting);
        let query = match query.map_err(|why| failures::consent(issuer, why)) {
            // If the server does not know the client, the browser stays on an error page and never
            // returns.
            Err(error @ OAuthError::ConsentTimedOut { .. }) => {
                self.forget_client(&call.client.registration).await?;
                return Err(error);
            }
            query => query?,
        };
        let code = ExpectedCallback::new(&state, issuer, server.sends_issuer).code(&query);
        Ok(Authorization::Code {
            code: code.map_err(|why| failures::callback(issuer, why))?,
            redirect_uri,
            pkce,
        })
    }

    /// Exchanges the user's identity for an assertion to the authorization server (RFC 8693).
    async fn identity_assertion(
        &self,
        provider: &IdentityProvider,
        identity: &Secret,
        call: &TokenCall,
    ) -> Result<Secret, OAuthError> {
        let IdentityProvider {
            token_endpoint,
            client,
        } = provider;
        let issuer = client.issuer.as_ref().unwrap_or(token_endpoint);
        let GrantKey {
            resource,
            issuer: audience,
            ..
        } = &call.grant.key;
        let key = GrantKey::new(issuer.as_str(), resource.as_str(), client.id.as_str());
        let mut grant = Grant::new(key, token_endpoint.as_str(), String::new().into());
        grant
            .requested_scope
            .clone_from(&call.grant.requested_scope);
        let to_provider = TokenCall::new(grant, client.at(issuer, None))?;
        let exchange = TokenExchange::new(identity, TokenExchange::ID_TOKEN, audience);
        let request = TokenRequest::Exchange(exchange);
        // The organisation configured the provider, so it may be in any network.
        let fetcher = Fetcher::for_operator().trust(self.settings.trusted.iter().cloned());
        let form = to_provider.form(request);
        let answer = self.post(&fetcher, &to_provider, form).await?;
        let read = answer.read(read_assertion);
        read.map_err(|why| Request::Token(request.grant_type()).failed(issuer, why))
    }
}

async fn assertion(source: &AssertionSource) -> Result<Secret, OAuthError> {
    let assertion = source.ask().await;
    assertion.map_err(|source| OAuthError::Assertion { source })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::post;
    use plainly_oauth::credentials::Registration;
    use tokio::net::TcpListener;

    use super::*;
    use crate::client::{ClientId, OAuth};

    /// An MCP server may not name URLs further inside than itself, but an organisation may.
    #[tokio::test]
    async fn an_organisation_is_reached_within_the_network_of_the_program() {
        let given = r#"{"access_token": "a", "token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"}"#;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/token", listener.local_addr().unwrap());
        let router = Router::new().route("/token", post(given));
        tokio::spawn(async { axum::serve(listener, router).await });

        let provider = IdentityProvider::new(endpoint, ClientId::new("me"));
        let oauth = OAuth::new();
        let flow = oauth.flow("https://1.1.1.1/mcp");
        let key = GrantKey::new("https://as.example", "", "me");
        let grant = Grant::new(key, "https://as.example/token", String::new().into());
        let client = Registration::new("https://as.example", "me").into();
        let call = TokenCall::new(grant, client).unwrap();
        let identity = "identity".into();
        let assertion = flow.identity_assertion(&provider, &identity, &call);
        assert_eq!(assertion.await.unwrap().expose(), "a");
    }
}
