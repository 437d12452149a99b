//! The connection between OAuth and the HTTP client: the headers of each request, and the flow that
//! a rejection starts. Requests that are rejected at the same time wait for the same flow.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use plainly_oauth::Secret;
use plainly_oauth::credentials::{Credentials as Stored, TokenType};
use plainly_oauth::metadata::server_address;

use super::OAuth;
use super::OAuthError;
use super::flow::Flow;
use super::need::{Need, Purpose, Remedy};
use super::settings::GrantSource;
use super::token_endpoint::{DPOP, sensitive};
use super::wallet::{TokenInUse, TokenOrigin, Wallet};
use crate::fetch::Fetcher;
use plainly_client::{
    Again, AuthError, Authorizer, Clocks, Credentials, Head, Refusal, UnsentRequest,
};

impl Authorizer for OAuth {
    fn extensions(&self) -> Vec<&'static str> {
        let of_source = match self.settings.source {
            GrantSource::Login => None,
            GrantSource::ClientCredentials => {
                Some("io.modelcontextprotocol/oauth-client-credentials")
            }
            GrantSource::Workload(_) => Some("io.modelcontextprotocol/auth/wif"),
            GrantSource::Enterprise(..) => {
                Some("io.modelcontextprotocol/enterprise-managed-authorization")
            }
        };
        let of_proofs = "io.modelcontextprotocol/auth/dpop";
        let of_proofs = self.settings.dpop.then_some(of_proofs);
        of_source.into_iter().chain(of_proofs).collect()
    }

    fn credentials<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        async move {
            match self.token(request).await? {
                Some(token) => Ok(self.headers(&token, request)?),
                None => Ok(Credentials::default()),
            }
        }
        .boxed()
    }

    fn refused<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
        refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        async move {
            let token = self.flow(request.server).wallet.token();
            if token.is_some_and(|it| it.generation > refusal.generation) {
                return Ok(Again::Retry);
            }
            match Remedy::of(refusal) {
                // The nonce of the response is already stored. There is one retry, so a server that
                // requires a new nonce each time gets no more.
                Remedy::Nonce if refusal.repeated == 0 => Ok(Again::Retry),
                Remedy::Nonce | Remedy::None => Ok(Again::GiveUp),
                Remedy::Flow(_) if self.settings.has_user() && !request.may_ask_user => {
                    Ok(Again::GiveUp)
                }
                Remedy::Flow(need) => {
                    let clocks = Some(request.clocks);
                    self.run(request.server, clocks, need).await?;
                    Ok(Again::Retry)
                }
            }
        }
        .boxed()
    }

    fn answered(&self, request: &UnsentRequest<'_>, head: &Head<'_>) {
        let flow = self.flow(request.server);
        flow.keep_nonce(request.url, head.headers);
        if head.status.is_success() {
            flow.wallet.accepted();
        }
    }
}

impl OAuth {
    /// The token in use: first the stored one, and shortly before its end a renewed one.
    async fn token(
        &self,
        request: &UnsentRequest<'_>,
    ) -> Result<Option<Arc<TokenInUse>>, OAuthError> {
        let flow = self.flow(request.server);
        if self.settings.has_user() && !flow.wallet.set_loaded() {
            // A server without logins must work even if the store fails. A flow reads the store
            // again.
            let stored = self.settings.store.load().await.unwrap_or_else(|error| {
                tracing::warn!("{error}");
                Stored::default()
            });
            let grant = stored.grant(&flow.server);
            if let Some(grant) = grant.filter(|it| flow.is_of_client(it)) {
                flow.wallet.set(grant.clone(), TokenOrigin::Stored)?;
            }
        }
        let Some(token) = flow.wallet.token() else {
            return Ok(None);
        };
        let can_renew = token.grant.refresh_token.is_some();
        if can_renew && token.ends_soon(self.settings.clock.now()) {
            let need = Need::new(Purpose::Renewal, token.generation);
            self.run(request.server, Some(request.clocks), need).await?;
        }
        Ok(flow.wallet.token())
    }

    fn headers(
        &self,
        token: &TokenInUse,
        request: &UnsentRequest<'_>,
    ) -> Result<Credentials, OAuthError> {
        let access_token = &token.grant.access_token;
        let scheme = match token.grant.token_type {
            TokenType::DPoP => "DPoP",
            TokenType::Bearer => "Bearer",
        };
        let value = Secret::new(format!("{scheme} {}", access_token.expose()));
        let mut credentials = Credentials::default();
        credentials.generation = token.generation;
        let headers = &mut credentials.headers;
        headers.push((AUTHORIZATION, sensitive(&value)?));
        if let Some(key) = &token.key {
            let flow = self.flow(request.server);
            let proof = flow.proof(key, request.http.as_str(), request.url, Some(access_token))?;
            headers.push((DPOP, sensitive(&proof)?));
        }
        Ok(credentials)
    }

