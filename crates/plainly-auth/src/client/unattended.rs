//! Tokens without a login: the client authenticates itself, or a party that the authorization
//! server trusts vouches for it (the extensions for client credentials, workload identity, and
//! enterprise-managed authorization).

use std::sync::Arc;

use plainly_oauth::Secret;
use plainly_oauth::credentials::Registration;
use plainly_oauth::token::{TokenExchange, TokenRequest, read_assertion};

use super::failures;
use super::flow::Flow;
use super::login::token_endpoint;
use super::need::Wanted;
use super::settings::{AssertionSource, GrantSource, IdentityProvider};
use super::token_endpoint::Asking;
use super::trial::Refused;
use super::wallet::Came;
use crate::fetch::Fetcher;
use plainly_client::AuthError;

/// The most requests in a row for more scopes, which no user can agree to.
const STEPS: u32 = 1;

impl Flow {
    /// Gets a token without the user: another one, or one with more scopes.
    pub(super) async fn by_itself(&self, wanted: &Wanted, is_step: bool) -> Result<(), AuthError> {
        let held = match self.refused(wanted) {
            Refused::Before => return Ok(()),
            Refused::Now(held) => Some(held),
            Refused::Nothing => None,
        };
        match &held {
            Some(held) if is_step => self.check_it_is_wider(wanted, held, STEPS)?,
            Some(held) => self.check_it_was_ever_accepted(held)?,
            None => {}
        }
        let found = self.discover(wanted).await?;
        let server = &found.server;
        let client = self.given_client(server).await?;
        let client = client.unwrap_or_else(|| Registration::new(server.issuer.as_str(), ""));
        let before = held
            .as_ref()
            .map_or(&[][..], |it| &it.grant.requested_scope);
        let scope = self.scope(&found, wanted, before);
        let key = self.new_key(&found)?;
        let asking = Asking {
            issuer: &server.issuer,
            endpoint: token_endpoint(server)?,
            client: &client,
            given: self.settings.client.as_ref(),
            resource: found.resource.as_deref(),
            scope: &scope,
            key: key.as_ref(),
        };
        let tokens = match &self.settings.source {
            GrantSource::Workload(source) => {
                let assertion = ask(source).await?;
                self.token(asking, TokenRequest::JwtBearer(&assertion))
                    .await?
            }
            GrantSource::Enterprise(provider, source) => {
                let identity = ask(source).await?;
                let assertion = self.exchange(provider, &identity, asking).await?;
                self.token(asking, TokenRequest::JwtBearer(&assertion))
                    .await?
            }
            GrantSource::ClientCredentials | GrantSource::Login => {
                self.token(asking, TokenRequest::ClientCredentials).await?
            }
        };
        let grant = self.grant(&found, &client.client_id, scope.clone(), key.as_ref())?;
        let grant = tokens.renew(&grant, self.settings.clock.now());
        if is_step {
            self.wallet.step();
        }
        self.hold(grant, Came::Fresh)
    }

    /// Exchanges what proves who the user is for an assertion to the authorization server (RFC 8693).
    async fn exchange(
        &self,
        provider: &IdentityProvider,
        identity: &Secret,
        asking: Asking<'_>,
    ) -> Result<Secret, AuthError> {
        let issuer = provider.client.issuer.as_deref();
        let issuer = issuer.unwrap_or(&provider.token_endpoint);
        let client = provider.client.registration(issuer, None);
        let exchange = TokenExchange::new(identity, TokenExchange::ID_TOKEN, asking.issuer);
        let request = TokenRequest::Exchange(exchange);
        let at_provider = Asking {
            issuer,
            endpoint: &provider.token_endpoint,
            client: &client,
            given: Some(&provider.client),
            key: None,
            ..asking
        };
        // Its URL comes from the organisation, and not from a server.
        let inside = Self {
            settings: self.settings.clone(),
            wallet: Arc::clone(&self.wallet),
            fetcher: Fetcher::for_operator().trust(self.settings.trusted.iter().cloned()),
            server: self.server.clone(),
        };
        let answered = inside.post(at_provider, request).await?;
        let read = answered.read(read_assertion);
        read.map_err(|why| failures::token(issuer, request.grant_type(), why))
    }
}

async fn ask(source: &AssertionSource) -> Result<Secret, AuthError> {
    let given = source.ask().await;
    given.map_err(|source| AuthError::Assertion { source })
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::routing::post;
    use tokio::net::TcpListener;

    use super::*;
    use crate::client::{ClientId, OAuth};

    /// Servers name nothing that is further inside than they are; an organisation may be there.
    #[tokio::test]
    async fn an_organisation_is_asked_within_the_network_of_the_program() {
        let given = r#"{"access_token": "a", "token_type": "N_A", "issued_token_type": "urn:ietf:params:oauth:token-type:id-jag"}"#;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let endpoint = format!("http://{}/token", listener.local_addr().unwrap());
        let router = Router::new().route("/token", post(given));
        tokio::spawn(async { axum::serve(listener, router).await });

        let provider = IdentityProvider::new(endpoint, ClientId::new("me"));
        let oauth = OAuth::new();
        // It is not asked anything.
        let flow = oauth.flow("https://1.1.1.1/mcp");
        let client = Registration::new("https://as.example", "me");
        let asking = Asking {
            issuer: "https://as.example",
            endpoint: "https://as.example/token",
            client: &client,
            given: None,
            resource: None,
            scope: &[],
            key: None,
        };
        let assertion = flow.exchange(&provider, &"identity".into(), asking).await;
        assert_eq!(assertion.unwrap().expose(), "a");
    }
}
