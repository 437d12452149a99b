//! One connection of HTTP/2, with the limits of one of HTTP/1.1, and those of its own: requests at a time, the size of their
//! heads, those that are cancelled, and the time that an answer may go unread.

use std::convert::Infallible;
use std::future::{poll_fn, ready};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{self, Context, Poll};

use bytes::Bytes;
use futures_util::FutureExt as _;
use futures_util::future::Either;
use http::{Request, Response, StatusCode};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::task::unconstrained;
use tokio::time::{Instant, timeout};

use super::connection::Drain;
use super::proxies::{ClientShare, ConnectionPeer};
use super::socket::{Socket, WatchedSocket};
use super::streams::{ConnectionStreams, Newcomers, StreamState};
use super::watch::{Activity, LINGER, ServedRequest, Watch};
use super::{Body, HttpLimits, HttpService};
use plainly_transport::Exchange;

/// The most bytes of an answer that are handed over before the peer has room for them.
const PIECE: usize = 16 << 10;

/// Serves until the peer or a limit ends the connection. Must be its own task, as one of HTTP/1.1.
pub(super) async fn serve<E: Exchange>(
    stream: impl Socket,
    activity: Arc<Activity>,
    caller: ConnectionPeer,
    service: HttpService<E>,
    drain: Arc<Drain>,
) {
    activity.note_http_2();
    let limits = service.http_limits().clone();
    let newcomers = Newcomers::default();
    let mut streams = ConnectionStreams::new(newcomers.clone(), limits.write_stall);
    let io = TokioIo::new(WatchedSocket::new(stream, Arc::clone(&activity)));
    let answerer = Answerer {
        activity: &activity,
        caller,
        service,
        newcomers: newcomers.clone(),
        drain: &drain,
    };
    let connection = builder(&limits, newcomers)
        .serve_connection(io, service_fn(|request| answerer.answer(request)));
    let mut connection = pin!(connection);
    let timer = pin!(tokio::time::sleep_until(Instant::now()));
    let mut watch = Watch::new(&activity, &limits, timer);
    let mut begun = pin!(drain.wait());
    let mut is_registered = false;
    let mut is_draining = false;
    let end = poll_fn(|cx| {
        // Once, as with HTTP/1.1.
        if !std::mem::replace(&mut is_registered, true) {
            let _flag_tells = begun.as_mut().poll(cx);
        }
        if !is_draining && drain.has_begun() {
            is_draining = true;
            connection.as_mut().graceful_shutdown();
            streams.wake();
        }
        // Before the connection too: a flood of frames uses up all that a task may do at once.
        let cancelling = streams.poll(cx);
        if let Poll::Ready(end) = connection.as_mut().poll(cx) {
            return Poll::Ready(Ok(end));
        }
        if cancelling.is_ready() || streams.poll(cx).is_ready() {
            return Poll::Ready(Err("its peer cancels one request after another"));
        }
        // For the same reason the time is looked at whatever the task has done.
        let late = pin!(unconstrained(poll_fn(|cx| watch.poll(cx)))).poll(cx);
        late.map(|()| Err("its peer took too long"))
    });
    let why = match end.await {
        Ok(Ok(())) => return,
        Ok(Err(error)) => return tracing::debug!(%error, "connection failed"),
        Err(why) => why,
    };
    // Those that still run end here; the peer is told that there is nothing more to come.
    drop(streams);
    connection.as_mut().graceful_shutdown();
    let _late = timeout(LINGER, connection).await;
    tracing::debug!("connection closed: {why}");
}

/// The parts that answer the requests of a connection.
struct Answerer<'a, E> {
    activity: &'a Arc<Activity>,
    caller: ConnectionPeer,
    service: HttpService<E>,
    newcomers: Newcomers,
    drain: &'a Arc<Drain>,
}

impl<E: Exchange> Answerer<'_, E> {
    fn answer(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<PiecewiseBody>, Infallible>> + Send + use<E> {
        let serving = self.activity.serve(request.version());
        let state = self.newcomers.announce();
        let drain = Arc::clone(self.drain);
        let most = self.service.http_limits().headers;
        let (response, share) = if request.headers().len() > most {
            (Either::Left(ready(too_many_headers())), None)
        } else {
            let (response, share) = self.service.respond_to(&self.caller, request);
            (Either::Right(response), share)
        };
        response.map(|response| {
            Ok(response.map(|body| PiecewiseBody {
                body,
                piece: Bytes::new(),
                state,
                drain,
                _serving: serving,
                _share: share,
            }))
        })
    }
}

fn builder(limits: &HttpLimits, newcomers: Newcomers) -> http2::Builder<Newcomers> {
    let mut builder = http2::Builder::new(newcomers);
    builder
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .max_send_buf_size(PIECE);
    builder
}

fn too_many_headers() -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    response
}

/// A response's body in pieces, each handed over when there is room for it; its request is being served until then.
struct PiecewiseBody {
    body: Body,
    /// The rest of what came last.
    piece: Bytes,
    state: Arc<StreamState>,
    drain: Arc<Drain>,
    _serving: ServedRequest,
    _share: ClientShare,
}

impl HttpBody for PiecewiseBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.state.note_wanted();
        if self.drain.has_begun() {
            self.body.end();
        }
        if self.piece.is_empty() {
            let next = task::ready!(Pin::new(&mut self.body).poll_frame(cx));
            let Some(Ok(frame)) = next else {
                self.state.note_over();
                return Poll::Ready(None);
            };
            self.piece = frame.into_data().unwrap_or_default();
        }
        let length = self.piece.len().min(PIECE);
        let piece = self.piece.split_to(length);
        self.state.note_piece();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    /// Only once the peer had room for all of it: until then it counts as unread.
    fn is_end_stream(&self) -> bool {
        let is_empty = self.body.size_hint().exact() == Some(0);
        let is_over = is_empty && self.piece.is_empty() && !self.state.has_begun();
        if is_over {
            self.state.note_over();
        }
        is_over
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
