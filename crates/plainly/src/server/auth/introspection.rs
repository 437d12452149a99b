//! Tokens that only their issuer understands: it is asked what each is worth (RFC 7662).

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use plainly_oauth::credentials::{ClientAuthMethod, Registration};
use plainly_oauth::jose::{ClaimRules, introspected};
use plainly_oauth::{Form, Secret, prove};
use tokio::sync::OnceCell;

use super::issuer_keys::metadata;
use super::verifier::{Unverified, VerifiedToken, Verifier};
use crate::fetch::Fetcher;

/// For how many seconds an answer is remembered: that a token is good, and that it is not.
const REMEMBERED: (u64, u64) = (60, 10);

/// An issuer that is asked about tokens, and how this server proves to it who asks.
#[derive(Clone, Debug)]
pub struct Introspection {
    pub(super) issuer: String,
    endpoint: Option<String>,
    client: Registration,
    checks_audience: bool,
}

impl Introspection {
    /// Asks this issuer, at the endpoint that its metadata names, as this client.
    pub fn new(issuer: impl Into<String>, client_id: impl Into<String>, secret: Secret) -> Self {
        let issuer = issuer.into();
        let mut client = Registration::new(issuer.clone(), client_id);
        client.client_secret = Some(secret);
        client.method = ClientAuthMethod::Basic;
        Self {
            issuer,
            endpoint: None,
            client,
            checks_audience: true,
        }
    }

    /// Asks at this endpoint, without looking at the metadata.
    #[must_use]
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// Takes tokens that say not whom they are for. Only for an issuer that gives tokens for this server and for nobody else:
    /// otherwise whoever is given a token for another server can come here with it.
    #[must_use]
    pub fn audience_unchecked(mut self) -> Self {
        self.checks_audience = false;
        self
    }
}

/// The tokens of an issuer that is asked.
#[derive(Debug)]
pub(super) struct IntrospectedTokens {
    introspection: Introspection,
    rules: ClaimRules,
    fetcher: Fetcher,
    endpoint: OnceCell<String>,
}

impl IntrospectedTokens {
    pub(super) fn new(introspection: Introspection, rules: ClaimRules, fetcher: Fetcher) -> Self {
        let endpoint = introspection.endpoint.clone();
        Self {
            introspection,
            rules,
            fetcher,
            endpoint: OnceCell::new_with(endpoint),
        }
    }

    async fn judge(&self, token: &Secret, now: u64) -> Result<VerifiedToken, Unverified> {
        let unavailable = |why: String| Unverified::Unavailable(why);
        let endpoint = self.endpoint.get_or_try_init(|| self.find_endpoint()).await;
        let endpoint = endpoint.map_err(unavailable)?;
        let mut form = Form::default();
        form.set("token", token.clone());
        form.set("token_type_hint", "access_token");
        let proof = prove(&self.introspection.client, None, &mut form);
        let proof = proof.map_err(|why| unavailable(why.to_string()))?;
        let mut headers = HeaderMap::new();
        let authorization = proof.map(|proof| HeaderValue::from_str(proof.expose()));
        if let Some(Ok(mut authorization)) = authorization {
            authorization.set_sensitive(true);
            headers.insert(AUTHORIZATION, authorization);
        }
        let body = String::from(form.body().as_str());
        let answer = self.fetcher.post_form(endpoint, headers, body).await;
        let answer = answer.map_err(|error| unavailable(error.to_string()))?;
        if !answer.status.is_success() {
            return Err(unavailable(format!(
                "{endpoint} answered with {}",
                answer.status
            )));
        }
        let judged = introspected(
            &answer.body,
            &self.rules,
            self.introspection.checks_audience,
            now,
        );
        let judged = judged.map_err(|why| unavailable(format!("{endpoint}: {why}")))?;
        Ok(judged?.into())
    }

    async fn find_endpoint(&self) -> Result<String, String> {
        let issuer = &self.introspection.issuer;
        let named = metadata(&self.fetcher, issuer)
            .await?
            .introspection_endpoint;
        named.ok_or_else(|| format!("the metadata of {issuer} names no introspection endpoint"))
    }
}

impl Verifier for IntrospectedTokens {
    /// Whatever nobody else knows: only the issuer can tell.
    fn recognises(&self, _token: &str) -> bool {
        true
    }

    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, Unverified>> {
        self.judge(token, now).boxed()
    }

    fn ready(&self, _now: u64) -> BoxFuture<'_, Result<(), Unverified>> {
        async move {
            let found = self.endpoint.get_or_try_init(|| self.find_endpoint()).await;
            found.map(drop).map_err(Unverified::Unavailable)
        }
        .boxed()
    }

    fn issuer(&self) -> Option<&str> {
        Some(&self.introspection.issuer)
    }

    fn remembered(&self) -> (u64, u64) {
        REMEMBERED
    }
}
