//! Limits on retries after 401 and 403, and the scopes to request next.

use std::sync::Arc;

use plainly_oauth::scope;

use super::discovery::Protection;
use super::flow::Flow;
use super::need::Wanted;
use super::wallet::{Came, TokenInUse};
use plainly_client::AuthError;

/// A token that a server refused, as it is by now.
pub(super) enum Refused {
    /// There is a newer one.
    Before,
    /// It is the one in use.
    Now(Arc<TokenInUse>),
    /// There is none.
    Nothing,
}

impl Flow {
    /// The token that was refused; `None` if there was none. If there is a newer one by now, that is the one to use.
    pub(super) fn refused(&self, wanted: &Wanted) -> Refused {
        match self.wallet.held() {
            Some(held) if held.generation > wanted.generation => Refused::Before,
            Some(held) => Refused::Now(held),
            None => Refused::Nothing,
        }
    }

    /// Fails if the token is new from an authorization server, and no request with it was ever
    /// accepted.
    pub(super) fn check_it_was_ever_accepted(&self, held: &TokenInUse) -> Result<(), AuthError> {
        if held.came != Came::Fresh || held.was_accepted() || self.has_ended(&held.grant) {
            return Ok(());
        }
        Err(AuthError::StillUnauthorized {
            server: self.server.clone(),
            issuer: held.grant.key.issuer.clone(),
        })
    }

    /// Asking again for what was asked for already leads nowhere, and neither does asking for ever.
    pub(super) fn check_it_is_wider(
        &self,
        wanted: &Wanted,
        held: &TokenInUse,
        steps: u32,
    ) -> Result<(), AuthError> {
        let is_wider = scope::is_wider(&wanted.scope, &held.grant.requested_scope);
        let limit = self.settings.scope.as_ref();
        let is_allowed = limit.is_none_or(|limit| !scope::is_wider(&wanted.scope, limit));
        if is_wider && is_allowed && self.wallet.steps() < steps {
            return Ok(());
        }
        Err(AuthError::ScopeRefused {
            server: self.server.clone(),
            wanted: wanted.scope.clone(),
            granted: held.grant.granted_scope.clone(),
        })
    }

    /// The scopes to request (2026-07-28, "Scope Selection Strategy"), and those that were
    /// requested before.
    pub(super) fn scope(
        &self,
        found: &Protection,
        wanted: &Wanted,
        before: &[String],
    ) -> Vec<String> {
        if let Some(scope) = &self.settings.scope {
            return scope.clone();
        }
        let said = match wanted.scope.is_empty() {
            true => found.scopes.as_deref().unwrap_or_default(),
            false => &wanted.scope,
        };
        scope::union(before, said.iter().map(String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use plainly_oauth::credentials::{Grant, GrantKey};

    use super::*;
    use crate::client::OAuth;

    #[test]
    fn a_token_that_was_refused_is_not_the_one_that_came_meanwhile() {
        let oauth = OAuth::new();
        let flow = oauth.flow("https://a.example/mcp");
        let refused = |generation| {
            let wanted = Wanted {
                generation,
                ..Wanted::default()
            };
            match flow.refused(&wanted) {
                Refused::Before => "before".to_owned(),
                Refused::Now(held) => format!("now {}", held.generation),
                Refused::Nothing => "nothing".to_owned(),
            }
        };
        assert_eq!(refused(0), "nothing");
        for generation in 1..=2 {
            let key = GrantKey::new("https://as.example", "https://a.example/mcp", "me");
            let grant = Grant::new(key, "https://as.example/token", "t".into());
            flow.wallet.hold(grant, None, Came::Fresh);
            assert_eq!(flow.wallet.generation(), generation);
            assert_eq!(refused(generation - 1), "before");
            assert_eq!(refused(generation), format!("now {generation}"));
        }
        flow.wallet.let_go();
        assert_eq!(flow.wallet.generation(), 0);
        assert_eq!(refused(2), "nothing");
    }
}
