//! The renewal of a token without the user: at its issuer, under a lock, and stored before it is
//! used.

use std::panic::resume_unwind;
use std::sync::Arc;

use plainly_oauth::Secret;
use plainly_oauth::credentials::{Credentials, Grant, GrantKey, Registration};
use plainly_oauth::token::TokenRequest;

use super::StoreLock;
use super::flow::{Flow, key, lock_name};
use super::token_endpoint::Asking;
use super::wallet::{Came, TokenInUse};
use plainly_client::AuthError;

/// The codes of refusals that will be the same whenever it is tried again (RFC 6749, 5.2).
const FOR_GOOD: [&str; 3] = ["invalid_grant", "invalid_client", "unsupported_grant_type"];

impl Flow {
    /// Renews the token in use, which ends soon. If that fails on the way, the old one is used as long as it lasts.
    pub(super) async fn renew_ahead(&self) -> Result<(), AuthError> {
        let Some(held) = self.wallet.held() else {
            return Ok(());
        };
        match self.renew_held(&held).await {
            Ok(true) => Ok(()),
            Ok(false) => {
                self.wallet.let_go();
                Ok(())
            }
            Err(error) if error.is_retryable() || matches!(error, AuthError::Metadata { .. }) => {
                tracing::warn!(%error, "the token ends soon and could not be renewed");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Renews the token in use, or uses the one that another process got for it meanwhile; whether that was possible.
    pub(super) async fn renew_held(&self, held: &TokenInUse) -> Result<bool, AuthError> {
        let key = &held.grant.key;
        let name = lock_name(&key.issuer, &key.resource);
        let alone = self.settings.store.lock(&name).await?;
        let kept = self.settings.store.load().await?;
        let stored = kept.grants.iter().find(|it| it.key == held.grant.key);
        if let Some(grant) = stored.filter(|it| it.access_token != held.grant.access_token) {
            self.hold(grant.clone(), Came::Kept)?;
            return Ok(true);
        }
        self.renew(&held.grant, &kept, &Arc::new(alone)).await
    }

    /// Renews a grant; whether that was possible. One that never can be again is forgotten. Only under its lock.
    ///
    /// It goes on if nobody waits for it any more: what it is renewed with is good once, and what comes of it has to be kept.
    pub(super) async fn renew(
        &self,
        grant: &Grant,
        kept: &Credentials,
        alone: &Arc<StoreLock>,
    ) -> Result<bool, AuthError> {
        let Some(refresh) = grant.refresh_token.clone() else {
            return Ok(false);
        };
        let (flow, grant, alone) = (self.clone(), grant.clone(), Arc::clone(alone));
        let client = self.client_of(&grant, kept);
        let renewing = tokio::spawn(async move {
            let renewed = flow.exchange_refresh_token(&grant, &refresh, &client).await;
            drop(alone);
            renewed
        });
        renewing
            .await
            .unwrap_or_else(|ended| match ended.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                Err(ended) => Err(AuthError::of_program(ended)),
            })
    }

    async fn exchange_refresh_token(
        &self,
        grant: &Grant,
        refresh: &Secret,
        client: &Registration,
    ) -> Result<bool, AuthError> {
        let key = key(grant)?;
        let resource = Some(grant.key.resource.as_str()).filter(|it| !it.is_empty());
        let asking = Asking {
            issuer: &grant.key.issuer,
            endpoint: &grant.token_endpoint,
            client,
            given: self.settings.client.as_ref(),
            resource,
            scope: &[],
            key: key.as_ref(),
        };
        let refused = match self.token(asking, TokenRequest::Refresh(refresh)).await {
            Ok(tokens) => {
                let renewed = tokens.renew(grant, self.settings.clock.now());
                self.keep(renewed.clone(), None).await?;
                self.hold(renewed, Came::Renewed)?;
                return Ok(true);
            }
            Err(AuthError::TokenRefused {
                error: Some(error), ..
            }) if FOR_GOOD.contains(&error.as_str()) => error,
            Err(error) => return Err(error),
        };
        tracing::info!(error = refused, "the token can't be renewed any more");
        let is_never_renewed = refused == "unsupported_grant_type";
        let forgets_client = refused == "invalid_client" && self.settings.client.is_none();
        let forget = Box::new(|credentials: &mut Credentials| {
            let mut grants = credentials.grants.iter_mut();
            match grants.find(|it| it.key == grant.key && is_never_renewed) {
                // Some give what tokens are renewed with, and renew none. The token is as good as it was.
                Some(kept) => kept.refresh_token = None,
                None => {
                    credentials.forget_grant(&grant.key);
                }
            }
            if forgets_client {
                let GrantKey {
                    issuer, client_id, ..
                } = &grant.key;
                credentials.forget_registration(issuer, client_id);
            }
        });
        self.settings.store.update(forget).await?;
        Ok(false)
    }

    /// The client that a grant was given to.
    pub(super) fn client_of(&self, grant: &Grant, kept: &Credentials) -> Registration {
        let key = &grant.key;
        let mut registrations = kept.registrations.iter();
        let kept =
            registrations.find(|it| it.issuer == key.issuer && it.client_id == key.client_id);
        let given = self.settings.client.as_ref();
        let given = given.filter(|it| it.id == key.client_id);
        let given = given.filter(|it| it.issuer.as_ref().is_none_or(|it| *it == key.issuer));
        if let Some(given) = given {
            let mut client = given.registration(&key.issuer, None);
            // How the server takes its secret was found out when it logged in.
            if let Some(kept) = kept.filter(|_| client.client_secret.is_some()) {
                client.method = kept.method;
            }
            return client;
        }
        kept.cloned()
            .unwrap_or_else(|| Registration::new(key.issuer.as_str(), key.client_id.as_str()))
    }
}
