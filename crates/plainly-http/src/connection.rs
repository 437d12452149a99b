//! One connection, from its first byte to its last: HTTP/1.1 by hyper, with the time limits of
//! `watch`.

use std::convert::Infallible;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::FutureExt;
use http::Request;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::limits::HEADERS;
use super::proxies::{ClientShare, ConnectionPeer};
use super::socket::{Socket, WatchedSocket};
use super::watch::{Activity, ServedRequest, Watch};
use super::{Body, HttpLimits, HttpService};
use plainly_transport::Exchange;

/// The signal for all connections to finish their requests and close.
#[derive(Debug, Default)]
pub(super) struct Drain {
    has_begun: AtomicBool,
    begun: Notify,
    /// Whether the warning about TLS on plain HTTP was logged. It is logged once, because any peer
    /// can cause it.
    has_said_tls: AtomicBool,
}

impl Drain {
    pub(super) fn begin(&self) {
        self.has_begun.store(true, Ordering::Release);
        self.begun.notify_waiters();
    }

    pub(super) fn has_begun(&self) -> bool {
        self.has_begun.load(Ordering::Acquire)
    }

    /// Warns once that a client used TLS on plain HTTP; later only at the level debug.
    fn say_tls(&self) {
        if self.has_said_tls.swap(true, Ordering::Relaxed) {
            return tracing::debug!("another client spoke TLS to plain HTTP");
        }
        tracing::warn!(
            "a client spoke TLS, but this server speaks plain HTTP: its URL starts with http://, \
             not https://"
        );
    }

    /// Waits until the drain begins.
    #[cfg(feature = "tls")]
    pub(super) async fn wait(&self) {
        let mut begun = pin!(self.begun.notified());
        begun.as_mut().enable();
        if !self.has_begun() {
            begun.await;
        }
    }
}

/// Serves until the peer or a limit ends the connection. It must be a separate task, because
/// `drain` wakes only once and wakes the task that polled first.
pub(super) async fn serve<E: Exchange>(
    stream: impl Socket,
    caller: ConnectionPeer,
    service: HttpService<E>,
    drain: Arc<Drain>,
) {
    let limits = service.http_limits().clone();
    let activity = Activity::default();
    let io = TokioIo::new(WatchedSocket::new(stream, activity.clone()));
    let connection = builder(&limits).serve_connection(
        io,
        service_fn(|request: Request<Incoming>| {
            let serving = activity.serve(request.version());
            let body_of = activity.clone();
            let drain = Arc::clone(&drain);
            let request = request.map(|body| RequestBody::new(body, body_of));
            let (response, share) = service.respond_to(&caller, request);
            // Not an async block, because that would hold the future of the response twice.
            response.map(|response| {
                serving.note_answer();
                Ok::<_, Infallible>(response.map(|body| ResponseBody {
                    body,
                    drain,
                    _serving: serving,
                    _share: share,
                }))
            })
        }),
    );
    let mut connection = pin!(connection);
    let timer = pin!(tokio::time::sleep_until(Instant::now()));
    let mut watch = Watch::new(&activity, &limits, timer);
    let mut begun = pin!(drain.begun.notified());
    let mut is_registered = false;
    let mut is_draining = false;
    let end = poll_fn(|cx| {
        // Registering once is enough to be woken, so the lock that all connections share is taken
        // only once.
        if !std::mem::replace(&mut is_registered, true) {
            let _flag_tells = begun.as_mut().poll(cx);
        }
        if !is_draining && drain.has_begun() {
            is_draining = true;
            connection.as_mut().graceful_shutdown();
        }
        match connection.as_mut().poll(cx) {
            Poll::Ready(end) => Poll::Ready(Some(end)),
            Poll::Pending => watch.poll(cx).map(|()| None),
        }
    });
    match end.await {
        Some(Ok(())) => {}
        Some(Err(error)) if activity.events().is_secure && error.is_parse() => {
            drain.say_tls();
        }
        Some(Err(error)) => tracing::debug!(%error, "connection failed"),
        None => tracing::debug!("connection closed: its peer took too long"),
    }
}

/// The builder of HTTP/1 connections. hyper's own timer is not used, because it is reset for every
/// request and can't distinguish waiting for a request from reading it.
fn builder(limits: &HttpLimits) -> http1::Builder {
    let head_bytes = limits.least_head_bytes();
    let mut builder = http1::Builder::new();
    builder
        .header_read_timeout(None)
        .max_header_size(head_bytes)
        .max_buf_size(head_bytes);
    // Not set to hyper's default, because setting any number makes hyper allocate room for every
    // request.
    if limits.headers != HEADERS {
        builder.max_headers(limits.headers);
    }
    builder
}

/// The body of a request, which records when it is complete.
pub(super) struct RequestBody {
    body: Incoming,
    activity: Activity,
}

impl RequestBody {
    fn new(body: Incoming, activity: Activity) -> Self {
        let body = Self { body, activity };
        body.note();
        body
    }

    fn note(&self) {
        if self.body.is_end_stream() {
            self.activity.events().has_body = true;
        }
    }
}

impl HttpBody for RequestBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(cx));
        if frame.is_none() {
            self.activity.events().has_body = true;
        } else {
            self.note();
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response. Its request counts as being served until the body is sent.
struct ResponseBody {
    body: Body,
    drain: Arc<Drain>,
    _serving: ServedRequest,
    _share: ClientShare,
}

impl HttpBody for ResponseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        // The drain wakes the connection, which then polls this body again.
        if self.drain.has_begun() {
            self.body.end();
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
