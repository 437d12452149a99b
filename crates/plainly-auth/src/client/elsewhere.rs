//! The login on another device, which this machine polls for.

use std::time::Duration;

use plainly_oauth::device::DeviceAuthorization;
use plainly_oauth::token::{TokenRequest, Tokens};
use tokio::time::{Instant, sleep, timeout_at};

use super::device::{DevicePage, Screen};
use super::discovery::Protection;
use super::failures;
use super::flow::Flow;
use super::login::{PersonAsked, token_endpoint};
use super::token_endpoint::Asking;
use plainly_client::AuthError;

/// The seconds by which the pause grows when the server asks for that.
const SLOWER: u64 = 5;

impl Flow {
    /// Has the user log in on another device, and uses the new token.
    pub(super) async fn log_in_elsewhere(
        &self,
        found: &Protection,
        scope: Vec<String>,
        screen: &Screen,
    ) -> Result<(), AuthError> {
        let server = &found.server;
        let issuer = &server.issuer;
        let endpoint = server.device_authorization_endpoint.as_deref();
        let endpoint = endpoint.ok_or_else(|| {
            let error = failures::lacking(issuer, "device_authorization_endpoint");
            self.unless_guessed(found, error)
        })?;
        let client = self.client_of_device(server, &scope).await?;
        let key = self.new_key(found)?;
        let asking = Asking {
            issuer,
            endpoint: token_endpoint(server)?,
            client: &client,
            given: self.settings.client.as_ref(),
            resource: found.resource.as_deref(),
            scope: &scope,
            key: key.as_ref(),
        };
        let begun = self.begin(asking, endpoint).await?;
        for page in begun
            .verification_uri_complete
            .iter()
            .chain([&begun.verification_uri])
        {
            self.fetcher.check(page).await?;
        }
        screen.show(&DevicePage {
            url: &begun.verification_uri,
            code: &begun.user_code,
            complete_url: begun.verification_uri_complete.as_deref(),
            server: &self.server,
            issuer,
            scope: &scope,
        });
        let waiting = PersonAsked::begin(self);
        let after = Duration::from_secs(begun.expires_in);
        let asked = timeout_at(
            Instant::now() + after,
            self.ask_until_answered(asking, &begun),
        );
        let tokens = asked.await.map_err(|_elapsed| AuthError::ConsentTimedOut {
            issuer: issuer.clone(),
            after,
        });
        drop(waiting);
        self.take(found, asking, tokens??).await
    }

    async fn begin(
        &self,
        asking: Asking<'_>,
        endpoint: &str,
    ) -> Result<DeviceAuthorization, AuthError> {
        let form = DeviceAuthorization::form(asking.resource, asking.scope);
        let at_endpoint = Asking {
            endpoint,
            key: None,
            ..asking
        };
        let answered = self.post_form(at_endpoint, form).await?;
        let begun = answered.read(DeviceAuthorization::read);
        begun.map_err(|why| failures::token(asking.issuer, "device_code", why))
    }

    /// Asks for the token until there is one, or there will be none. What fails on the way is tried again.
    async fn ask_until_answered(
        &self,
        asking: Asking<'_>,
        begun: &DeviceAuthorization,
    ) -> Result<Tokens, AuthError> {
        let mut interval = begun.interval;
        loop {
            sleep(Duration::from_secs(interval)).await;
            let asked = self
                .token(asking, TokenRequest::Device(&begun.device_code))
                .await;
            let error = match asked {
                Ok(tokens) => return Ok(tokens),
                Err(error) => error,
            };
            let code = if let AuthError::TokenRefused {
                error: Some(code), ..
            } = &error
            {
                code.as_str()
            } else if error.is_retryable() {
                "slow_down"
            } else {
                return Err(error);
            };
            match code {
                "authorization_pending" => {}
                "slow_down" => interval = interval.saturating_add(SLOWER),
                "access_denied" | "expired_token" => {
                    return Err(AuthError::Denied {
                        issuer: asking.issuer.to_owned(),
                        error: code.to_owned(),
                        description: None,
                    });
                }
                _ => return Err(error),
            }
        }
    }
}
