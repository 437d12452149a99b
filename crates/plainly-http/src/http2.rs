//! One HTTP/2 connection, by h2: many requests at the same time, in the task of the connection. h2
//! limits the number and the heads of requests, and its own memory. This file limits the time that
//! a peer takes, and the requests that a peer cancels.

use std::future::{poll_fn, ready};
use std::io;
use std::pin::{Pin, pin};
use std::task::{self, Context, Poll};
use std::time::SystemTime;

use bytes::Bytes;
use futures_util::StreamExt as _;
use futures_util::future::Either;
use futures_util::stream::FuturesUnordered;
use h2::server::{Builder, SendResponse};
use h2::{Reason, RecvStream, SendStream};
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, TRANSFER_ENCODING, UPGRADE};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, sleep, timeout};

use super::connection::Drain;
use super::limits::after;
use super::paced::Pace;
use super::proxies::ConnectionPeer;
use super::socket::LINGER_BYTES;
use super::watch::LINGER;
use super::{Body, HttpLimits, HttpService};
use plainly_transport::Exchange;

/// The maximum number of bytes of a response that may wait for the network.
const UNSENT: usize = 16 << 10;
/// The maximum number of bytes that a peer may send before they are read, in one body and in total.
const UNREAD: u32 = 1 << 20;
/// The maximum number of requests that a peer may cancel at once, or whose responses it may read
/// too slowly, before its connection is closed (CVE-2023-44487).
const CANCELLED: u64 = 200;
/// The number of cancelled requests that are forgiven each second.
const FORGIVEN_PER_SECOND: u64 = 10;
/// The headers about a connection, which HTTP/2 forbids (RFC 9113, 8.2.2).
const OF_CONNECTIONS: [HeaderName; 5] = [
    CONNECTION,
    TRANSFER_ENCODING,
    UPGRADE,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
];

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
    let mut cancellations = CancellationCount::new();
    let mut is_draining = false;
    let why = loop {
        tokio::select! {
            // The connection comes last, because a flood of frames uses up the whole budget of the
            // task.
            biased;
            () = &mut stopped, if !is_draining => {
                is_draining = true;
                connection.graceful_shutdown();
                late.as_mut().reset(after(LINGER));
            }
            () = &mut late, if answers.is_empty() => break "its peer took too long",
            Some(answered) = answers.next() => {
                if let Err(CancelledRequest) = answered && cancellations.is_too_much() {
                    connection.abrupt_shutdown(Reason::ENHANCE_YOUR_CALM);
                    break "its peer cancels one request after another";
                }
                late.as_mut().reset(after(if is_draining { LINGER } else { limits.idle }));
            }
            accepted = connection.accept() => match accepted {
                Some(Ok((request, respond))) => answers.push(answerer.answer(request, respond)),
                Some(Err(error)) => return tracing::debug!(%error, "connection failed"),
                None => return,
            },
        }
    };
    // Running requests end here. The last frame tells the peer that no further frames follow.
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
        .max_header_list_size(u32::try_from(limits.least_head_bytes()).unwrap_or(u32::MAX))
        .max_send_buffer_size(UNSENT);
    builder
}

/// The parts of a connection that its requests share.
struct Answerer<'a, E> {
    caller: ConnectionPeer,
    service: &'a HttpService<E>,
    drain: &'a Drain,
}

impl<E: Exchange> Answerer<'_, E> {
    /// Answers a request.
    async fn answer(
        &self,
        request: Request<RecvStream>,
        mut respond: SendResponse<Bytes>,
    ) -> Result<(), CancelledRequest> {
        let limits = self.service.http_limits();
        let wants_body = request.method() != Method::HEAD;
        let (response, _share) = if request.headers().len() > limits.headers {
            (Either::Left(ready(too_many_headers())), None)
        } else {
            let rest = declared(request.headers());
            let request = request.map(|stream| StreamBody {
                stream: Some(stream),
                rest,
            });
            let (response, share) = self.service.respond_to(&self.caller, request);
            (Either::Right(response), share)
        };
        let response = tokio::select! {
            biased;
            response = response => response,
            _reset = poll_fn(|cx| respond.poll_reset(cx)) => return Err(CancelledRequest),
        };
        let (mut head, mut body) = response.into_parts();
        change_headers(&mut head.headers, &body);
        let is_empty = body.is_end_stream() || !wants_body;
        let head = Response::from_parts(head, ());
        let mut stream = respond.send_response(head, is_empty)?;
        if is_empty {
            return Ok(());
        }
        let mut pace = Pace::new(limits);
        let mut stopped = pin!(self.drain.wait());
        let mut is_ending = false;
        loop {
            let next = poll_fn(|cx| {
                let frame = Pin::new(&mut body).poll_frame(cx);
                if frame.is_pending() {
                    pace.note_flushed();
                }
                frame
            });
            let frame = tokio::select! {
                biased;
                () = &mut stopped, if !is_ending => {
                    is_ending = true;
                    body.end();
                    continue;
                }
                frame = next => frame,
                _reset = poll_fn(|cx| stream.poll_reset(cx)) => return Err(CancelledRequest),
            };
            let Some(Ok(frame)) = frame else {
                return Ok(stream.send_data(Bytes::new(), true)?);
            };
            let bytes = frame.into_data().unwrap_or_default();
            send(&mut stream, bytes, &mut pace).await?;
        }
    }
}

