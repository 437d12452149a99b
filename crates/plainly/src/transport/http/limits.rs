//! The limits of HTTP itself. What a message may hold is limited where it is read.

use std::time::Duration;

/// How much a server takes of its peers before it says no. Build one from [`HttpLimits::default`] and change what you
/// need.
///
/// A [`HttpService`](super::HttpService) that is mounted elsewhere heeds `message_bytes` and `body` only: the
/// connections are not its own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct HttpLimits {
    /// Bytes of one message. 4 MiB. Beyond: 413, and the connection closes.
    pub message_bytes: usize,
    /// Time for a whole body to arrive. 30 s. Beyond: 408, and the connection closes.
    pub body: Duration,
    /// Bytes of a request's head, at least 8 KiB. 64 KiB. Beyond: 431, and the connection closes; likewise beyond 100
    /// headers.
    pub head_bytes: usize,
    /// Time for a whole head to arrive, counted from the first byte or, on a new connection, from its start. 10 s.
    /// Beyond: the connection closes.
    pub head: Duration,
    /// Time that a connection may wait for its next request. 60 s. Beyond: it closes.
    pub idle: Duration,
    /// Time that a peer may take no byte of its response. 30 s. Beyond: the connection closes.
    pub write_stall: Duration,
    /// Connections at a time. 10,000. Beyond: they wait in the operating system's queue.
    pub connections: usize,
    /// Connections of one peer at a time: of an IPv4 address, of a /64 network of IPv6. 256. Beyond: closed at once.
    /// Behind a reverse proxy all connections are its own: raise this there.
    pub connections_per_peer: usize,
    /// Time that running requests have to finish once the server was asked to stop. 30 s. Beyond: they are dropped.
    pub shutdown: Duration,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
            body: Duration::from_secs(30),
            head_bytes: 64 << 10,
            head: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            write_stall: Duration::from_secs(30),
            connections: 10_000,
            connections_per_peer: 256,
            shutdown: Duration::from_secs(30),
        }
    }
}
