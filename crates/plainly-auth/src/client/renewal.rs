//! The renewal of a token without the user: at its issuer, under a lock, and stored before use.

use std::panic::resume_unwind;
use std::sync::{Arc, LazyLock};

use plainly_client::AuthorizerError as _;
use plainly_oauth::credentials::{Credentials, Grant};
use plainly_oauth::token::TokenRequest;
use tokio::sync::watch;

use super::OAuthError;
use super::StoreLock;
use super::flow::Flow;
use super::token_endpoint::TokenCall;
use super::wallet::TokenOrigin;

/// The part of the stored credentials that a rejection makes useless.
#[derive(Clone, Copy)]
enum Useless {
    Grant,
    GrantAndClient,
    /// Some servers issue refresh tokens but never renew a token. The access token is still valid.
    RefreshToken,
}

/// The error codes of rejections that make something useless (RFC 6749, 5.2).
const FINAL: [(&str, Useless); 3] = [
    ("invalid_grant", Useless::Grant),
    ("invalid_client", Useless::GrantAndClient),
    ("unsupported_grant_type", Useless::RefreshToken),
];

/// The number of renewals that run in this process.
static RUNNING: LazyLock<watch::Sender<usize>> = LazyLock::new(watch::Sender::default);

/// A running renewal.
struct Running;

impl Running {
    fn start() -> Self {
        RUNNING.send_modify(|it| *it += 1);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.send_modify(|it| *it -= 1);
    }
}

/// Waits until no renewal of a token runs in this process. A program that ends during a renewal may
/// lose the login, because the old refresh token is spent, and the new one is not stored yet.
pub async fn renewals_finished() {
    // This fails only if the sender is dropped, and statics never are.
    let _ = RUNNING.subscribe().wait_for(|it| *it == 0).await;
}

impl Flow {
    /// Renews a grant, or uses the grant that another process has renewed. Returns whether that was
    /// possible.
    ///
    /// The renewal continues if its caller is dropped, because a refresh token is valid only once,
    /// so the answer must be stored.
    pub(super) async fn renew(
        self: &Arc<Self>,
        grant: Grant,
        lock: Arc<StoreLock>,
    ) -> Result<bool, OAuthError> {
        let stored = self.settings.store.load().await?;
        let other = stored.grants.iter().find(|it| it.key == grant.key);
        if let Some(other) = other.filter(|it| it.access_token != grant.access_token) {
            self.wallet.set(other.clone(), TokenOrigin::Stored)?;
            return Ok(true);
        }
        if grant.refresh_token.is_none() {
            return Ok(false);
        }
        let client = self.client_of(&grant, &stored);
        let (flow, call) = (Arc::clone(self), TokenCall::new(grant, client)?);
        let running = Running::start();
        let renewal = tokio::spawn(async move {
            let renewed = flow.refresh(call).await;
            drop((lock, running));
            renewed
        });
        let renewed = renewal.await;
        renewed.unwrap_or_else(|ended| match ended.try_into_panic() {
            Ok(panic) => resume_unwind(panic),
            Err(ended) => Err(OAuthError::Assertion {
                source: Arc::new(ended),
            }),
        })
    }

    async fn refresh(&self, call: TokenCall) -> Result<bool, OAuthError> {
        let Some(refresh_token) = &call.grant.refresh_token else {
            return Ok(false);
        };
        let refused = match self
            .token(&call, TokenRequest::Refresh(refresh_token))
            .await
        {
            Ok(tokens) => {
                self.save(call, tokens, TokenOrigin::Renewed).await?;
                return Ok(true);
            }
            Err(error) => error,
        };
        let OAuthError::TokenRefused { error, .. } = &refused else {
            return Err(refused);
        };
        if refused.is_retryable() {
            return Err(refused);
        }
        tracing::info!(error = %refused, "the token can't be renewed");
        let mut rows = FINAL.into_iter();
        let Some((_, useless)) = rows.find(|(code, _)| error.as_deref() == Some(code)) else {
            return Ok(false);
        };
        let key = &call.grant.key;
        let forget = Box::new(|credentials: &mut Credentials| match useless {
            Useless::RefreshToken => {
                let mut grants = credentials.grants.iter_mut();
                if let Some(grant) = grants.find(|it| it.key == *key) {
                    grant.refresh_token = None;
                }
            }
            Useless::Grant | Useless::GrantAndClient => {
                credentials.forget_grant(key);
                // The program's own client id remains valid.
                if matches!(useless, Useless::GrantAndClient) && self.settings.client.is_none() {
                    credentials.forget_registration(&key.issuer, &key.client_id);
                }
            }
        });
        self.settings.store.update(forget).await?;
        Ok(false)
    }
}
