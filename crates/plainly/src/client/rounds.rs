//! A call that is set up before it is made, and what it takes until the server has answered for good. What is called is in
//! other files.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_protocol::method::Method;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::error::LocalError;
use super::link::Besides;
use super::progress::{Progress, Signs};
use super::reply::Unread;
use super::{Client, Result};

/// A call that is made once it is awaited. Dropped before its end, it is cancelled.
#[must_use = "nothing is sent before it is awaited"]
pub struct Call<T> {
    /// `None` once it is made.
    setup: Option<Setup<T>>,
    made: Option<BoxFuture<'static, Result<T>>>,
}

/// What makes a call.
struct Setup<T> {
    client: Client,
    method: Method,
    /// An error is told once the call is awaited.
    params: Result<Box<RawValue>>,
    signs: Option<Arc<Signs>>,
    read: Arc<Read<T>>,
}

/// Reads the final result.
type Read<T> = dyn Fn(Unread) -> Result<T> + Send + Sync;

impl<T> Call<T> {
    /// A call of `method`, whose final result is what `read` makes of it.
    pub(super) fn new(
        client: &Client,
        method: Method,
        params: Result<impl Serialize>,
        read: impl Fn(Unread) -> Result<T> + Send + Sync + 'static,
    ) -> Self {
        let wrong = |error| LocalError::Parameters {
            method: method.name(),
            source: Some(error),
        };
        let params = params.and_then(|params| Ok(to_raw_value(&params).map_err(wrong)?));
        let setup = Setup {
            client: client.clone(),
            method,
            params,
            signs: None,
            read: Arc::new(read),
        };
        Self {
            setup: Some(setup),
            made: None,
        }
    }

    /// Asks the server to tell how far it has come, and tells it to `tell`. Whether and how often it does is up to the
    /// server; the [timeout](super::Builder::timeout) begins anew each time.
    ///
    /// It runs where the connection is read, and must neither block nor wait for a call.
    pub fn on_progress(mut self, tell: impl FnMut(Progress) + Send + 'static) -> Self {
        if let Some(setup) = &mut self.setup {
            setup.signs = Some(Signs::new(Box::new(tell)));
        }
        self
    }
}

impl<T> Setup<T> {
    async fn make(self) -> Result<T> {
        let params = self.params?;
        let besides = Besides {
            inputs: None,
            signs: self.signs.as_ref(),
        };
        let result = self.client.result(self.method, &params, besides).await?;
        (self.read)(result)
    }
}

impl<T: 'static> Future for Call<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let Some(setup) = self.setup.take() {
            self.made = Some(setup.make().boxed());
        }
        let made = self.made.as_mut();
        made.expect("a call that is not set up is made")
            .poll_unpin(context)
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("method", &self.setup.as_ref().map(|setup| setup.method))
            .finish_non_exhaustive()
    }
}
