//! The revocation of tokens at their issuer, and their removal from the store (RFC 7009).

use plainly_oauth::Form;
use plainly_oauth::credentials::Credentials;
use plainly_oauth::token::read_revocation;

use super::OAuth;
use super::failures;
use super::flow::lock_name;
use super::token_endpoint::Asking;
use plainly_client::AuthError;

/// The outcome of a logout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoggedOut {
    /// There was none.
    Nothing,
    /// Its tokens are forgotten here, and no longer good.
    Revoked,
    /// Its tokens are forgotten here. Its authorization server takes none back.
    Forgotten,
}

impl OAuth {
    /// Ends the login to the MCP server at `url`: its tokens are given back and forgotten. They are forgotten even if giving them
    /// back fails.
    ///
    /// # Errors
    ///
    /// Of a failure to give them back; and [`Store`](AuthError::Store).
    pub async fn log_out(&self, url: &str) -> Result<LoggedOut, AuthError> {
        let flow = self.flow(url);
        let kept = flow.settings.store.load().await?;
        let Some(grant) = kept.grant(&flow.server) else {
            return Ok(LoggedOut::Nothing);
        };
        let key = grant.key.clone();
        let name = lock_name(&key.issuer, &key.resource);
        let _alone = flow.settings.store.lock(&name).await?;
        let forget = Box::new(move |credentials: &mut Credentials| {
            credentials.forget_grant(&key);
        });
        flow.settings.store.update(forget).await?;
        flow.wallet.let_go();
        let Some(endpoint) = &grant.revocation_endpoint else {
            return Ok(LoggedOut::Forgotten);
        };
        // The token that makes others first.
        let tokens = grant.refresh_token.iter().chain([&grant.access_token]);
        let hints = ["refresh_token", "access_token"];
        let hints = hints
            .into_iter()
            .skip(usize::from(grant.refresh_token.is_none()));
        let client = flow.client_of(grant, &kept);
        let asking = Asking {
            issuer: &grant.key.issuer,
            endpoint,
            client: &client,
            given: flow.settings.client.as_ref(),
            resource: None,
            scope: &[],
            key: None,
        };
        for (token, hint) in tokens.zip(hints) {
            let mut form = Form::default();
            form.set("token", token.clone());
            form.set("token_type_hint", hint);
            let answered = flow.post_form(asking, form).await?;
            answered
                .read(read_revocation)
                .map_err(|why| failures::revocation(&grant.key.issuer, why))?;
        }
        Ok(LoggedOut::Revoked)
    }
}
