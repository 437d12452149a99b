//! From a refusal to a token, in the order in which it happens: who lets clients in ([`discovery`](super::discovery)), is there
//! a token already, can it be renewed ([`renewal`](super::renewal)), and if all else fails, a person logs in
//! ([`login`](super::login)). A token that does not reach far enough is another matter ([`step_up`](super::step_up)).

use std::sync::Arc;

use plainly_oauth::credentials::{Credentials, Grant};

use super::discovery::Protection;
use super::flow::Flow;
use super::need::{Need, Wanted};
use super::settings::GrantSource;
use super::trial::Refused;
use super::wallet::{Came, TokenInUse};
use plainly_client::AuthError;

impl Flow {
    /// Gets the token that is needed. It is the one in use from then on.
    pub(super) async fn run(self, need: Need) -> Result<(), AuthError> {
        match (&self.settings.source, need) {
            (GrantSource::Login, Need::Renewal) => self.renew_ahead().await,
            (GrantSource::Login, Need::Token(wanted)) => self.by_login(&wanted).await,
            (GrantSource::Login, Need::Scope(wanted)) => match self.refused(&wanted) {
                Refused::Before => Ok(()),
                Refused::Nothing => self.by_login(&wanted).await,
                Refused::Now(held) => self.step_up(wanted, &held).await,
            },
            (GrantSource::Login, Need::Login) => self.by_wish().await,
            (_, Need::Renewal) => Ok(()),
            (_, Need::Login) => self.by_itself(&Wanted::default(), false).await,
            (_, Need::Token(wanted)) => self.by_itself(&wanted, false).await,
            (_, Need::Scope(wanted)) => self.by_itself(&wanted, true).await,
        }
    }

    async fn by_login(&self, wanted: &Wanted) -> Result<(), AuthError> {
        let refused = match self.refused(wanted) {
            Refused::Before => return Ok(()),
            Refused::Now(held) => Some(held),
            Refused::Nothing => None,
        };
        if let Some(held) = &refused {
            self.check_it_was_ever_accepted(held)?;
        }
        // One that was just renewed is not renewed again.
        let may_renew = refused
            .as_ref()
            .is_none_or(|it| it.came != Came::Renewed || it.was_accepted());
        let found = match self.discover(wanted).await {
            Ok(found) => found,
            Err(error) => {
                return self
                    .without_discovery(refused.filter(|_| may_renew), error)
                    .await;
            }
        };
        let alone = Arc::new(self.settings.store.lock(&found.name()).await?);
        let kept = self.settings.store.load().await?;
        let grant = self.kept_grant(&kept, &found);
        if let Some(grant) = grant {
            let is_refused = refused.is_some_and(|it| it.grant.access_token == grant.access_token);
            if !is_refused && !self.has_ended(grant) {
                return self.adopt(grant).await;
            }
            if may_renew && self.renew(grant, &kept, &alone).await? {
                return Ok(());
            }
        }
        let before = grant.map_or(&[][..], |it| &it.requested_scope);
        let scope = self.scope(&found, wanted, before);
        self.log_in(&found, scope).await
    }

    /// Logs in even if a usable token is stored.
    async fn by_wish(&self) -> Result<(), AuthError> {
        let wanted = Wanted::default();
        let found = self.discover(&wanted).await?;
        let _alone = self.settings.store.lock(&found.name()).await?;
        let scope = self.scope(&found, &wanted, &[]);
        self.log_in(&found, scope).await
    }

    /// Renews the token at its known endpoint, if the authorization server can't be discovered now.
    async fn without_discovery(
        &self,
        refused: Option<Arc<TokenInUse>>,
        error: AuthError,
    ) -> Result<(), AuthError> {
        let is_unread = matches!(
            error,
            AuthError::Metadata { .. }
                | AuthError::Unreachable { .. }
                | AuthError::NoAuthorizationServer { .. }
        );
        let Some(held) = refused.filter(|it| is_unread && it.grant.refresh_token.is_some()) else {
            return Err(error);
        };
        match self.renew_held(&held).await {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(error),
        }
    }

    /// The grant that is kept for this.
    pub(super) fn kept_grant<'a>(
        &self,
        kept: &'a Credentials,
        found: &Protection,
    ) -> Option<&'a Grant> {
        let resource = found.resource.as_deref().unwrap_or_default();
        let client = self.settings.client.as_ref();
        kept.grants.iter().find(|it| {
            it.key.issuer == found.server.issuer
                && it.key.resource == resource
                && client.is_none_or(|client| client.id == it.key.client_id)
        })
    }

    /// Uses a grant that another flow got.
    pub(super) async fn adopt(&self, grant: &Grant) -> Result<(), AuthError> {
        self.keep(grant.clone(), None).await?;
        self.hold(grant.clone(), Came::Kept)
    }
}
