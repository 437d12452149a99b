//! The revocation of tokens at their issuer, and their removal from the store (RFC 7009).

use plainly_oauth::Form;
use plainly_oauth::credentials::Credentials;
use plainly_oauth::token::read_revocation;

use super::OAuth;
use super::OAuthError;
use super::failures::Request;
use super::token_endpoint::TokenCall;

/// The outcome of a logout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoggedOut {
    /// There was no login.
    Nothing,
    /// The tokens are revoked, and removed from the store.
    Revoked,
    /// The tokens are removed from the store. The authorization server does not support revocation.
    Forgotten,
}

impl OAuth {
    /// Ends the login to the MCP server at `url`: revokes its tokens and removes them from the
    /// store, even if the revocation fails.
    ///
    /// # Errors
    ///
    /// If the revocation fails, or with [`Store`](OAuthError::Store) if the store does.
    pub async fn log_out(&self, url: &str) -> Result<LoggedOut, OAuthError> {
        let flow = self.flow(url);
        let store = &flow.settings.store;
        let Some(grant) = store.load().await?.grant(&flow.server).cloned() else {
            return Ok(LoggedOut::Nothing);
        };
        let _lock = flow.lock(&grant).await?;
        // The tokens may have been renewed before.
        let stored = store.load().await?;
        let Some(grant) = stored.grant(&flow.server) else {
            return Ok(LoggedOut::Nothing);
        };
        let forget = Box::new(|credentials: &mut Credentials| {
            credentials.forget_grant(&grant.key);
        });
        store.update(forget).await?;
        flow.wallet.clear();
        let Some(endpoint) = &grant.revocation_endpoint else {
            return Ok(LoggedOut::Forgotten);
        };
        let call = TokenCall {
            endpoint: endpoint.clone(),
            client: flow.client_of(grant, &stored),
            grant: grant.clone(),
            key: None,
        };
        // The refresh token is first, because it can be exchanged for other tokens.
        let refresh_token = grant.refresh_token.iter().map(|it| (it, "refresh_token"));
        for (token, hint) in refresh_token.chain([(&grant.access_token, "access_token")]) {
            let mut form = Form::default();
            form.set("token", token.clone());
            form.set("token_type_hint", hint);
            let answer = flow.post(&flow.fetcher, &call, form).await?;
            let read = answer.read(read_revocation);
            read.map_err(|why| Request::Revocation.failed(call.issuer(), why))?;
        }
        Ok(LoggedOut::Revoked)
    }
}
