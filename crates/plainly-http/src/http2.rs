//! One connection of HTTP/2, by h2: many requests at a time, in the task of the connection. h2
//! limits their number, their heads and its own memory; this file the time that a peer takes, and
//! the requests that it cancels.

use std::future::{poll_fn, ready};
use std::pin::{Pin, pin};
use std::task::{self, Context, Poll};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::Either;
use futures_util::stream::FuturesUnordered;
use h2::server::{Builder, SendResponse};
use h2::{RecvStream, SendStream};
use http::header::{CONTENT_LENGTH, DATE};
use http::{HeaderMap, HeaderValue, Request, Response, StatusCode};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout};

use super::connection::Drain;
use super::proxies::ConnectionPeer;
use super::watch::LINGER;
use super::{Body, HttpLimits, HttpService};
use plainly_transport::Exchange;

/// The bytes of an answer that may wait for the network.
const UNSENT: usize = 16 << 10;
/// The bytes that a peer may send before they are read, in one body and in all.
const UNREAD: u32 = 1 << 20;
/// The requests that a peer may cancel, or leave unread for too long, before its connection is
/// closed (CVE-2023-44487): so many at once.
const CANCELLED: u64 = 200;
/// And so many a second.
const CANCELLED_PER_SECOND: u64 = 10;

/// Serves until the peer or a limit ends the connection.
pub(super) async fn serve<E: Exchange>(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    caller: ConnectionPeer,
    service: HttpService<E>,
    drain: &Drain,
) {
    let limits = service.http_limits();
    let mut late = pin!(sleep(limits.head));
    let mut stopped = pin!(drain.wait());
    let connection = tokio::select! {
        connection = builder(limits).handshake(stream) => connection,
        () = &mut late => return tracing::debug!("connection closed: it began with no request"),
        () = &mut stopped => return,
    };
    let mut connection = match connection {
        Ok(connection) => connection,
        Err(error) => return tracing::debug!(%error, "connection failed"),
    };
    let answerer = Answerer {
        caller,
        service: &service,
        drain,
    };
    let mut answers = FuturesUnordered::new();
    let mut cancelled = Cancelled::new();
    let mut is_draining = false;
    let why = loop {
        tokio::select! {
            // The connection last: a flood of frames uses up all that a task may do at once.
            biased;
            () = &mut stopped, if !is_draining => {
                is_draining = true;
                connection.graceful_shutdown();
            }
            () = &mut late, if answers.is_empty() => break "its peer took too long",
            Some(taken) = answers.next() => {
                if cancelled.is_too_much(taken) {
                    break "its peer cancels one request after another";
                }
                late.as_mut().reset(Instant::now() + limits.idle);
            }
            accepted = connection.accept() => match accepted {
                Some(Ok((request, respond))) => answers.push(answerer.answer(request, respond)),
                Some(Err(error)) => return tracing::debug!(%error, "connection failed"),
                None => return,
            },
        }
    };
    // Those that still run end here; the peer is told that there is nothing more to come.
    drop(answers);
    connection.graceful_shutdown();
    let _late = timeout(LINGER, poll_fn(|cx| connection.poll_closed(cx))).await;
    tracing::debug!("connection closed: {why}");
}

fn builder(limits: &HttpLimits) -> Builder {
    let mut builder = Builder::new();
    builder
        .initial_window_size(UNREAD)
        .initial_connection_window_size(UNREAD)
        .max_concurrent_streams(limits.streams)
        .max_header_list_size(u32::try_from(limits.head_bytes).unwrap_or(u32::MAX))
        .max_send_buffer_size(UNSENT);
    builder
}

/// The parts that answer the requests of a connection.
struct Answerer<'a, E> {
    caller: ConnectionPeer,
    service: &'a HttpService<E>,
    drain: &'a Drain,
}

