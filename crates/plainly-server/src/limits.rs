//! Every limit, with its default. Each field names the result of exceeding it.

use std::time::Duration;

use plainly_errors::Refusal;
use plainly_protocol::envelope;
use plainly_transport::limits;

/// The limits of a server. Start from [`Limits::default`] and change what you need.
///
/// One caller may have an eighth of everything that is limited in the whole server: a principal, or for callers without one
/// the network that their requests come from, which is an IPv4 address or a /64 network of IPv6. A reply or a body that is its
/// caller's only one may be larger than that. Requests on a byte stream have no network: without a principal, they may
/// take everything.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message: an HTTP body, a line of standard input. 4 MiB. Beyond: 413, or on stdio an invalid request; the
    /// message is discarded.
    pub message_bytes: usize,
    /// Bytes of the params of `initialize`, which a session keeps. 64 KiB. Beyond: invalid params.
    pub initialize_bytes: usize,
    /// Depth, members and nodes of a message's JSON. Beyond: invalid request.
    pub envelope: envelope::Limits,
    /// Bytes of one encoded reply, and of all replies to a batch. 32 MiB. Beyond: an internal error instead.
    pub reply_bytes: usize,
    /// Bytes of all replies over 16 KiB in the whole server that are unsent or kept for resumption. 512 MiB. Beyond:
    /// unavailable (HTTP 503) instead; a single reply always fits.
    pub reply_bytes_in_all: usize,
    /// Bytes of a resource URI. 8 KiB. Beyond: invalid params.
    pub uri_bytes: usize,
    /// Bytes of a cursor, which contains a URI. 16 KiB. Beyond: invalid params.
    pub cursor_bytes: usize,
    /// The lifetime of a cursor. 24 hours. Beyond: invalid params.
    pub cursor_ttl: Duration,
    /// Entries on one page of a listing. 1,000; zero counts as one.
    pub page_entries: usize,
    /// Time for one request. 60 s. Beyond: the handler is dropped, and the reply is an internal error.
    pub deadline: Duration,
    /// Requests in flight in the whole server. 4,096. Beyond: unavailable (HTTP 503).
    pub requests: usize,
    /// Requests in flight on one connection of a byte stream, such as stdio, or in one legacy session over HTTP, whose
    /// batches start no more than that. 64. Beyond: unavailable.
    pub requests_per_connection: usize,
    /// Subscriptions in the whole server: open `subscriptions/listen` requests, and streams of legacy sessions. They
    /// don't count as requests in flight and have no deadline. 20,000. Beyond: unavailable (HTTP 503).
    pub listens: usize,
    /// Open `subscriptions/listen` requests on one connection of a byte stream. 16. Beyond: unavailable.
    pub listens_per_connection: usize,
    /// URIs in one subscription, or subscribed to by one legacy session. 1,000. Beyond: invalid params.
    pub listen_uris: usize,
    /// Bytes of these URIs in total. 256 KiB. Beyond: invalid params.
    pub listen_bytes: usize,
    /// Bytes of the URIs and task ids in all subscriptions of the whole server, and 256 for each of them. 128 MiB. Beyond:
    /// unavailable (HTTP 503).
    pub listen_bytes_in_all: usize,
    /// Bytes of the schema of a tool. 256 KiB. Beyond: not served.
    pub schema_bytes: usize,
    /// Nesting depth of arrays and objects in a schema. 48: a client that accepts messages of depth 64 can read it.
    /// Beyond: not served.
    pub schema_depth: usize,
    /// Schemas inside a schema. 2,000. Beyond: not served.
    pub subschemas: usize,
    /// Stored tasks, running or not. 10,000. Beyond: unavailable.
    pub tasks: usize,
    /// Bytes of all tasks in memory, with their results, questions and answers; each counts as at least 4 KiB. 256 MiB.
    /// Beyond: unavailable, and a task that has already run fails with an internal error.
    pub task_bytes: usize,
    /// Time for a task's handler, including waiting for the client. 30 minutes. Beyond: the handler is dropped, and the
    /// task fails with an internal error.
    pub task_deadline: Duration,
    /// The lifetime of a task's record, from its start. 1 hour. Beyond: the task no longer exists.
    pub task_ttl: Duration,
    /// The polling interval that clients are asked to use for a task. 1 s.
    pub task_poll: Duration,
    /// Legacy sessions over Streamable HTTP. 10,000. Beyond: the longest-idle session ends. HTTP with SSE may have as
    /// many again; beyond: unavailable.
    pub sessions: usize,
    /// Bytes of the params of `initialize` of all these sessions. 8 MiB. Beyond: longest-idle sessions end.
    pub session_bytes: usize,
    /// The time that a legacy session over HTTP may be idle before it ends. 30 minutes.
    pub session_idle: Duration,
    /// The time that a reply sent as a stream of events can be resumed after its end, by a legacy
    /// client that lost the connection. 60 s. Beyond: invalid request.
    pub resume: Duration,
    /// Events kept for resumption in one legacy session. 1,024. Beyond: the oldest unread events are dropped.
    pub resume_events: usize,
    /// Bytes of these events. 4 MiB. Beyond: likewise.
    pub resume_bytes: usize,
    /// Bytes of these events in all legacy sessions. 256 MiB. Beyond: likewise, in a session that adds to them or has
    /// lost a reader; other sessions keep theirs.
    pub resume_total: usize,
    /// Open questions to the client, for one request and in one legacy session. 64. Beyond: the
    /// handler gets an error instead of an answer.
    pub questions: usize,
    /// Open questions to legacy clients in all sessions over HTTP. 2,048, so that clients that never answer leave room
    /// among the requests in flight. Beyond: the handler is told that there is no answer.
    pub questions_in_all: usize,
    /// Time for a legacy client's answer. 10 minutes, during which the handler's own deadline is suspended. Beyond: the
    /// question is withdrawn, and the handler is told that there is no answer.
    pub answer: Duration,
    /// Rounds of questions before one reply; a question asked after an answer belongs to a later round. 16. Beyond: an
    /// internal error.
    pub rounds: usize,
    /// Bytes of a `requestState`, which contains the answers so far. 16 KiB. Beyond: invalid params, or an internal
    /// error if the server would have to issue it.
    pub state_bytes: usize,
    /// The lifetime of a `requestState`. 10 minutes. Beyond: invalid params.
    pub state_ttl: Duration,
    /// The time that the peer of a byte stream may leave its replies unread. 30 s. Beyond: the
    /// stream fails.
    pub write_stall: Duration,
    /// Time for running requests to finish once the server was asked to stop. 30 s. Beyond: they are dropped, and
    /// answered as unavailable on a byte stream; over HTTP their connections are closed.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: limits::MESSAGE_BYTES,
            initialize_bytes: 64 << 10,
            envelope: envelope::Limits::default(),
            reply_bytes: 32 << 20,
            reply_bytes_in_all: 512 << 20,
            uri_bytes: 8 << 10,
            cursor_bytes: 16 << 10,
            cursor_ttl: Duration::from_secs(24 * 60 * 60),
            page_entries: 1_000,
            deadline: Duration::from_secs(60),
            requests: 4_096,
            requests_per_connection: 64,
            listens: 20_000,
            listens_per_connection: 16,
            listen_uris: 1_000,
            listen_bytes: 256 << 10,
            listen_bytes_in_all: 128 << 20,
            schema_bytes: 256 << 10,
            schema_depth: 48,
            subschemas: 2_000,
            tasks: 10_000,
            task_bytes: 256 << 20,
            task_deadline: Duration::from_secs(30 * 60),
            task_ttl: Duration::from_secs(60 * 60),
            task_poll: Duration::from_secs(1),
            sessions: 10_000,
            session_bytes: 8 << 20,
            session_idle: Duration::from_secs(30 * 60),
            resume: Duration::from_secs(60),
            resume_events: 1_024,
            resume_bytes: 4 << 20,
            resume_total: 256 << 20,
            questions: 64,
            questions_in_all: 2_048,
            answer: Duration::from_secs(10 * 60),
            rounds: 16,
            state_bytes: 16 << 10,
            state_ttl: Duration::from_secs(10 * 60),
            write_stall: limits::WRITE_STALL,
            shutdown: limits::SHUTDOWN,
        }
    }
}

impl Limits {
    /// The refusal of a message beyond `message_bytes`.
    pub(crate) fn too_large(&self) -> Refusal {
        let limit = Some(self.message_bytes as u64);
        Refusal::TooLarge { limit }
    }

    /// The limits of a schema, and of the arguments that are held against it.
    pub(crate) fn schema(&self) -> plainly_schema::Limits {
        let mut limits = plainly_schema::Limits::default();
        limits.bytes = self.schema_bytes;
        limits.depth = self.schema_depth;
        limits.subschemas = self.subschemas;
        // Arguments come inside a message, and can nest no deeper than that may.
        limits.value_depth = self.envelope.depth;
        limits
    }
}

/// The limits that a server has in common with HTTP are taken over; the rest are the defaults.
#[cfg(feature = "http")]
impl From<&Limits> for plainly_http::HttpLimits {
    fn from(limits: &Limits) -> Self {
        let mut http = Self::default();
        http.message_bytes = limits.message_bytes;
        http.write_stall = limits.write_stall;
        http.shutdown = limits.shutdown;
        http
    }
}
