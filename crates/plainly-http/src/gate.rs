//! The gate in front of the endpoint: authenticates requests before any body is read.

use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, OptionFuture};
use http::HeaderMap;
use http::request::Parts;
use plainly_errors::ProtocolError;

use super::Route;
use plainly_transport::{Event, Feed, Reply, ReplyBody};

/// The interval between the checks whether a stream may continue.
const A_MINUTE: Duration = Duration::from_secs(60);

/// Accepts or rejects requests: every request for a path of the endpoint, whatever its method,
/// after its `Host` and `Origin` were accepted. See
/// [`HttpService::authenticate`](super::HttpService::authenticate).
pub trait HttpGate: fmt::Debug + Send + Sync + 'static {
    /// Accepts or rejects a request by its head. The gate adds information about the sender, such
    /// as a [`Principal`](plainly_protocol::peer::Principal), to the head's extensions, and removes
    /// credentials from its headers.
    fn admit<'a>(&'a self, head: &'a mut Parts) -> BoxFuture<'a, Result<Admission, TurnedAway>>;

    /// The paths that need no authentication, with their responses.
    /// [`HttpService::authenticate`](super::HttpService::authenticate) adds them.
    fn routes(&self) -> Vec<(String, Route)> {
        Vec::new()
    }
}

/// An accepted request.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Admission {
    /// The time after which its stream of events ends; `None` for no limit.
    pub lasts: Option<Duration>,
    /// The check that runs every minute while its stream of events is open. The stream ends when
    /// the check fails.
    pub recheck: Option<Recheck>,
    /// The additional headers of the response.
    pub headers: HeaderMap,
}

/// A check whether an accepted request would still be accepted.
#[derive(Clone)]
pub struct Recheck(Arc<dyn Fn() -> BoxFuture<'static, bool> + Send + Sync>);

/// A rejected request.
#[derive(Debug)]
#[non_exhaustive]
pub struct TurnedAway {
    /// The reason, which determines the status.
    pub error: ProtocolError,
    /// The additional headers of the response, such as `WWW-Authenticate`.
    pub headers: HeaderMap,
}

impl TurnedAway {
    /// A request that is rejected for this reason.
    pub fn new(error: impl Into<ProtocolError>) -> Self {
        Self {
            error: error.into(),
            headers: HeaderMap::new(),
        }
    }
}

impl Admission {
    /// The reply to an accepted request.
    pub(super) fn granted(self, mut reply: Reply) -> Reply {
        reply.headers.extend(self.headers);
        reply.body = match reply.body {
            ReplyBody::Feed(feed) if self.lasts.is_some() || self.recheck.is_some() => {
                ReplyBody::Feed(Box::new(AdmittedFeed::new(feed, self.lasts, self.recheck)))
            }
            body @ (ReplyBody::Whole(_) | ReplyBody::Feed(_)) => body,
        };
        reply
    }
}

impl Recheck {
    /// Creates a check from a closure.
    pub fn new<F>(ask: impl Fn() -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = bool> + Send + 'static,
    {
        Self(Arc::new(move || ask().boxed()))
    }

    /// Waits until the check fails.
    async fn refuses(self) {
        loop {
            tokio::time::sleep(A_MINUTE).await;
            if !(self.0)().await {
                return;
            }
        }
    }
}

impl fmt::Debug for Recheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recheck").finish_non_exhaustive()
    }
}

/// The address of a request's client, in the extensions of the request. An
/// [`HttpServer`](super::HttpServer) whose service has a gate adds it. Behind
/// [trusted proxies](super::HttpServer::trust_proxies), it is the address that they report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_structs, reason = "it names an address")]
pub struct PeerAddress(pub IpAddr);

/// A feed that ends when its reader's admission does; no new event is sent afterwards.
pub(super) struct AdmittedFeed {
    feed: Box<dyn Feed>,
    end: BoxFuture<'static, ()>,
    has_ended: bool,
}

impl AdmittedFeed {
    fn new(feed: Box<dyn Feed>, lasts: Option<Duration>, recheck: Option<Recheck>) -> Self {
        let over = OptionFuture::from(lasts.map(tokio::time::sleep));
        let refused = OptionFuture::from(recheck.map(Recheck::refuses));
        let end = async move {
            tokio::select! {
                Some(()) = over => {}
                Some(()) = refused => {}
                else => std::future::pending().await,
            }
        };
        Self {
            feed,
            end: end.boxed(),
            has_ended: false,
        }
    }
}

impl Feed for AdmittedFeed {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        if !self.has_ended && self.end.poll_unpin(context).is_ready() {
            self.has_ended = true;
            self.feed.end();
        }
        match self.feed.poll_event(context) {
            // Events that are not ready by now are too late.
            Poll::Pending if self.has_ended => Poll::Ready(None),
            polled @ (Poll::Ready(_) | Poll::Pending) => polled,
        }
    }

    fn end(&mut self) {
        self.feed.end();
    }
}

impl fmt::Debug for AdmittedFeed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lasting")
            .field("feed", &self.feed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    /// A feed that sends nothing and counts the calls of `end`.
    #[derive(Debug, Default)]
    struct Stubborn(Arc<AtomicU32>);

    impl Feed for Stubborn {
        fn poll_event(&mut self, _context: &mut Context<'_>) -> Poll<Option<Event>> {
            Poll::Pending
        }

        fn end(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Two cases: the duration of the admission, and the number of checks after which it fails.
    #[tokio::test(start_paused = true)]
    async fn a_feed_ends_with_its_admission() {
        for (lasts, yes, ends_after) in [
            (Some(60), None, 60),
            (None, Some(0), 60),
            (None, Some(2), 180),
            (Some(90), Some(2), 90),
            (Some(200), Some(2), 180),
        ] {
            let feed = Stubborn::default();
            let ends = Arc::clone(&feed.0);
            let recheck = yes.map(|yes| {
                let asked = AtomicU32::new(0);
                Recheck::new(move || {
                    std::future::ready(asked.fetch_add(1, Ordering::Relaxed) < yes)
                })
            });
            let lasts = lasts.map(Duration::from_secs);
            let mut lasting = AdmittedFeed::new(Box::new(feed), lasts, recheck);
            let began = tokio::time::Instant::now();
            for _ in 0..2 {
                let event = poll_fn(|context| lasting.poll_event(context));
                let event = tokio::time::timeout(Duration::from_secs(600), event).await;
                assert!(matches!(event, Ok(None)));
                assert_eq!(began.elapsed().as_secs(), ends_after);
            }
            assert_eq!(ends.load(Ordering::Relaxed), 1);
        }
    }
}
