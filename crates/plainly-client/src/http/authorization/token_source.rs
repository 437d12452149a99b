//! Tokens from a function of the program's: kept until one is refused, and asked for once for all requests that wait.

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

/// Lets requests in with the tokens that a function gives.
pub(crate) struct TokenSource {
    ask: Box<dyn Fn() -> BoxFuture<'static, GivenToken> + Send + Sync>,
    /// The lock that is held while the function runs: other requests wait for the same token.
    known: Mutex<KnownToken>,
}

/// The last token, and how many there were.
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

    /// Asks for a token; returns whether it is another one than before.
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
        // Another request may have had it replaced meanwhile.
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
        // 403 is about what the user may do, and a second token in a row was no better.
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
