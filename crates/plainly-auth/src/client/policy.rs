//! Limits the attempts of a flow after a rejection, and chooses the scopes that it requests.

use std::sync::Arc;

use plainly_oauth::credentials::Grant;
use plainly_oauth::scope;

use super::discovery::Protection;
use super::flow::Flow;
use super::need::{Need, Purpose};
use super::wallet::{TokenInUse, TokenOrigin};
use super::{OAuthError, StoreLock};

/// The scope of tokens that can be renewed without the user (OpenID Connect Core, 11).
pub(super) const OFFLINE_ACCESS: &str = "offline_access";

/// The most step-ups in a row with a user.
const STEP_UPS: u32 = 2;
/// The most step-ups in a row without a user.
const STEP_UPS_UNATTENDED: u32 = 1;

/// The goal of a flow.
#[derive(Debug)]
pub(super) struct Goal {
    pub(super) need: Need,
    /// The token that does not suffice.
    token: Option<Arc<TokenInUse>>,
}

/// A login at an authorization server: of the user, or of the client itself.
pub(super) struct Login {
    pub(super) found: Protection,
    /// The scopes to request.
    pub(super) scope: Vec<String>,
    /// The lock of the tokens that the login replaces, if they are stored.
    _lock: Option<Arc<StoreLock>>,
}

impl Flow {
    /// The goal of a new flow; `None` if there is nothing to do.
    ///
    /// # Errors
    ///
    /// If another token would not help.
    pub(super) fn goal(&self, mut need: Need) -> Result<Option<Goal>, OAuthError> {
        let token = self.wallet.token();
        let token = token.filter(|_| need.purpose != Purpose::Login);
        match (need.purpose, &token) {
            // A newer token arrived in the meantime.
            (_, Some(token)) if token.generation > need.generation => return Ok(None),
            (Purpose::Renewal, _) if !self.settings.has_user() => return Ok(None),
            (Purpose::Renewal, None) => return Ok(None),
            (Purpose::Token, Some(token)) => self.check_acceptance(token)?,
            (Purpose::StepUp, None) => need.purpose = Purpose::Token,
            _ => {}
        }
        let goal = Goal { need, token };
        if !goal.need.scope.is_empty() {
            self.check_step_up(&goal, &goal.need.scope)?;
        }
        Ok(Some(goal))
    }

    /// Fails if the authorization server has just issued the token, and no request with it was
    /// accepted.
    fn check_acceptance(&self, token: &TokenInUse) -> Result<(), OAuthError> {
        let is_new = token.origin == TokenOrigin::Issued && !token.was_accepted();
        if !is_new || self.has_ended(&token.grant) {
            return Ok(());
        }
        Err(OAuthError::StillUnauthorized {
            server: self.server.clone(),
            issuer: token.grant.key.issuer.clone(),
        })
    }

    /// Fails if a step-up to these scopes requests nothing new, exceeds the program's own limit, or
    /// follows too many others.
    pub(super) fn check_step_up(&self, goal: &Goal, needed: &[String]) -> Result<(), OAuthError> {
        let Some(token) = goal.token_to_step_up() else {
            return Ok(());
        };
        let most = match self.settings.has_user() {
            true => STEP_UPS,
            false => STEP_UPS_UNATTENDED,
        };
        let limit = self.settings.scope.as_ref();
        if scope::is_wider(needed, &token.grant.requested_scope)
            && limit.is_none_or(|limit| !scope::is_wider(needed, limit))
            && self.wallet.step_ups() < most
        {
            return Ok(());
        }
        Err(OAuthError::ScopeRefused {
            server: self.server.clone(),
            wanted: needed.to_vec(),
            granted: token.grant.granted_scope.clone(),
        })
    }

    /// Whether a stored grant can replace the token that does not suffice.
    pub(super) fn may_reuse(&self, goal: &Goal, found: &Protection, stored: &Grant) -> bool {
        let mut token = goal.token.iter();
        let is_other = token.all(|it| it.grant.access_token != stored.access_token);
        is_other
            && match goal.need.purpose {
                Purpose::StepUp => !scope::is_wider(&found.scopes, &stored.requested_scope),
                Purpose::Renewal | Purpose::Token | Purpose::Login => !self.has_ended(stored),
            }
    }

    /// A login with the discovered authorization server and the stored grant.
    pub(super) fn login(
        &self,
        goal: &Goal,
        found: Protection,
        stored: Option<&Grant>,
        lock: Option<Arc<StoreLock>>,
    ) -> Box<Login> {
        let scope = self.scope(goal, &found, stored);
        Box::new(Login {
            found,
            scope,
            _lock: lock,
        })
    }