    /// Joins the running flow, or starts one. The request's timeouts are paused while the flow
    /// waits for the user.
    async fn run(&self, url: &str, clocks: Option<&Clocks>, need: Need) -> Result<(), OAuthError> {
        let flow = self.flow(url);
        let start = || Arc::clone(flow).run(need).boxed().shared();
        let mut running = flow.wallet.join(start);
        let mut is_waiting = flow.wallet.is_waiting.subscribe();
        let mut _pause = None;
        loop {
            let clocks = clocks.filter(|_| *is_waiting.borrow_and_update());
            _pause = clocks.map(Clocks::pause);
            tokio::select! {
                biased;
                done = &mut running => return done,
                // This fails only if the sender is gone, and `flow` holds it.
                _ = is_waiting.changed() => {}
            }
        }
    }

    /// Logs in to the MCP server at `url`, even if the server requires no token or a usable token
    /// is stored. The new token is stored, and the client with this `OAuth` uses it.
    ///
    /// # Errors
    ///
    /// [`NoAuthorizationServer`](OAuthError::NoAuthorizationServer) if the server names none. All
    /// other errors of a login.
    pub async fn log_in(&self, url: &str) -> Result<(), OAuthError> {
        self.flow(url).wallet.set_loaded();
        self.run(url, None, Need::new(Purpose::Login, 0)).await
    }

    /// The flow for the server at `url`. Only the URL of the first call counts.
    pub(super) fn flow(&self, url: &str) -> &Arc<Flow> {
        self.flow.get_or_init(|| {
            let server = server_address(url).unwrap_or_default();
            let fetcher = Fetcher::for_server(server.as_str()).trust(self.settings.trusted.clone());
            Arc::new(Flow {
                settings: self.settings.clone(),
                wallet: Wallet::default(),
                fetcher: match self.settings.trusts_private_networks {
                    true => fetcher.trust_private_networks(),
                    false => fetcher,
                },
                server,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use http::{Method, StatusCode};
    use plainly_oauth::credentials::{Grant, GrantKey};

    use super::*;

    /// The rejection of an older token does not show which scopes a newer one has.
    #[tokio::test]
    async fn a_request_that_was_refused_with_an_older_token_is_sent_again() {
        let (oauth, server) = (OAuth::new(), "https://a.example/mcp");
        for _ in 1..=2 {
            let key = GrantKey::new("https://as.example", server, "me");
            let grant = Grant::new(key, "https://as.example/token", "t".into());
            let wallet = &oauth.flow(server).wallet;
            wallet.set(grant, TokenOrigin::Issued).unwrap();
        }
        let clocks = Clocks::default();
        let request = UnsentRequest::new(&Method::POST, server, &clocks);
        for (generation, expected) in [(1, Again::Retry), (2, Again::GiveUp)] {
            // The rejection asks for nothing that a token could provide.
            let refusal = Refusal::new(StatusCode::FORBIDDEN, generation);
            let again = oauth.refused(&request, &refusal).await.unwrap();
            assert_eq!(again, expected, "{generation}");
        }
    }

    #[tokio::test]
    async fn a_request_that_may_not_ask_the_user_starts_no_login() {
        let (oauth, clocks) = (OAuth::new(), Clocks::default());
        let mut request = UnsentRequest::new(&Method::DELETE, "https://a.example/mcp", &clocks);
        request.may_ask_user = false;
        let refusal = Refusal::new(StatusCode::UNAUTHORIZED, 0);
        let again = oauth.refused(&request, &refusal).await.unwrap();
        assert_eq!(again, Again::GiveUp);
    }

    #[test]
    fn servers_name_what_is_in_private_networks_only_where_the_program_lets_them() {
        let (named_by, trusts) = (
            "named_by: \"https://a.example/mcp\"",
            "trusts_private_networks",
        );
        for (oauth, expected) in [
            (OAuth::new(), false),
            (OAuth::new().trust_private_networks(), true),
        ] {
            let fetcher = format!("{:?}", oauth.flow("https://a.example/mcp").fetcher);
            assert!(fetcher.contains(named_by), "{fetcher}");
            assert!(
                fetcher.contains(&format!("{trusts}: {expected}")),
                "{fetcher}"
            );
        }
    }
}