/// A request that the peer cancelled, or whose response the peer reads too slowly.
struct CancelledRequest;

impl From<h2::Error> for CancelledRequest {
    fn from(_error: h2::Error) -> Self {
        Self
    }
}

/// Sends bytes as fast as the peer accepts them.
async fn send(
    stream: &mut SendStream<Bytes>,
    mut bytes: Bytes,
    pace: &mut Pace,
) -> Result<(), CancelledRequest> {
    while !bytes.is_empty() {
        // At most the bytes that may be unsent, because other responses lack the window that this
        // one reserves.
        let most = bytes.len().min(UNSENT);
        stream.reserve_capacity(most);
        let room = poll_fn(|cx| {
            let room = poll_room(stream, most, cx);
            pace.check(cx, room)
        });
        let piece = bytes.split_to(room.await.map_err(|_slow| CancelledRequest)?);
        stream.send_data(piece, false)?;
    }
    Ok(())
}

/// Returns the number of bytes that the peer accepts now, up to `most`.
fn poll_room(
    stream: &mut SendStream<Bytes>,
    most: usize,
    cx: &mut Context<'_>,
) -> Poll<io::Result<usize>> {
    while stream.capacity() == 0 {
        match task::ready!(stream.poll_capacity(cx)) {
            Some(Ok(_more)) => {}
            Some(Err(error)) => return Poll::Ready(Err(io::Error::other(error))),
            None => return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }
    Poll::Ready(Ok(stream.capacity().min(most)))
}

/// Adds the headers that hyper adds to an HTTP/1.1 response, and removes those that HTTP/2 forbids.
fn change_headers(headers: &mut HeaderMap, body: &Body) {
    for name in OF_CONNECTIONS {
        headers.remove(name);
    }
    if let Some(length) = body.size_hint().exact().filter(|&length| length > 0) {
        headers.entry(CONTENT_LENGTH).or_insert(length.into());
    }
    if let Ok(now) = HeaderValue::try_from(httpdate::fmt_http_date(SystemTime::now())) {
        headers.entry(DATE).or_insert(now);
    }
}

/// The length of a body that the peer declared.
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
    /// The stream, until the body is dropped.
    stream: Option<RecvStream>,
    /// The number of bytes that are still to come, if the peer declared it.
    rest: Option<u64>,
}

impl HttpBody for StreamBody {
    type Data = Bytes;
    type Error = h2::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, h2::Error>>> {
        let Some(stream) = &mut self.stream else {
            return Poll::Ready(None);
        };
        let piece = task::ready!(poll_piece(stream, cx));
        if let Some(Ok(piece)) = &piece {
            self.rest = self
                .rest
                .map(|rest| rest.saturating_sub(piece.len() as u64));
        }
        Poll::Ready(piece.map(|piece| piece.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.stream.as_ref().is_none_or(RecvStream::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.rest
            .map_or_else(SizeHint::default, SizeHint::with_exact)
    }
}

impl Drop for StreamBody {
    /// Discards the rest of an unread body. Otherwise the stream is reset, and some clients then
    /// don't read the response.
    fn drop(&mut self) {
        if !self.is_end_stream()
            && let Some(stream) = self.stream.take()
        {
            tokio::spawn(timeout(LINGER, discard(stream)));
        }
    }
}

async fn discard(mut stream: RecvStream) {
    let mut discarded = 0;
    while discarded < LINGER_BYTES
        && let Some(Ok(piece)) = poll_fn(|cx| poll_piece(&mut stream, cx)).await
    {
        discarded += piece.len();
    }
}

/// The next piece of a body, in whose place the peer may send another.
fn poll_piece(
    stream: &mut RecvStream,
    cx: &mut Context<'_>,
) -> Poll<Option<Result<Bytes, h2::Error>>> {
    let piece = task::ready!(stream.poll_data(cx));
    if let Some(Ok(piece)) = &piece {
        let _ended = stream.flow_control().release_capacity(piece.len());
    }
    Poll::Ready(piece)
}

/// The number of cancelled requests that are not yet forgiven.
struct CancellationCount {
    count: u64,
    since: Instant,
}

impl CancellationCount {
    fn new() -> Self {
        let since = Instant::now();
        Self { count: 0, since }
    }

    /// Counts another cancelled request. Returns whether its connection must end.
    fn is_too_much(&mut self) -> bool {
        let seconds = self.since.elapsed().as_secs();
        if seconds > 0 {
            let forgiven = seconds.saturating_mul(FORGIVEN_PER_SECOND);
            self.count = self.count.saturating_sub(forgiven);
            self.since = Instant::now();
        }
        self.count += 1;
        self.count > CANCELLED
    }
}
