//! The login on another device, while this machine polls for the token (RFC 8628).

use std::time::Duration;

use plainly_client::AuthorizerError as _;
use plainly_oauth::device::DeviceAuthorization;
use plainly_oauth::metadata::ServerMetadata;
use plainly_oauth::token::{TokenRequest, Tokens};
use tokio::time::{sleep, timeout};

use super::OAuthError;
use super::device::{DevicePage, Screen};
use super::flow::Flow;
use super::token_endpoint::TokenCall;

/// The seconds by which the pause grows when the server asks for a slower pace.
const SLOWER: u64 = 5;

impl Flow {
    /// Starts a login, and shows the user its code.
    pub(super) async fn start_at_device(
        &self,
        server: &ServerMetadata,
        call: &TokenCall,
        screen: &Screen,
    ) -> Result<DeviceAuthorization, OAuthError> {
        let endpoint = server.device_authorization_endpoint.as_deref();
        let scope = &call.grant.requested_scope;
        let form = DeviceAuthorization::form(call.resource(), scope);
        let at_endpoint = call.at(endpoint.unwrap_or_default());
        let read = DeviceAuthorization::read;
        let device = self
            .request_grant(&at_endpoint, form, "device_code", read)
            .await?;
        let complete_url = device.verification_uri_complete.as_deref();
        for page in complete_url.into_iter().chain([&*device.verification_uri]) {
            self.fetcher.check(page).await?;
        }
        screen.show(&DevicePage {
            url: &device.verification_uri,
            code: &device.user_code,
            complete_url,
            server: &self.server,
            issuer: &server.issuer,
            scope,
        });
        Ok(device)
    }

    /// Polls for the token until the user has answered, or the code expires.
    pub(super) async fn poll(
        &self,
        call: &TokenCall,
        device: &DeviceAuthorization,
    ) -> Result<Tokens, OAuthError> {
        let _waiting = self.wallet.wait_for_user();
        let after = Duration::from_secs(device.expires_in);
        let answered = timeout(after, self.poll_until_answered(call, device)).await;
        answered.unwrap_or_else(|_elapsed| {
            let issuer = call.issuer().to_owned();
            Err(OAuthError::ConsentTimedOut { issuer, after })
        })
    }

    /// Polls until there is a token, or until none can be expected. Temporary failures are retried.
    async fn poll_until_answered(
        &self,
        call: &TokenCall,
        device: &DeviceAuthorization,
    ) -> Result<Tokens, OAuthError> {
        let mut interval = device.interval;
        loop {
            sleep(Duration::from_secs(interval)).await;
            let request = TokenRequest::Device(&device.device_code);
            let refused = match self.token(call, request).await {
                Ok(tokens) => return Ok(tokens),
                Err(error) => error,
            };
            match refused.code() {
                Some("authorization_pending") => {}
                Some("slow_down") => interval = interval.saturating_add(SLOWER),
                Some(code @ ("access_denied" | "expired_token")) => {
                    return Err(OAuthError::Denied {
                        issuer: call.issuer().to_owned(),
                        error: code.to_owned(),
                        description: None,
                    });
                }
                _ if refused.is_retryable() => interval = interval.saturating_add(SLOWER),
                _ => return Err(refused),
            }
        }
    }
}
