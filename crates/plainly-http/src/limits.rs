//! The limits of HTTP itself. The content of messages is limited where they are read.

use std::time::Duration;

use plainly_errors::Refusal;
use plainly_transport::limits;
use tokio::time::Instant;

/// The limits of a server over HTTP. Start from `HttpLimits::from` the limits of your server, which contain some of
/// these too, or from [`HttpLimits::default`], and change what you need.
///
/// An [`HttpService`](super::HttpService) mounted elsewhere only applies those for messages and bodies: the connections
/// are not its own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Bytes of one message. The same as the server's, 4 MiB by default. Beyond: 413, and the connection closes.
    pub message_bytes: usize,
    /// Bytes of all bodies being read or answered, in the whole server. 256 MiB. Beyond: 503 with `Retry-After`, and
    /// the connection closes.
    pub in_flight_bytes: usize,
    /// Time for a whole body to arrive. 30 s. Beyond: 408, and the connection closes.
    pub body: Duration,
    /// Time that a body may take however slow it is. 5 s. Beyond, unless it reached `body_rate`: 408, and the
    /// connection closes.
    pub body_grace: Duration,
    /// Bytes per second that a body must reach after `body_grace`, counting what it brought before. 1 KiB; 0 turns this
    /// off.
    pub body_rate: u32,
    /// Bytes of the head of a request, at least 8 KiB. 64 KiB. Beyond: 431, and the connection closes, except over
    /// HTTP/2.
    pub head_bytes: usize,
    /// Headers of a request. 100. Beyond: 431, and the connection closes, except over HTTP/2.
    pub headers: usize,
    /// Time for a whole head to arrive, counted from the first byte or, on a new connection, from its start; and before
    /// that, for the handshake of TLS. Over HTTP/2, time for the first request. 10 s. Beyond: the connection closes.
    pub head: Duration,
    /// Time that a connection may wait for its next request. 60 s. Beyond: it closes.
    pub idle: Duration,
    /// Time without an event after which a stream of events gets a comment, so that no intermediary mistakes its
    /// silence for the end. 15 s.
    pub keep_alive: Duration,
    /// Time that a peer may read nothing of its response. The same as the server's, 30 s by default. Beyond: the
    /// connection closes; over HTTP/2, the request ends.
    pub write_stall: Duration,
    /// Bytes per second at which a peer must read a response, counted from when it first had none of it read, and with
    /// `write_stall` besides. 1 KiB; 0 turns this off. Beyond: the connection closes; over HTTP/2, the request ends.
    pub write_rate: u32,
    /// Connections at a time. 10,000. Beyond: new ones wait in the operating system's queue.
    pub connections: usize,
    /// Connections of one peer at a time, and requests on all of them: of one IPv4 address, or of one IPv6 /64 network. 256.
    /// Beyond: closed at once; 503.
    /// Behind a reverse proxy, all connections come from the proxy: raise the limit there.
    pub connections_per_peer: usize,
    /// Requests at a time on one connection of HTTP/2. 100. Beyond: the server refuses them, and the peer may send them
    /// again.
    pub streams: u32,
    /// Time for running requests to finish once the server was asked to stop. The same as the server's, 30 s by
    /// default. Beyond: they are dropped.
    pub shutdown: Duration,
}

impl HttpLimits {
    /// The refusal of a body beyond `message_bytes`.
    pub(super) fn too_large(&self) -> Refusal {
        let limit = Some(self.message_bytes as u64);
        Refusal::TooLarge { limit }
    }

    /// The least bytes of a head that may be too many: hyper reads into a buffer of that size.
    pub(super) fn least_head_bytes(&self) -> usize {
        self.head_bytes.max(MIN_HEAD_BYTES)
    }

    /// The time after its start at which a body must be complete if `bytes` of it have arrived so far.
    pub(super) fn body_time(&self, bytes: usize) -> Duration {
        time_for(bytes as u64, self.body_rate).map_or(self.body, |bought| {
            self.body_grace.saturating_add(bought).min(self.body)
        })
    }
}

/// The moment after this time from now. A time that ends beyond the clock ends in thirty years.
pub(super) fn after(time: Duration) -> Instant {
    let now = Instant::now();
    now.checked_add(time).unwrap_or_else(|| now + THIRTY_YEARS)
}

/// The time that `bytes` take at `rate` bytes per second; `None` if any rate will do.
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
