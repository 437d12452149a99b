//! Tokens that only their issuer can verify: this server asks the issuer about each (RFC 7662).

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderValue};
use plainly_oauth::credentials::{ClientAuthMethod, Registration};
use plainly_oauth::jose::{ClaimRules, introspected};
use plainly_oauth::{Form, Secret, prove};
use tokio::sync::OnceCell;

use super::issuer_keys::metadata;
use super::verifier::{VerificationError, VerifiedToken, Verifier};
use crate::fetch::Fetcher;
use plainly_transport::lock::Lock;

/// The seconds for which an answer is cached: that a token is valid, and that it is not.
const REMEMBERED: (u64, u64) = (60, 10);
/// The seconds for which an issuer that is down is not asked.
const PAUSE: u64 = 5;

/// An issuer that is asked about tokens, and this server's authentication there.
#[derive(Clone, Debug)]
pub struct Introspection {
    pub(super) issuer: String,
    endpoint: Option<String>,
    client: Registration,
    checks_audience: bool,
}

impl Introspection {
    /// Asks this issuer, at the endpoint in its metadata. This server authenticates as `client_id`.
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

    /// Asks at this endpoint, without reading the metadata.
    #[must_use]
    pub fn endpoint(mut self, url: impl Into<String>) -> Self {
        self.endpoint = Some(url.into());
        self
    }

    /// Accepts tokens without an audience. Only use this for an issuer whose tokens are all for
    /// this server: otherwise any server that received a token could use it here.
    #[must_use]
    pub fn audience_unchecked(mut self) -> Self {
        self.checks_audience = false;
        self
    }
}

/// The tokens of an issuer that is asked about them.
#[derive(Debug)]
pub(super) struct IntrospectedTokens {
    introspection: Introspection,
    rules: ClaimRules,
    fetcher: Fetcher,
    endpoint: OnceCell<String>,
    /// The time when the issuer was last down, and its failure.
    down: Lock<Option<(u64, String)>>,
}

/// The reason why an issuer did not verify a token.
enum NoJudgement {
    /// The issuer does not answer at the moment.
    Down(String),
    /// The issuer's unusable answer, which may be due to this token. Other tokens may still be
    /// verified.
    Answered(String),
}

impl IntrospectedTokens {
    pub(super) fn new(introspection: Introspection, rules: ClaimRules, fetcher: Fetcher) -> Self {
        let endpoint = introspection.endpoint.clone();
        Self {
            introspection,
            rules,
            fetcher,
            endpoint: OnceCell::new_with(endpoint),
            down: Lock::default(),
        }
    }

    async fn judge(&self, token: &Secret, now: u64) -> Result<VerifiedToken, VerificationError> {
        if let Some((at, why)) = &*self.down.lock()
            && now.abs_diff(*at) < PAUSE
        {
            let why = format!("{why}; the next attempt is in {PAUSE} seconds");
            return Err(VerificationError::Unavailable(why));
        }
        let answer = match self.ask(token).await {
            Ok(answer) => answer,
            Err(NoJudgement::Answered(why)) => return Err(VerificationError::Unavailable(why)),
            Err(NoJudgement::Down(why)) => {
                *self.down.lock() = Some((now, why.clone()));
                return Err(VerificationError::Unavailable(why));
            }
        };
        let (rules, checks_audience) = (&self.rules, self.introspection.checks_audience);
        let judged = introspected(&answer, rules, checks_audience, now);
        let issuer = &self.introspection.issuer;
        let judged =
            judged.map_err(|why| VerificationError::Unavailable(format!("{issuer}: {why}")))?;
        Ok(judged?.into())
    }

    /// Requests the issuer's answer about a token.
    async fn ask(&self, token: &Secret) -> Result<Bytes, NoJudgement> {
        let endpoint = self.endpoint.get_or_try_init(|| self.find_endpoint()).await;
        let endpoint = endpoint.map_err(NoJudgement::Down)?;
        let mut form = Form::default();
        form.set("token", token.clone());
        form.set("token_type_hint", "access_token");
        let proof = prove(&self.introspection.client, None, &mut form);
        let proof = proof.map_err(|why| NoJudgement::Answered(why.to_string()))?;
        let mut headers = HeaderMap::new();
        let authorization = proof.map(|proof| HeaderValue::from_str(proof.expose()));
        if let Some(Ok(mut authorization)) = authorization {
            authorization.set_sensitive(true);
            headers.insert(AUTHORIZATION, authorization);
        }
        let body = String::from(form.body().as_str());
        let answer = self.fetcher.post_form(endpoint, headers, body).await;
        let answer = answer.map_err(|error| NoJudgement::Down(error.to_string()))?;
        let failed = || format!("{endpoint} answered with {}", answer.status);
        match answer.status {
            status if status.is_success() => Ok(answer.body),
            status if status.is_server_error() => Err(NoJudgement::Down(failed())),
            _ => Err(NoJudgement::Answered(failed())),
        }
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
    /// Recognises every token, because only the issuer can verify it.
    fn recognises(&self, _token: &str) -> bool {
        true
    }

    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, VerificationError>> {
        self.judge(token, now).boxed()
    }

    fn ready(&self, _now: u64) -> BoxFuture<'_, Result<(), VerificationError>> {
        async move {
            let found = self.endpoint.get_or_try_init(|| self.find_endpoint()).await;
            found.map(drop).map_err(VerificationError::Unavailable)
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
