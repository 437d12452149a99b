//! Tokens from a function of the program. A token is stored until the server rejects it; all
//! waiting requests share one call of the function.

use std::error::Error as StdError;
use std::fmt;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderValue, StatusCode};
use tokio::sync::Mutex;

use super::bearer::header;
use super::{Again, AuthError, Authorizer, Credentials, Refusal, UnsentRequest};

/// The result of the function.
pub(crate) type GivenToken = Result<String, Box<dyn StdError + Send + Sync>>;

/// Authorizes requests with the tokens that a function returns.
pub(crate) struct TokenSource {
    ask: Box<dyn Fn() -> BoxFuture<'static, GivenToken> + Send + Sync>,
    /// The lock that is held while the function runs: other requests wait for the same token.
    known: Mutex<KnownToken>,
}

/// The last token, and the number of tokens so far.
#[derive(Debug, Default)]
struct KnownToken {
    value: Option<HeaderValue>,
    generation: u64,
}

impl TokenSource {
    pub(crate) fn new<A>(ask: impl Fn() -> A + Send + Sync + 'static) -> Self
    where
        A: Future<Output = GivenToken> + Send + 'static,
    {
        Self {
            ask: Box::new(move || ask().boxed()),
            known: Mutex::default(),
        }
    }

    /// Requests a token; returns whether it differs from the last one.
    async fn renew(&self, known: &mut KnownToken) -> Result<bool, AuthError> {
        let token = (self.ask)().await.map_err(AuthError::of_program)?;
        let value = Some(header(&token)?);
        let is_other = value != known.value;
        if is_other {
            known.value = value;
            known.generation += 1;
        }
        Ok(is_other)
    }

    async fn find(&self) -> Result<Credentials, AuthError> {
        let mut known = self.known.lock().await;
        if known.value.is_none() {
            self.renew(&mut known).await?;
        }
        let value = known.value.clone();
        let credentials = value.map(|value| Credentials::of(value, known.generation));
        Ok(credentials.unwrap_or_default())
    }

    async fn replace(&self, refusal: &Refusal) -> Result<Again, AuthError> {
        let mut known = self.known.lock().await;
        // Another request may have renewed the token meanwhile.
        let is_other = known.generation != refusal.generation || self.renew(&mut known).await?;
        Ok(match is_other {
            true => Again::Retry,
            false => Again::GiveUp,
        })
    }
}

impl Authorizer for TokenSource {
    fn credentials<'a>(
        &'a self,
        _request: &'a UnsentRequest<'a>,
    ) -> BoxFuture<'a, Result<Credentials, AuthError>> {
        self.find().boxed()
    }

    fn refused<'a>(
        &'a self,
        request: &'a UnsentRequest<'a>,
        refusal: &'a Refusal,
    ) -> BoxFuture<'a, Result<Again, AuthError>> {
        // A new token does not help against 403, which is about the user's rights. A second new
        // token is unlikely to help either.
        if refusal.status != StatusCode::UNAUTHORIZED || request.attempt > 0 {
            return async { Ok(Again::GiveUp) }.boxed();
        }
        self.replace(refusal).boxed()
    }
}

impl fmt::Debug for TokenSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenSource").finish_non_exhaustive()
    }
}
