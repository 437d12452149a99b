//! The flow from a rejection to a token, as a state machine that decides the order of the steps.
//! Each step is in another file; [`policy`](super::policy) has the limits.
//!
//! ```text
//! Discover ─► Reuse ─► Renew ─► Register ─► Authorize ─► Exchange ─► Done
//! ```
//!
//! A stored or renewed token ends the flow early. Steps that do not apply are left out. If
//! discovery fails, the token in use may still be renewed. Without a user, `Register` follows
//! `Discover`, because nothing is stored or renewed. For a token that expires soon, the flow starts
//! with `Renew`.

use std::sync::Arc;

use plainly_client::AuthorizerError as _;
use plainly_oauth::credentials::Grant;

use super::OAuthError;
use super::StoreLock;
use super::authorization::{Approver, Authorization};
use super::discovery::Protection;
use super::flow::Flow;
use super::need::{Need, Purpose};
use super::policy::{Goal, Login};
use super::token_endpoint::TokenCall;
use super::wallet::TokenOrigin;

/// A step of a flow, with the results of earlier steps.
enum Step {
    /// Finds the authorization server.
    Discover,
    /// Uses a stored token, for example one that another process stored.
    Reuse(Protection),
    /// Renews a token, without the user.
    Renew(Grant, Arc<StoreLock>, Fallback),
    /// Chooses the client id.
    Register(Box<Login>),
    /// Gets the user's consent, or a third party's assertion.
    Authorize(Box<Login>, Box<TokenCall>, Approver),
    /// Exchanges the authorization for tokens.
    Exchange(Box<Login>, Box<TokenCall>, Authorization),
}

/// The continuation of a flow if a renewal is not possible.
enum Fallback {
    /// The token is used until it expires.
    Expiry,
    /// The user logs in.
    Login(Box<Login>),
    /// The flow fails with the error that led to the renewal.
    Failure(OAuthError),
}

impl Flow {
    /// Gets a token for `need`, which is then the token in use.
    pub(super) async fn run(self: Arc<Self>, need: Need) -> Result<(), OAuthError> {
        let Some(goal) = self.goal(need)? else {
            return Ok(());
        };
        let mut step = match goal.ending() {
            Some(grant) => match self.lock(grant).await {
                Ok(lock) => Step::Renew(grant.clone(), lock, Fallback::Expiry),
                Err(busy) => return self.without_renewal(Err(busy)),
            },
            None => Step::Discover,
        };
        loop {
            let has_found = !matches!(step, Step::Discover | Step::Reuse(_));
            let next = self.next(&goal, step).await;
            // A server that is down has not answered the step-up.
            let is_answered = match &next {
                Ok(next) => next.is_none(),
                Err(error) => has_found && !error.is_retryable(),
            };
            if is_answered && goal.token_to_step_up().is_some() {
                self.wallet.count_step_up();
            }
            let Some(next) = next? else {
                return Ok(());
            };
            step = next;
        }
    }

    /// Performs a step, and decides which step follows; `None` if there is a token to use.
    async fn next(self: &Arc<Self>, goal: &Goal, step: Step) -> Result<Option<Step>, OAuthError> {
        let next = match step {
            Step::Discover => match self.discover(&goal.need).await {
                Ok(found) => self.after_discovery(goal, found)?,
                Err(error) => self.without_discovery(goal, error).await?,
            },
            Step::Reuse(found) => return self.reuse_or_renew(goal, found).await,
            Step::Renew(grant, lock, fallback) => {
                let renewed = self.renew(grant, lock).await;
                return self.after_renewal(renewed, fallback);
            }
            Step::Register(login) => {
                let registered = self.register(goal, &login).await;
                let registered = registered.map_err(|error| self.unless_guess(&login.found, error));
                let (client, approver) = registered?;
                let call = Box::new(self.token_call(&login, client)?);
                Step::Authorize(login, call, approver)
            }
            Step::Authorize(login, call, approver) => {
                let server = &login.found.server;
                let authorization = self.authorize(server, &call, approver).await?;
                Step::Exchange(login, call, authorization)
            }
            Step::Exchange(_login, call, authorization) => {
                let tokens = self.exchange(&call, &authorization).await?;
                self.save(*call, tokens, TokenOrigin::Issued).await?;
                return Ok(None);
            }
        };
        Ok(Some(next))
    }

    fn after_discovery(&self, goal: &Goal, found: Protection) -> Result<Step, OAuthError> {
        self.check_step_up(goal, &found.scopes)?;
        Ok(match self.settings.has_user() {
            true => Step::Reuse(found),
            false => Step::Register(self.login(goal, found, None, None)),
        })
    }

    async fn without_discovery(&self, goal: &Goal, error: OAuthError) -> Result<Step, OAuthError> {
        let grant = goal.renewable_after(&error);
        let Some(grant) = grant.filter(|_| self.settings.has_user()) else {
            return Err(error);
        };
        match self.lock(grant).await {
            Ok(lock) => Ok(Step::Renew(grant.clone(), lock, Fallback::Failure(error))),
            Err(_busy) => Err(error),
        }
    }

    async fn reuse_or_renew(
        &self,
        goal: &Goal,
        found: Protection,
    ) -> Result<Option<Step>, OAuthError> {
        let lock = self.lock_for(&found.server.issuer, &found.resource).await?;
        let stored = match goal.need.purpose == Purpose::Login {
            true => None,
            false => self.stored_grant(&found).await?,
        };
        Ok(Some(match stored {
            Some(grant) if self.may_reuse(goal, &found, &grant) => {
                self.use_stored(grant).await?;
                return Ok(None);
            }
            Some(grant) if goal.may_renew() => {
                let login = self.login(goal, found, Some(&grant), Some(Arc::clone(&lock)));
                Step::Renew(grant, lock, Fallback::Login(login))
            }
            stored => Step::Register(self.login(goal, found, stored.as_ref(), Some(lock))),
        }))
    }

    fn after_renewal(
        &self,
        renewed: Result<bool, OAuthError>,
        fallback: Fallback,
    ) -> Result<Option<Step>, OAuthError> {
        match (renewed, fallback) {
            (Ok(true), _) => Ok(None),
            (Ok(false), Fallback::Login(login)) => Ok(Some(Step::Register(login))),
            (renewed, Fallback::Expiry) => self.without_renewal(renewed.map(drop)).map(|()| None),
            (_, Fallback::Failure(error)) | (Err(error), _) => Err(error),
        }
    }

    /// Uses the token until it expires, because it can't be renewed.
    fn without_renewal(&self, renewed: Result<(), OAuthError>) -> Result<(), OAuthError> {
        let token = self.wallet.token();
        let live = token.filter(|it| !self.has_ended(&it.grant));
        let is_temporary = renewed.as_ref().is_err_and(may_pass);
        match (renewed, live) {
            (Err(error), None) if !is_temporary => return Err(error),
            (Ok(()), None) => self.wallet.clear(),
            (renewed, live) => {
                if let Err(error) = renewed {
                    tracing::warn!(%error, "the token ends soon and could not be renewed");
                }
                // Otherwise, each request would try to renew it again.
                if let Some(live) = live.filter(|_| !is_temporary) {
                    let mut grant = live.grant.clone();
                    grant.refresh_token = None;
                    self.wallet.set(grant, TokenOrigin::Stored)?;
                }
            }
        }
        Ok(())
    }
}

/// Whether a failed renewal may succeed later.
fn may_pass(error: &OAuthError) -> bool {
    error.is_retryable() || matches!(error, OAuthError::Metadata { .. })
}
