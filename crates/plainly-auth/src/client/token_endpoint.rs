//! A request to a token endpoint, with the client's authentication and a proof of the key that the
//! token is to be bound to. It is sent a second time if the server requires its nonce in the proof.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_client::dpop_nonce;
use plainly_oauth::credentials::{Grant, TokenType};
use plainly_oauth::jose::{SigningKey, client_assertion, dpop};
use plainly_oauth::metadata::Origin;
use plainly_oauth::token::{TokenError, TokenRequest, Tokens};
use plainly_oauth::{Form, Secret, prove};

use super::OAuthError;
use super::client_id::RegisteredClient;
use super::failures::{self, Request};
use super::flow::Flow;
use super::wallet::dpop_key;
use crate::fetch::{FetchResponse, Fetcher};

/// The header with a proof (RFC 9449, 4).
pub(super) const DPOP: HeaderName = HeaderName::from_static("dpop");

/// A request for a token, without the authorization that is exchanged for it.
#[derive(Clone)]
pub(super) struct TokenCall {
    pub(super) endpoint: String,
    /// The grant to renew, or a new grant without tokens.
    pub(super) grant: Grant,
    pub(super) client: RegisteredClient,
    /// The key that the token is bound to.
    pub(super) key: Option<SigningKey>,
}

impl TokenCall {
    pub(super) fn new(grant: Grant, client: RegisteredClient) -> Result<Self, OAuthError> {
        Ok(Self {
            endpoint: grant.token_endpoint.clone(),
            key: dpop_key(&grant)?,
            grant,
            client,
        })
    }

    /// A request of this client to another endpoint, which returns no token.
    pub(super) fn at(&self, endpoint: &str) -> Self {
        Self {
            endpoint: endpoint.to_owned(),
            key: None,
            ..self.clone()
        }
    }

    pub(super) fn issuer(&self) -> &str {
        &self.grant.key.issuer
    }

    pub(super) fn resource(&self) -> Option<&str> {
        Some(self.grant.key.resource.as_str()).filter(|it| !it.is_empty())
    }

    pub(super) fn form(&self, request: TokenRequest<'_>) -> Form {
        request.form(self.resource(), &self.grant.requested_scope)
    }
}

/// The answer of an endpoint.
pub(super) struct EndpointAnswer {
    fetched: FetchResponse,
    /// The secrets in the request.
    secrets: Vec<Secret>,
}

impl EndpointAnswer {
    /// Reads the answer. The error contains no secret of the request, even if the answer repeats
    /// one.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(u16, &[u8]) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let read = read(self.fetched.status.as_u16(), &self.fetched.body);
        read.map_err(|error| error.without(&self.secrets))
    }
}

impl Flow {
    /// Requests a token.
    pub(super) async fn token(
        &self,
        call: &TokenCall,
        request: TokenRequest<'_>,
    ) -> Result<Tokens, OAuthError> {
        let (form, grant_type) = (call.form(request), request.grant_type());
        let tokens = self
            .request_grant(call, form, grant_type, Tokens::read)
            .await?;
        match (&call.key, tokens.token_type) {
            (Some(_), TokenType::Bearer) => Err(OAuthError::DpopDowngraded {
                issuer: call.issuer().to_owned(),
            }),
            (None, TokenType::DPoP) => Err(OAuthError::TokenUnusable {
                from: call.issuer().to_owned(),
                why: "it is bound to a key that this client lacks".to_owned(),
            }),
            _ => Ok(tokens),
        }
    }

    /// Posts a request for a grant, and reads the answer. If the server does not know the client,
    /// the stored registration is removed, so that the next login registers the client again.
    pub(super) async fn request_grant<T>(
        &self,
        call: &TokenCall,
        form: Form,
        grant_type: &str,
        read: impl FnOnce(u16, &[u8]) -> Result<T, TokenError>,
    ) -> Result<T, OAuthError> {
        let answer = self.post(&self.fetcher, call, form).await?;
        let read = answer.read(read);
        if read
            .as_ref()
            .is_err_and(|it| it.code() == Some("invalid_client"))
        {
            self.forget_client(&call.client.registration).await?;
        }
        read.map_err(|why| Request::Token(grant_type).failed(call.issuer(), why))
    }

    /// Posts a form, and repeats it with the server's nonce if the server requires one.
    pub(super) async fn post(
        &self,
        fetcher: &Fetcher,
        call: &TokenCall,
        form: Form,
    ) -> Result<EndpointAnswer, OAuthError> {
        let first = self.post_once(fetcher, call, form.clone()).await?;
        let refused = first.read(Tokens::read).err();
        let requires_nonce = refused.is_some_and(|it| it.code() == Some("use_dpop_nonce"));
        let has_nonce = dpop_nonce(&first.fetched.headers).is_some();
        match requires_nonce && has_nonce && call.key.is_some() {
            true => self.post_once(fetcher, call, form).await,
            false => Ok(first),
        }
    }

    async fn post_once(
        &self,
        fetcher: &Fetcher,
        call: &TokenCall,
        mut form: Form,
    ) -> Result<EndpointAnswer, OAuthError> {
        let TokenCall {
            endpoint, client, ..
        } = call;
        // The assertion is new each time, because servers accept each assertion once.
        let assertion = client.key.as_ref().map(|key| {
            let (id, now) = (&client.registration.client_id, self.settings.clock.now());
            client_assertion(key, id, call.issuer(), now).map_err(failures::key)
        });
        let authentication = prove(&client.registration, assertion.transpose()?, &mut form);
        let mut headers = HeaderMap::new();
        let mut secrets: Vec<_> = form.secrets().cloned().collect();
        secrets.extend(client.registration.client_secret.clone());
        if let Some(value) = authentication.map_err(failures::key)? {
            let credentials = value.expose().split_once(' ').map(|(_, after)| after);
            secrets.extend(credentials.map(Secret::new));
            headers.insert(AUTHORIZATION, sensitive(&value)?);
        }
        if let Some(key) = &call.key {
            let proof = self.proof(key, "POST", endpoint, None)?;
            headers.insert(DPOP, sensitive(&proof)?);
            secrets.push(proof);
        }
        let body = String::clone(&form.body());
        let fetched = fetcher.post_form(endpoint, headers, body).await?;
        self.keep_nonce(endpoint, &fetched.headers);
        Ok(EndpointAnswer { fetched, secrets })
    }

    /// The proof for one request, with the last nonce of its origin.
    pub(super) fn proof(
        &self,
        key: &SigningKey,
        method: &str,
        url: &str,
        token: Option<&Secret>,
    ) -> Result<Secret, OAuthError> {
        let nonce = Origin::of(url).and_then(|it| self.wallet.nonce(it.text));
        let now = self.settings.clock.now();
        let proof = dpop::proof(key, method, url, token, nonce.as_deref(), now);
        proof.map(Secret::new).map_err(failures::key)
    }

    /// Stores the nonce in a response from this URL, if it has one.
    pub(super) fn keep_nonce(&self, url: &str, headers: &HeaderMap) {
        if let (Some(nonce), Some(origin)) = (dpop_nonce(headers), Origin::of(url)) {
            self.wallet.keep_nonce(origin.text, nonce);
        }
    }
}

/// The value of a secret header.
pub(super) fn sensitive(secret: &Secret) -> Result<HeaderValue, OAuthError> {
    let value = HeaderValue::from_str(secret.expose());
    let mut value = value.map_err(|_why| OAuthError::TokenUnusable {
        from: "this program".to_owned(),
        why: "it has characters that are invalid in a header".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}
