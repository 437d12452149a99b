//! OAuth at the edge of the HTTP client: the headers of each request, and the flow that a refusal begins. Requests that are
//! refused at the same time wait for the same flow.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use plainly_oauth::Secret;
use plainly_oauth::credentials::{Credentials as Kept, TokenType};
use plainly_oauth::metadata::server_address;

use super::OAuth;
use super::flow::Flow;
use super::need::{Asked, Need};
use super::settings::GrantSource;
use super::token_endpoint::{DPOP, sensitive};
use super::wallet::{Came, TokenInUse};
use crate::fetch::Fetcher;
use plainly_client::AuthError;
use plainly_client::Clocks;
use plainly_client::{Again, Authorizer, Credentials, Head, Outgoing, Refusal};

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
        request: &'a Outgoing<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        async move {
            match self.held(request).await? {
                Some(held) => self.headers(&held, request),
                None => Ok(Credentials::default()),
            }
        }
        .boxed()
    }

    fn refused<'a>(
        &'a self,
        request: &'a Outgoing<'a>,
        refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        async move {
            if refusal.generation < self.wallet.generation() {
                return Ok(Again::Retry);
            }
            match Asked::by(refusal) {
                // The nonce was kept when the response came. Who wants another one each time gets none.
                Asked::Nonce if refusal.repeated == 0 => Ok(Again::Retry),
                Asked::Nonce | Asked::Nothing => Ok(Again::GiveUp),
                Asked::Need(need) => {
                    self.fly(request, need).await?;
                    Ok(Again::Retry)
                }
            }
        }
        .boxed()
    }

    fn answered(&self, request: &Outgoing<'_>, head: &Head<'_>) {
        self.flow(request.server)
            .keep_nonce(request.url, head.headers);
        if head.status.is_success() {
            self.wallet.accepted();
        }
    }
}

impl OAuth {
    /// The token in use: the one that is kept, to begin with, and a new one shortly before it ends.
    async fn held(&self, request: &Outgoing<'_>) -> Result<Option<Arc<TokenInUse>>, AuthError> {
        let flow = self.flow(request.server);
        if matches!(self.settings.source, GrantSource::Login) && !self.wallet.set_loaded() {
            let kept = self.settings.store.load().await;
            // A server that lets everybody in is no matter of the store; for one that does not, it is asked again.
            let kept = kept.unwrap_or_else(|error| {
                tracing::warn!("{error}");
                Kept::default()
            });
            let given = self.settings.client.as_ref();
            let grant = kept.grant(&flow.server);
            let grant = grant.filter(|it| given.is_none_or(|given| given.id == it.key.client_id));
            if let Some(grant) = grant {
                flow.hold(grant.clone(), Came::Kept)?;
            }
        }
        let Some(held) = self.wallet.held() else {
            return Ok(None);
        };
        if held.grant.refresh_token.is_some() && held.ends_soon(self.settings.clock.now()) {
            self.fly(request, Need::Renewal).await?;
        }
        Ok(self.wallet.held())
    }

    fn headers(&self, held: &TokenInUse, request: &Outgoing<'_>) -> Result<Credentials, AuthError> {
        let flow = self.flow(request.server);
        let token = &held.grant.access_token;
        let scheme = match held.grant.token_type {
            TokenType::DPoP => "DPoP",
            TokenType::Bearer => "Bearer",
        };
        let value = Secret::new(format!("{scheme} {}", token.expose()));
        let mut credentials = Credentials::default();
        credentials.generation = held.generation;
        credentials
            .headers
            .push((AUTHORIZATION, sensitive(&value)?));
        if let Some(key) = &held.key {
            let proof = flow.proof(key, request.http.as_str(), request.url, Some(token))?;
            credentials.headers.push((DPOP, sensitive(&proof)?));
        }
        Ok(credentials)
    }

    /// Joins the running login or renewal, or starts one. The request's timeouts are paused while
    /// the user is being asked.
    async fn fly(&self, request: &Outgoing<'_>, need: Need) -> Result<(), AuthError> {
        self.wait(request.server, Some(request.clocks), need).await
    }

    async fn wait(&self, url: &str, clocks: Option<&Clocks>, need: Need) -> Result<(), AuthError> {
        let begin = || self.flow(url).clone().run(need).boxed().shared();
        let mut flight = self.wallet.join(begin);
        let mut asking = self.wallet.asking.subscribe();
        let mut _pause = None;
        loop {
            _pause = clocks
                .filter(|_| *asking.borrow_and_update())
                .map(Clocks::pause);
            tokio::select! {
                biased;
                done = &mut flight => return done,
                // This fails only if the sender is gone, and `self` holds it.
                _ = asking.changed() => {}
            }
        }
    }

    /// Logs in to the MCP server at `url`, even if it does not require a token or a usable one is
    /// stored. The new token is stored, and used by the client that has this `OAuth`.
    ///
    /// # Errors
    ///
    /// [`NoAuthorizationServer`](AuthError::NoAuthorizationServer) if the server does not say where; and all those of a login.
    pub async fn log_in(&self, url: &str) -> Result<(), AuthError> {
        self.wallet.set_loaded();
        self.wait(url, None, Need::Login).await
    }

    /// The flow for the server at this URL; the first one counts.
    pub(super) fn flow(&self, url: &str) -> &Flow {
        self.flow.get_or_init(|| {
            let server = server_address(url).unwrap_or_default();
            let fetcher = Fetcher::for_server(server.as_str()).trust(self.settings.trusted.clone());
            Flow {
                settings: self.settings.clone(),
                wallet: Arc::clone(&self.wallet),
                fetcher: match self.settings.trusts_private_networks {
                    true => fetcher.trust_private_networks(),
                    false => fetcher,
                },
                server,
            }
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
            oauth.wallet.hold(grant, None, Came::Fresh);
        }
        let clocks = Clocks::default();
        let request = Outgoing::new(&Method::POST, server, &clocks);
        for (generation, expected) in [(1, Again::Retry), (2, Again::GiveUp)] {
            // One that asks for nothing that a token could give.
            let refusal = Refusal::new(StatusCode::FORBIDDEN, generation);
            let again = oauth.refused(&request, &refusal).await.unwrap();
            assert_eq!(again, expected, "{generation}");
        }
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