impl<E: Exchange> Answerer<'_, E> {
    /// Answers a request. `None` if the peer cancels it, or does not read the answer in time.
    async fn answer(
        &self,
        request: Request<RecvStream>,
        mut respond: SendResponse<Bytes>,
    ) -> Option<()> {
        let limits = self.service.http_limits();
        let (response, _share) = if request.headers().len() > limits.headers {
            (Either::Left(ready(too_many_headers())), None)
        } else {
            let rest = declared(request.headers());
            let request = request.map(|stream| StreamBody { stream, rest });
            let (response, share) = self.service.respond_to(&self.caller, request);
            (Either::Right(response), share)
        };
        let response = tokio::select! {
            biased;
            response = response => response,
            _reset = poll_fn(|cx| respond.poll_reset(cx)) => return None,
        };
        let (mut head, mut body) = response.into_parts();
        add_headers(&mut head.headers, &body);
        let is_empty = body.is_end_stream();
        let head = Response::from_parts(head, ());
        let mut stream = respond.send_response(head, is_empty).ok()?;
        if is_empty {
            return Some(());
        }
        loop {
            if self.drain.has_begun() {
                body.end();
            }
            let frame = tokio::select! {
                biased;
                frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)) => frame,
                _reset = poll_fn(|cx| stream.poll_reset(cx)) => return None,
                () = self.drain.wait(), if !self.drain.has_begun() => continue,
            };
            let Some(Ok(frame)) = frame else {
                return stream.send_data(Bytes::new(), true).ok();
            };
            let bytes = frame.into_data().unwrap_or_default();
            send(&mut stream, bytes, limits.write_stall).await?;
        }
    }
}

/// Sends bytes as the peer has room for them. `None` if it has none for too long.
async fn send(stream: &mut SendStream<Bytes>, mut bytes: Bytes, stall: Duration) -> Option<()> {
    while !bytes.is_empty() {
        // No more than may be unsent: what one answer reserves, the others lack.
        stream.reserve_capacity(bytes.len().min(UNSENT));
        let room = timeout(stall, room(stream)).await.ok()??;
        let piece = bytes.split_to(room.min(bytes.len()));
        stream.send_data(piece, false).ok()?;
    }
    Some(())
}

/// Waits until the peer has room, and returns how much.
async fn room(stream: &mut SendStream<Bytes>) -> Option<usize> {
    while stream.capacity() == 0 {
        poll_fn(|cx| stream.poll_capacity(cx)).await?.ok()?;
    }
    Some(stream.capacity())
}

/// Adds the headers that hyper adds to an answer of HTTP/1.1.
fn add_headers(headers: &mut HeaderMap, body: &Body) {
    if let Some(length) = body.size_hint().exact().filter(|&length| length > 0) {
        headers.insert(CONTENT_LENGTH, length.into());
    }
    if let Ok(now) = HeaderValue::try_from(httpdate::fmt_http_date(SystemTime::now())) {
        headers.insert(DATE, now);
    }
}

/// The length of a body as its peer declares it.
fn declared(headers: &HeaderMap) -> Option<u64> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

fn too_many_headers() -> Response<Body> {
    let mut response = Response::new(Body::default());
    *response.status_mut() = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
    response
}

/// A request's body.
struct StreamBody {
    stream: RecvStream,
    /// The bytes that are still to come, if the peer declares them.
    rest: Option<u64>,
}

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let piece = task::ready!(self.stream.poll_data(cx));
        if let Some(Ok(piece)) = &piece {
            let _ended = self.stream.flow_control().release_capacity(piece.len());
            self.rest = self
                .rest
                .map(|rest| rest.saturating_sub(piece.len() as u64));
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.stream.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.rest
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

/// The requests that ended without an answer.
struct Cancelled {
    count: u64,
    since: Instant,
}

impl Cancelled {
    fn new() -> Self {
        let since = Instant::now();
        Self { count: 0, since }
    }

    /// Counts another one, unless its answer was taken.
    fn is_too_much(&mut self, taken: Option<()>) -> bool {
        if taken.is_some() {
            return false;
        }
        let seconds = self.since.elapsed().as_secs();
        if seconds > 0 {
            let forgiven = seconds.saturating_mul(CANCELLED_PER_SECOND);
            self.count = self.count.saturating_sub(forgiven);
            self.since = Instant::now();
        }
        self.count += 1;
        self.count > CANCELLED
    }
}
