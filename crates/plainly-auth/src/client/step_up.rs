//! The step from a token without the necessary scopes to one with them: the user logs in again, for
//! the granted and the missing scopes (2026-07-28, "Step-Up Authorization Flow").

use plainly_oauth::scope;

use super::flow::Flow;
use super::need::Wanted;
use super::wallet::TokenInUse;
use plainly_client::AuthError;

/// The most requests in a row for more scopes.
const STEPS: u32 = 2;

impl Flow {
    /// Gets a token with more scopes than the one that was refused. It is the one in use from then on.
    pub(super) async fn step_up(
        &self,
        mut wanted: Wanted,
        held: &TokenInUse,
    ) -> Result<(), AuthError> {
        let is_named = !wanted.scope.is_empty();
        if is_named {
            // Nobody is asked for anything if there is no more to ask for.
            self.check_it_is_wider(&wanted, held, STEPS)?;
        }
        let found = self.discover(&wanted).await?;
        if !is_named {
            // Who does not say what is wanted may have it in the metadata.
            wanted.scope = found.scopes.clone().unwrap_or_default();
            self.check_it_is_wider(&wanted, held, STEPS)?;
        }
        let _alone = self.settings.store.lock(&found.name()).await?;
        let kept = self.settings.store.load().await?;
        if let Some(grant) = self.kept_grant(&kept, &found)
            && grant.access_token != held.grant.access_token
            && !scope::is_wider(&wanted.scope, &grant.requested_scope)
        {
            self.wallet.step();
            return self.adopt(grant).await;
        }
        let wanted = wanted.scope.iter().map(String::as_str);
        let scope = scope::union(&held.grant.requested_scope, wanted);
        let mut done = self.log_in(&found, scope).await;
        if let Err(AuthError::LoginRequired { has_login, .. }) = &mut done {
            *has_login = true;
        }
        // A server that was down has not said no.
        if !done.as_ref().is_err_and(AuthError::is_retryable) {
            self.wallet.step();
        }
        done
    }
}
