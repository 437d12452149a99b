//! One request to a token endpoint: with what proves who asks, with a proof of the key that the token is to be bound to, and a
//! second time if the server wants its nonce in that.

use http::header::AUTHORIZATION;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_oauth::credentials::{Registration, TokenType};
use plainly_oauth::jose::{SigningKey, client_assertion, dpop};
use plainly_oauth::metadata::Origin;
use plainly_oauth::token::{TokenError, TokenRequest, Tokens};
use plainly_oauth::{Form, Secret, prove};

use super::failures;
use super::flow::Flow;
use super::settings::{ClientId, ClientProof};
use crate::fetch::Fetched;
use plainly_client::AuthError;
use plainly_client::dpop_nonce;

/// The header with a proof (RFC 9449, 4).
pub(super) const DPOP: HeaderName = HeaderName::from_static("dpop");

/// A request for a token, without what it is asked for with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asking<'a> {
    /// The authorization server.
    pub(super) issuer: &'a str,
    pub(super) endpoint: &'a str,
    pub(super) client: &'a Registration,
    /// The client that the program configured, if any.
    pub(super) given: Option<&'a ClientId>,
    pub(super) resource: Option<&'a str>,
    pub(super) scope: &'a [String],
    /// The key that the token is to be bound to.
    pub(super) key: Option<&'a SigningKey>,
}

/// The answer of an endpoint.
pub(super) struct EndpointAnswer {
    fetched: Fetched,
    /// The secrets in the request.
    secrets: Vec<Secret>,
}

impl EndpointAnswer {
    /// Reads it. Nothing secret that it may have repeated is in the error.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(u16, &[u8]) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let read = read(self.fetched.status.as_u16(), &self.fetched.body);
        read.map_err(|error| error.without(&self.secrets))
    }
}

impl Flow {
    /// Asks for a token.
    pub(super) async fn token(
        &self,
        asking: Asking<'_>,
        request: TokenRequest<'_>,
    ) -> Result<Tokens, AuthError> {
        let answered = self.post(asking, request).await?;
        let grant = request.grant_type();
        let tokens = answered.read(Tokens::read);
        let tokens = tokens.map_err(|why| failures::token(asking.issuer, grant, why))?;
        match (asking.key, tokens.token_type) {
            (Some(_), TokenType::Bearer) => Err(AuthError::DpopDowngraded {
                issuer: asking.issuer.to_owned(),
            }),
            (None, TokenType::DPoP) => Err(AuthError::TokenUnusable {
                from: asking.issuer.to_owned(),
                why: "it is bound to a key that this client lacks".to_owned(),
            }),
            _ => Ok(tokens),
        }
    }

    /// Posts the request; again with the nonce that the server wants, if it wants one.
    pub(super) async fn post(
        &self,
        asking: Asking<'_>,
        request: TokenRequest<'_>,
    ) -> Result<EndpointAnswer, AuthError> {
        self.post_form(asking, request.form(asking.resource, asking.scope))
            .await
    }

    /// Like `post`, for another endpoint, which has other parameters.
    pub(super) async fn post_form(
        &self,
        asking: Asking<'_>,
        form: Form,
    ) -> Result<EndpointAnswer, AuthError> {
        let once = async || {
            // Anew each time: servers take an assertion once.
            let mut form = form.clone();
            let proof = self.prove(asking, &mut form)?;
            let mut headers = HeaderMap::new();
            let mut secrets: Vec<_> = form.secrets().cloned().collect();
            secrets.extend(asking.client.client_secret.clone());
            if let Some(proof) = &proof {
                let credentials = proof.expose().split_once(' ').map(|(_, after)| after);
                secrets.extend(credentials.map(Secret::new));
                headers.insert(AUTHORIZATION, sensitive(proof)?);
            }
            if let Some(key) = asking.key {
                let proof = self.proof(key, "POST", asking.endpoint, None)?;
                headers.insert(DPOP, sensitive(&proof)?);
                secrets.push(proof);
            }
            let body = String::clone(&form.body());
            let fetched = self
                .fetcher
                .post_form(asking.endpoint, headers, body)
                .await?;
            self.keep_nonce(asking.endpoint, &fetched.headers);
            Ok::<_, AuthError>(EndpointAnswer { fetched, secrets })
        };
        let first = once().await?;
        let refused = first.read(Tokens::read).err();
        let wants_nonce = refused.is_some_and(|it| it.code() == Some("use_dpop_nonce"));
        match wants_nonce && asking.key.is_some() && dpop_nonce(&first.fetched.headers).is_some() {
            true => once().await,
            false => Ok(first),
        }
    }

    /// Adds what proves who asks.
    fn prove(&self, asking: Asking<'_>, form: &mut Form) -> Result<Option<Secret>, AuthError> {
        let now = self.settings.clock.now();
        let assertion = match asking.given.map(|it| &it.proof) {
            Some(ClientProof::Key(key)) => {
                let id = &asking.client.client_id;
                Some(client_assertion(key, id, asking.issuer, now).map_err(failures::key)?)
            }
            Some(ClientProof::Nothing | ClientProof::Secret(_)) | None => None,
        };
        prove(asking.client, assertion, form).map_err(failures::key)
    }

    /// A proof for one request, with the last nonce of its origin.
    pub(super) fn proof(
        &self,
        key: &SigningKey,
        method: &str,
        url: &str,
        token: Option<&Secret>,
    ) -> Result<Secret, AuthError> {
        let nonce = Origin::of(url).and_then(|it| self.wallet.nonce(it.text));
        let now = self.settings.clock.now();
        let proof = dpop::proof(key, method, url, token, nonce.as_deref(), now);
        proof.map(Secret::new).map_err(failures::key)
    }

    /// Keeps the nonce in a response from this URL, if it has one.
    pub(super) fn keep_nonce(&self, url: &str, headers: &HeaderMap) {
        if let (Some(nonce), Some(origin)) = (dpop_nonce(headers), Origin::of(url)) {
            self.wallet.keep_nonce(origin.text, nonce);
        }
    }
}

/// The value of a secret header.
pub(super) fn sensitive(secret: &Secret) -> Result<HeaderValue, AuthError> {
    let value = HeaderValue::from_str(secret.expose());
    let mut value = value.map_err(|_why| AuthError::TokenUnusable {
        from: "this program".to_owned(),
        why: "it has characters that are invalid in a header".to_owned(),
    })?;
    value.set_sensitive(true);
    Ok(value)
}
