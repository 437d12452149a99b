//! The limits of HTTP itself. The limits on the content of messages are in other crates.

use std::time::Duration;

use plainly_errors::Refusal;
use plainly_transport::limits;
use tokio::time::Instant;

/// The limits of an HTTP server. Start from `HttpLimits::from` the limits of your server, which
/// contain some of these too, or from [`HttpLimits::default`], and change what you need.
///
/// An [`HttpService`](super::HttpService) in another HTTP server applies only the limits of
/// messages and bodies, because it does not manage the connections.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Bytes of one message. The same as the server's, 4 MiB by default. Beyond: 413, and the
    /// connection closes.
    pub message_bytes: usize,
    /// Bytes of all bodies being read or answered, in the whole server. 256 MiB. Beyond: 503 with
    /// `Retry-After`, and the connection closes.
    pub in_flight_bytes: usize,
    /// Time for a whole body to arrive. 30 s. Beyond: 408, and the connection closes.
    pub body: Duration,
    /// Time that a body may take at any speed. 5 s. Beyond, unless it reached `body_rate`: 408, and
    /// the connection closes.
    pub body_grace: Duration,
    /// Bytes per second that a body must reach after `body_grace`, including the bytes that arrived
    /// before. 1 KiB; 0 disables the limit.
    pub body_rate: u32,
    /// Bytes of the head of a request, at least 8 KiB. 64 KiB. Beyond: 431, and the connection
    /// closes, except over HTTP/2.
    pub head_bytes: usize,
    /// Headers of a request. 100. Beyond: 431, and the connection closes, except over HTTP/2.
    pub headers: usize,
    /// Time for a whole head to arrive, counted from the first byte or, on a new connection, from
    /// its start. Also the time for a TLS handshake before it. Over HTTP/2, time for the first
    /// request. 10 s. Beyond: the connection closes.
    pub head: Duration,
    /// Time that a connection may wait for its next request. 60 s. Beyond: it closes.
    pub idle: Duration,
    /// Time without an event after which a stream of events gets a comment, so that no intermediary
    /// closes a silent stream. 15 s.
    pub keep_alive: Duration,
    /// Time for which a peer may read nothing of its response. The same as the server's, 30 s by
    /// default. Beyond: the connection closes; over HTTP/2, the request ends.
    pub write_stall: Duration,
    /// Bytes per second at which a peer must read a response, counted from the first moment at
    /// which it left data unread, in addition to `write_stall`. 1 KiB; 0 disables the limit.
    /// Beyond: the connection closes; over HTTP/2, the request ends.
    pub write_rate: u32,
    /// Connections at the same time. 10,000. Beyond: new ones wait in the operating system's queue.
    pub connections: usize,
    /// Connections of one peer at the same time, and requests on all of them. A peer is an IPv4
    /// address or an IPv6 /64 network. 256. Beyond: a connection is closed at once, and a request
    /// gets 503. Behind a reverse proxy, all connections come from the proxy: raise the limit
    /// there.
    pub connections_per_peer: usize,
    /// Requests at the same time on one HTTP/2 connection. 100. Beyond: the server refuses them,
    /// and the peer may send them again.
    pub streams: u32,
    /// Time for running requests to finish after the server was asked to stop. The same as the
    /// server's, 30 s by default. Beyond: they are dropped.
    pub shutdown: Duration,
}

impl HttpLimits {
    /// The error for a body beyond `message_bytes`.
    pub(super) fn too_large(&self) -> Refusal {
        let limit = Some(self.message_bytes as u64);
        Refusal::TooLarge { limit }
    }

    /// The minimum limit for the bytes of a head, because hyper reads into a buffer of that size.
    pub(super) fn least_head_bytes(&self) -> usize {
        self.head_bytes.max(MIN_HEAD_BYTES)
    }

    /// The time, from its start, within which a body must be complete if `bytes` of it have arrived
    /// so far.
    pub(super) fn body_time(&self, bytes: usize) -> Duration {
        time_for(bytes as u64, self.body_rate).map_or(self.body, |bought| {
            self.body_grace.saturating_add(bought).min(self.body)
        })
    }
}

/// The moment after `time` from now. A moment beyond the clock's range becomes thirty years from
/// now.
pub(super) fn after(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + THIRTY_YEARS)
}

/// The time that `bytes` take at `rate` bytes per second; `None` if there is no minimum rate.
pub(super) fn time_for(bytes: u64, rate: u32) -> Option<Duration> {
    let nanoseconds = bytes.saturating_mul(1_000_000_000);
    let time = nanoseconds.checked_div(u64::from(rate));
    time.map(Duration::from_nanos)
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            message_bytes: limits::MESSAGE_BYTES,
            in_flight_bytes: 256 << 20,
            body: Duration::from_secs(30),
            body_grace: Duration::from_secs(5),
            body_rate: 1 << 10,
            head_bytes: 64 << 10,
            headers: HEADERS,
            head: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            keep_alive: Duration::from_secs(15),
            write_stall: limits::WRITE_STALL,
            write_rate: 1 << 10,
            connections: 10_000,
            connections_per_peer: 256,
            streams: 100,
            shutdown: limits::SHUTDOWN,
        }
    }
}

/// The smallest buffer that hyper accepts.
const MIN_HEAD_BYTES: usize = 8 << 10;
const THIRTY_YEARS: Duration = Duration::from_secs(30 * 365 * 86_400);
/// The number of headers that hyper has room for on the stack.
pub(super) const HEADERS: usize = 100;
