//! One token that stays the same during the life of the client.

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use http::HeaderValue;
use http::header::AUTHORIZATION;

use super::{AuthError, Authorizer, Credentials, UnsentRequest};

/// Authorizes every request with the same token.
#[derive(Debug)]
pub(crate) struct BearerToken(Result<Credentials, AuthError>);

impl BearerToken {
    pub(crate) fn new(token: &str) -> Self {
        Self(Credentials::bearer(token))
    }
}

impl Authorizer for BearerToken {
    fn credentials<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        ready(self.0.clone()).boxed()
    }
}

impl Credentials {
    /// A bearer token (RFC 6750).
    ///
    /// # Errors
    ///
    /// [`AuthError::TokenUnusable`] if it has a character that no token may have, such as a space
    /// or a line end.
    pub fn bearer(token: &str) -> Result<Self, AuthError> {
        Ok(Self::of(header(token)?, 0))
    }

    pub(super) fn of(value: HeaderValue, generation: u64) -> Self {
        Self {
            headers: vec![(AUTHORIZATION, value)],
            generation,
        }
    }
}

/// The value of `Authorization` with this token. The error for an invalid token does not show it,
/// because even an invalid token may be secret.
pub(super) fn header(token: &str) -> Result<HeaderValue, AuthError> {
    let why = match token {
        "" => "it is empty",
        _ if token.contains(' ') => {
            "it contains a space; give it alone, without `Bearer` before it"
        }
        _ => "it contains a character that is invalid in a token, such as the end of a line",
    };
    let text = format!("Bearer {token}");
    let value = HeaderValue::from_str(&text).ok();
    let is_token = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
    let value = value.filter(|_| is_token);
    let mut value = value.ok_or_else(|| {
        let why = why.to_owned();
        AuthError::TokenUnusable { why }
    })?;
    value.set_sensitive(true);
    Ok(value)
}
