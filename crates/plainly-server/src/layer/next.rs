//! The layers in order: each contains the next, and the last one passes the request to its handler.

use std::convert::Infallible;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use tower_layer::Layer;
use tower_service::Service;

use super::BoxError;
use super::outcome::Outcome;
use super::request::Request;
use crate::handling::AnswerResult;

/// The next layer, or the handler. A tower service that is always ready and never fails, because
/// every result is an [`Outcome`]. Cheap to clone.
#[derive(Clone)]
pub struct Next(Arc<dyn Stage>);

/// The future of the outcome. Dropping it cancels the request.
#[must_use = "a future does nothing unless it is polled"]
pub struct NextFuture(Pin<Box<dyn Future<Output = AnswerResult> + Send>>);

trait Stage: Send + Sync {
    fn serve(&self, request: Request) -> NextFuture;
}

impl Next {
    /// The end of the chain, which passes requests to their handlers.
    pub(crate) fn last() -> Self {
        Self(Arc::new(Last))
    }

    /// This stage behind `layer`.
    pub(crate) fn behind<L>(self, layer: &L) -> Self
    where
        L: Layer<Self>,
        L::Service: Service<Request, Response = Outcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<Request>>::Error: Into<BoxError>,
        <L::Service as Service<Request>>::Future: Send,
    {
        Self(Arc::new(LayeredStage(layer.layer(self))))
    }

    /// Passes the request on. Dropping the future cancels it.
    pub async fn run(&self, request: Request) -> Outcome {
        Outcome::of(self.serve(request).await)
    }

    pub(crate) fn serve(
        &self,
        request: Request,
    ) -> impl Future<Output = AnswerResult> + Send + 'static {
        self.0.serve(request).0
    }
}

impl Service<Request> for Next {
    type Response = Outcome;
    type Error = Infallible;
    type Future = NextFuture;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> NextFuture {
        self.0.serve(request)
    }
}

impl Future for NextFuture {
    type Output = Result<Outcome, Infallible>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0
            .as_mut()
            .poll(context)
            .map(|answered| Ok(Outcome::of(answered)))
    }
}

/// The end of the chain, behind all layers.
struct Last;

impl Stage for Last {
    fn serve(&self, request: Request) -> NextFuture {
        NextFuture(Box::pin(request.serve()))
    }
}

/// A layer, with everything behind it.
struct LayeredStage<S>(S);

impl<S> Stage for LayeredStage<S>
where
    S: Service<Request, Response = Outcome> + Clone + Send + Sync + 'static,
    S::Error: Into<BoxError>,
    S::Future: Send,
{
    fn serve(&self, request: Request) -> NextFuture {
        // A clone for each request, because the readiness of a tower service belongs to the caller
        // that polled for it.
        let mut service = self.0.clone();
        let subject = Arc::clone(&request.subject);
        NextFuture(Box::pin(async move {
            let serving = async {
                poll_fn(|context| service.poll_ready(context)).await?;
                service.call(request).await
            };
            let outcome = match serving.await {
                Ok(outcome) => outcome,
                Err(error) => Outcome::failed(error.into(), &subject),
            };
            outcome.settle(&subject)
        }))
    }
}

/// Converts an async function to a layer. The function gets the [`Request`] and the [`Next`] that
/// it can pass the request to, and returns an [`Outcome`] or a type that converts to one: a
/// `Result` with a [`Problem`](plainly_errors::Problem) or a
/// [`ProtocolError`](plainly_errors::ProtocolError), so that `?` works on those.
///
/// ```
/// use plainly::errors::Problem;
/// use plainly::protocol::method::Method;
/// use plainly::server::layer::{Next, Outcome, Request, from_fn};
///
/// /// Nobody deletes who isn't logged in.
/// async fn guard(request: Request, next: Next) -> Result<Outcome, Problem> {
///     let is_known = request.principal().is_some();
///     if request.method() == Method::CallTool && request.name() == Some("delete") && !is_known {
///         return Err(Problem::access_denied("delete", "Log in first."));
///     }
///     Ok(next.run(request).await)
/// }
///
/// let layer = from_fn(guard);
/// ```
pub fn from_fn<F, R>(function: F) -> FromFn<F>
where
    F: Fn(Request, Next) -> R + Clone,
    R: Future<Output: Into<Outcome>>,
{
    FromFn { function, next: () }
}

/// The layer created by [`from_fn`], and the service that it produces.
#[derive(Clone, Copy)]
pub struct FromFn<F, N = ()> {
    function: F,
    next: N,
}

impl<F: Clone> Layer<Next> for FromFn<F> {
    type Service = FromFn<F, Next>;

    fn layer(&self, next: Next) -> FromFn<F, Next> {
        FromFn {
            function: self.function.clone(),
            next,
        }
    }
}

impl<F, R> Service<Request> for FromFn<F, Next>
where
    F: Fn(Request, Next) -> R,
    R: Future<Output: Into<Outcome>> + Send + 'static,
{
    type Response = Outcome;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Outcome, Infallible>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let running = (self.function)(request, self.next.clone());
        Box::pin(async move { Ok(running.await.into()) })
    }
}

impl fmt::Debug for Next {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Next").finish_non_exhaustive()
    }
}

impl fmt::Debug for NextFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NextFuture").finish_non_exhaustive()
    }
}

impl<F, N> fmt::Debug for FromFn<F, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}