    /// The scopes to request (2026-07-28, "Scope Selection Strategy"), including those that were
    /// requested before.
    fn scope(&self, goal: &Goal, found: &Protection, stored: Option<&Grant>) -> Vec<String> {
        let token = goal.token.as_deref().map(|it| &it.grant);
        let before = token.into_iter().chain(stored);
        let before = before.flat_map(|it| &it.requested_scope);
        let scope = match &self.settings.scope {
            Some(scope) => scope.clone(),
            None => scope::union(&[], before.chain(&found.scopes).map(String::as_str)),
        };
        let has_offline_access = found.server.scopes.iter().any(|it| it == OFFLINE_ACCESS);
        match has_offline_access && self.settings.has_user() {
            true => scope::union(&scope, [OFFLINE_ACCESS]),
            false => scope,
        }
    }
}

impl Goal {
    /// The token that lacks a scope.
    pub(super) fn token_to_step_up(&self) -> Option<&TokenInUse> {
        self.token
            .as_deref()
            .filter(|_| self.need.purpose == Purpose::StepUp)
    }

    /// The grant of the token that expires soon.
    pub(super) fn ending(&self) -> Option<&Grant> {
        let token = self.token.as_ref().map(|it| &it.grant);
        token.filter(|_| self.need.purpose == Purpose::Renewal)
    }

    /// Whether a token can be renewed instead of a login. A token that was just renewed is not
    /// renewed again.
    pub(super) fn may_renew(&self) -> bool {
        let is_worth_it = |it: &TokenInUse| it.origin != TokenOrigin::Renewed || it.was_accepted();
        self.need.purpose == Purpose::Token && self.token.as_deref().is_none_or(is_worth_it)
    }

    /// The grant that can be renewed at its known endpoint, although discovery of the authorization
    /// server failed with `error`.
    pub(super) fn renewable_after(&self, error: &OAuthError) -> Option<&Grant> {
        let is_unread = matches!(
            error,
            OAuthError::Metadata { .. }
                | OAuthError::Unreachable { .. }
                | OAuthError::NoAuthorizationServer { .. }
        );
        let token = self.token.as_ref().map(|it| &it.grant);
        token.filter(|it| is_unread && self.may_renew() && it.refresh_token.is_some())
    }
}

#[cfg(test)]
mod tests {
    use plainly_oauth::credentials::GrantKey;
    use plainly_oauth::metadata::ServerMetadata;

    use super::*;
    use crate::client::OAuth;

    #[test]
    fn a_flow_is_about_the_token_that_was_rejected_and_not_about_a_newer_one() {
        let oauth = OAuth::new();
        let flow = oauth.flow("https://a.example/mcp");
        let generation = |purpose, generation| {
            let goal = flow.goal(Need::new(purpose, generation)).unwrap();
            goal.map(|it| it.token.map_or(0, |it| it.generation))
        };
        assert_eq!(generation(Purpose::Renewal, 0), None);
        assert_eq!(generation(Purpose::Token, 0), Some(0));
        for newest in 1..=2 {
            let key = GrantKey::new("https://as.example", "https://a.example/mcp", "me");
            let grant = Grant::new(key, "https://as.example/token", "t".into());
            flow.wallet.set(grant, TokenOrigin::Stored).unwrap();
            for purpose in [Purpose::Renewal, Purpose::Token, Purpose::StepUp] {
                assert_eq!(generation(purpose, newest - 1), None, "{purpose:?}");
                assert_eq!(generation(purpose, newest), Some(newest), "{purpose:?}");
            }
            // The user wants a new token in any case.
            assert_eq!(generation(Purpose::Login, 0), Some(0));
        }
        flow.wallet.clear();
        assert_eq!(generation(Purpose::Token, 2), Some(0));
    }

    #[test]
    fn a_step_up_keeps_the_scopes_of_the_token_and_of_the_stored_grant() {
        let oauth = OAuth::new();
        let flow = oauth.flow("https://a.example/mcp");
        let grant = |scope: &[&str]| {
            let key = GrantKey::new("https://as.example", "https://a.example/mcp", "me");
            let mut grant = Grant::new(key, "https://as.example/token", "t".into());
            grant.requested_scope = scope.iter().map(|&it| it.to_owned()).collect();
            grant
        };
        flow.wallet
            .set(grant(&["a", "b"]), TokenOrigin::Issued)
            .unwrap();
        let goal = flow.goal(Need::new(Purpose::StepUp, 1)).unwrap().unwrap();
        let found = Protection {
            scopes: vec!["c".to_owned()],
            accepts_dpop: false,
            resource: "https://a.example/mcp".to_owned(),
            server: ServerMetadata::expected_at("https://as.example"),
            guess: None,
        };
        let scope = flow.scope(&goal, &found, Some(&grant(&["a"])));
        assert_eq!(scope, ["a", "b", "c"]);
    }
}
