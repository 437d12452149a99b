//! The stored tokens of a server: reads and replaces them, and locks them for one flow at a time.

use std::sync::Arc;

use plainly_oauth::credentials::{Credentials, Grant, Registration};
use plainly_oauth::token::Tokens;

use super::OAuthError;
use super::StoreLock;
use super::discovery::Protection;
use super::flow::Flow;
use super::token_endpoint::TokenCall;
use super::wallet::TokenOrigin;

impl Flow {
    /// Waits until no other flow works on this grant.
    pub(super) async fn lock(&self, grant: &Grant) -> Result<Arc<StoreLock>, OAuthError> {
        self.lock_for(&grant.key.issuer, &grant.key.resource).await
    }

    /// Waits until no other flow works on the tokens of this issuer for this resource.
    pub(super) async fn lock_for(
        &self,
        issuer: &str,
        resource: &str,
    ) -> Result<Arc<StoreLock>, OAuthError> {
        let name = format!("{issuer} {resource}");
        Ok(Arc::new(self.settings.store.lock(&name).await?))
    }

    /// The stored grant of this authorization server, resource and client.
    pub(super) async fn stored_grant(
        &self,
        found: &Protection,
    ) -> Result<Option<Grant>, OAuthError> {
        let stored = self.settings.store.load().await?;
        let mut grants = stored.grants.into_iter();
        Ok(grants.find(|it| {
            it.key.issuer == found.server.issuer
                && it.key.resource == found.resource
                && self.is_of_client(it)
        }))
    }

    /// Whether a grant belongs to the configured client; true if none is configured.
    pub(super) fn is_of_client(&self, grant: &Grant) -> bool {
        let client = self.settings.client.as_ref();
        client.is_none_or(|client| client.id == grant.key.client_id)
    }

    pub(super) fn has_ended(&self, grant: &Grant) -> bool {
        let now = self.settings.clock.now();
        grant.expires_at.is_some_and(|at| at <= now)
    }

    /// Uses a stored grant for this server.
    pub(super) async fn use_stored(&self, grant: Grant) -> Result<(), OAuthError> {
        self.store(&grant, None).await?;
        self.wallet.set(grant, TokenOrigin::Stored)
    }

    /// Stores the tokens that a request returned, and uses them. Without a user, they are not
    /// stored.
    pub(super) async fn save(
        &self,
        call: TokenCall,
        tokens: Tokens,
        origin: TokenOrigin,
    ) -> Result<(), OAuthError> {
        let grant = tokens.renew(&call.grant, self.settings.clock.now());
        if self.settings.has_user() {
            let client = call.client.registration;
            let client = Some(client).filter(|_| origin == TokenOrigin::Issued);
            self.store(&grant, client).await?;
        }
        self.wallet.set(grant, origin)
    }

    async fn store(&self, grant: &Grant, client: Option<Registration>) -> Result<(), OAuthError> {
        let change = Box::new(|credentials: &mut Credentials| {
            credentials.keep_grant(&self.server, grant.clone());
            if let Some(client) = client {
                credentials.keep_registration(client);
            }
        });
        Ok(self.settings.store.update(change).await?)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;
    use plainly_oauth::credentials::GrantKey;

    use super::*;
    use crate::client::OAuth;

    #[tokio::test]
    async fn flows_for_two_issuers_or_two_servers_do_not_wait_for_each_other() {
        let oauth = OAuth::new();
        let flow = oauth.flow("https://a.example/mcp");
        let (issuer, resource) = ("https://as.example", "https://a.example");
        let _held = flow.lock_for(issuer, resource).await.unwrap();
        for (issuer, resource) in [
            (issuer, "https://b.example"),
            ("https://other.example", resource),
            (issuer, ""),
        ] {
            let lock = flow.lock_for(issuer, resource).now_or_never();
            assert!(lock.is_some(), "{issuer} {resource}");
        }
        // A login waits for a running renewal of the grant that it replaces.
        let key = GrantKey::new(issuer, resource, "me");
        let grant = Grant::new(key, "https://as.example/token", "t".into());
        assert!(flow.lock(&grant).now_or_never().is_none());
    }
}
