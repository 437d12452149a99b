//! All limits with their defaults. Each field names the result of exceeding it.

use std::time::Duration;

use plainly_errors::{ProtocolError, Refusal};
use plainly_protocol::envelope;
use plainly_transport::limits;

/// The limits of a server. Start from [`Limits::default`] and change what you need.
///
/// One caller may use an eighth of everything that is limited in the whole server. A caller is a
/// principal or, without one, the network that the requests come from: an IPv4 address or a /64
/// network of IPv6. A response or a body that is its caller's only one may be larger. Requests on a
/// byte stream have no network: without a principal, they may use everything.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message: an HTTP body, a line of standard input. 4 MiB. Beyond: 413, or on
    /// stdio an invalid request; the message is discarded.
    pub message_bytes: usize,
    /// Depth, members and nodes of a message's JSON. Beyond: invalid request.
    pub envelope: envelope::Limits,
    /// Bytes of a resource URI. 8 KiB; a cursor, which contains a URI, may have twice as many.
    /// Beyond: invalid params.
    pub uri_bytes: usize,
    /// The lifetime of a cursor. 24 hours. Beyond: invalid params.
    pub cursor_ttl: Duration,
    /// Entries on one page of a listing. 1,000; zero counts as one.
    pub page_entries: usize,
    /// Bytes of one encoded reply, and of all replies to a batch. 32 MiB. Beyond: an internal error
    /// instead.
    pub reply_bytes: usize,
    /// Bytes of all replies over 16 KiB in the whole server that are unsent or stored for
    /// resumption. 512 MiB. Beyond: unavailable (HTTP 503) instead; a single reply always fits.
    pub reply_bytes_in_all: usize,
    /// Time for one request. 60 s. Beyond: the handler is dropped, and the reply is an internal
    /// error.
    pub deadline: Duration,
    /// Requests in flight in the whole server. 4,096. Beyond: unavailable (HTTP 503).
    pub requests: usize,
    /// Requests in flight on one connection of a byte stream, such as stdio, or in one legacy
    /// session over HTTP, including those of batches. 64. Beyond: unavailable.
    pub requests_per_connection: usize,
    /// The time for which the peer of a byte stream may leave its replies unread. 30 s. Beyond: the
    /// stream fails.
    pub write_stall: Duration,
    /// Time for running requests to finish after the server was asked to stop. 30 s. Beyond: they
    /// are dropped, and answered as unavailable on a byte stream; over HTTP their connections are
    /// closed.
    pub shutdown: Duration,
    /// The limits of subscriptions.
    pub subscriptions: SubscriptionLimits,
    /// The limits of tasks.
    pub tasks: TaskLimits,
    /// The limits of questions to clients.
    pub questions: QuestionLimits,
    /// The limits of legacy sessions over HTTP.
    pub sessions: SessionLimits,
    /// The limits of replies that legacy clients can resume.
    pub resumption: ResumptionLimits,
    /// The limits of a tool's schema.
    pub schemas: SchemaLimits,
}

/// The limits of subscriptions: open `subscriptions/listen` requests, and streams of legacy
/// sessions. They don't count as requests in flight and have no deadline.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SubscriptionLimits {
    /// Open subscriptions in the whole server. 20,000. Beyond: unavailable (HTTP 503).
    pub open: usize,
    /// Open `subscriptions/listen` requests on one connection of a byte stream. 16. Beyond:
    /// unavailable.
    pub per_connection: usize,
    /// URIs in one subscription, or subscribed to by one legacy session. 1,000. Beyond: invalid
    /// params.
    pub uris: usize,
    /// Bytes of these URIs in total. 256 KiB. Beyond: invalid params.
    pub uri_bytes: usize,
    /// Bytes of the URIs and task ids in all subscriptions of the whole server, plus 256 for each
    /// of them. 128 MiB. Beyond: unavailable (HTTP 503).
    pub bytes_in_all: usize,
}

/// The limits of tasks.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaskLimits {
    /// Stored tasks, running or not. 10,000. Beyond: the task that has been over for longest is
    /// dropped; unavailable if all are running.
    pub stored: usize,
    /// Bytes of all tasks in memory, with their results, questions and answers; each counts as at
    /// least 4 KiB. 256 MiB. Beyond: unavailable; a task that has already run fails with an
    /// internal error.
    pub bytes: usize,
    /// Time for a task's handler, including waiting for the client. 30 minutes. Beyond: the handler
    /// is dropped, and the task fails with an internal error.
    pub deadline: Duration,
    /// The lifetime of a task's record, from the start of the task. 1 hour. Beyond: the task no
    /// longer exists.
    pub ttl: Duration,
    /// The polling interval that the server recommends to clients for a task. 1 s.
    pub poll_interval: Duration,
}

/// The limits of questions to clients.
///
/// Legacy clients that never answer can't use up all requests in flight: all their sessions over
/// HTTP together may have half as many open questions as there may be [requests](Limits::requests).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct QuestionLimits {
    /// Open questions, for one request and in one legacy session. 64. Beyond: the handler gets an
    /// error instead of an answer.
    pub open: usize,
    /// Time for a legacy client's answer. 10 minutes, during which the handler's own deadline is
    /// suspended. Beyond: the question is withdrawn, and the handler gets an error.
    pub answer: Duration,
    /// Rounds of questions before one reply. A question that is asked after an answer belongs to a
    /// later round. 16. Beyond: an internal error.
    pub rounds: usize,
    /// Bytes of a `requestState`, which contains the answers so far. 16 KiB. Beyond: invalid
    /// params, or an internal error if the server would have to issue it.
    pub state_bytes: usize,
    /// The lifetime of a `requestState`. 10 minutes. Beyond: invalid params.
    pub state_ttl: Duration,
}

/// The limits of legacy sessions over HTTP.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SessionLimits {
    /// Open sessions over Streamable HTTP. 10,000. Beyond: the longest-idle session ends. HTTP with
    /// SSE may have the same number of additional sessions; beyond: unavailable.
    pub open: usize,
    /// The time for which a session may be idle before it ends. 30 minutes; up to twice as long if
    /// servers share their sessions ([`ServerBuilder::records`](crate::ServerBuilder::records)).
    pub idle: Duration,
    /// Bytes of the params of `initialize`, which a session stores. 64 KiB. Beyond: invalid params.
    pub initialize_bytes: usize,
    /// Bytes of the params of `initialize` of all sessions. 8 MiB. Beyond: the longest-idle
    /// sessions end.
    pub bytes_in_all: usize,
}

/// The limits of replies that are sent as streams of events, which a legacy client can resume after
/// it lost the connection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ResumptionLimits {
    /// The time after its end that a reply can be resumed. 60 s. Beyond: invalid request.
    pub ttl: Duration,
    /// Events stored in one session. 1,024. Beyond: the oldest unread events are dropped.
    pub events: usize,
    /// Bytes of these events. 4 MiB. Beyond: the oldest unread events are dropped.
    pub bytes: usize,
    /// Bytes of these events in all sessions. 256 MiB. Beyond: the oldest unread events are dropped
    /// in a session that adds events or has lost a reader; other sessions keep theirs.
    pub bytes_in_all: usize,
}

/// The limits of a tool's schema. A tool beyond them is not served.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SchemaLimits {
    /// Bytes of a schema. 256 KiB.
    pub bytes: usize,
    /// Nesting depth of arrays and objects. 48, so that a client that accepts messages of depth 64
    /// can read it.
    pub depth: usize,
    /// Schemas inside a schema. 2,000.
    pub subschemas: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: limits::MESSAGE_BYTES,
            envelope: envelope::Limits::default(),
            uri_bytes: 8 << 10,
            cursor_ttl: Duration::from_hours(24),
            page_entries: 1_000,
            reply_bytes: 32 << 20,
            reply_bytes_in_all: 512 << 20,
            deadline: Duration::from_secs(60),
            requests: 4_096,
            requests_per_connection: 64,
            write_stall: limits::WRITE_STALL,
            shutdown: limits::SHUTDOWN,
            subscriptions: SubscriptionLimits {
                open: 20_000,
                per_connection: 16,
                uris: 1_000,
                uri_bytes: 256 << 10,
                bytes_in_all: 128 << 20,
            },
            tasks: TaskLimits {
                stored: 10_000,
                bytes: 256 << 20,
                deadline: Duration::from_mins(30),
                ttl: Duration::from_hours(1),
                poll_interval: Duration::from_secs(1),
            },
            questions: QuestionLimits {
                open: 64,
                answer: Duration::from_mins(10),
                rounds: 16,
                state_bytes: 16 << 10,
                state_ttl: Duration::from_mins(10),
            },
            sessions: SessionLimits {
                open: 10_000,
                idle: Duration::from_mins(30),
                initialize_bytes: 64 << 10,
                bytes_in_all: 8 << 20,
            },
            resumption: ResumptionLimits {
                ttl: Duration::from_secs(60),
                events: 1_024,
                bytes: 4 << 20,
                bytes_in_all: 256 << 20,
            },
            schemas: SchemaLimits {
                bytes: 256 << 10,
                depth: 48,
                subschemas: 2_000,
            },
        }
    }
}

impl Limits {
    /// The error for a message beyond `message_bytes`.
    pub(crate) fn too_large(&self) -> Refusal {
        let limit = Some(self.message_bytes as u64);
        Refusal::TooLarge { limit }
    }

    /// The maximum length of a cursor, which contains a URI, in bytes: twice
    /// [`uri_bytes`](Self::uri_bytes).
    #[must_use]
    pub fn cursor_bytes(&self) -> usize {
        self.uri_bytes.saturating_mul(2)
    }

    /// The maximum number of open questions to legacy clients in all sessions over HTTP.
    pub(crate) fn questions_in_all(&self) -> usize {
        self.requests / 2
    }

    /// The limits of a schema, and of the arguments that are validated with it.
    pub(crate) fn schema(&self) -> plainly_schema::Limits {
        let mut limits = plainly_schema::Limits::default();
        limits.bytes = self.schemas.bytes;
        limits.depth = self.schemas.depth;
        limits.subschemas = self.schemas.subschemas;
        // Arguments are part of a message, so they can't be nested more deeply than a message may
        // be.
        limits.value_depth = self.envelope.depth;
        limits
    }
}

impl SubscriptionLimits {
    /// Returns an error if these are too many or too long URIs for one client.
    pub(crate) fn check<'a>(
        &self,
        uris: impl IntoIterator<Item = &'a str>,
    ) -> Result<(), ProtocolError> {
        let (mut count, mut bytes) = (0, 0);
        for uri in uris {
            count += 1;
            bytes += uri.len();
        }
        if count > self.uris || bytes > self.uri_bytes {
            let (uris, bytes) = (self.uris, self.uri_bytes);
            return Err(ProtocolError::invalid_params(format!(
                "Invalid params: a subscription to more than {uris} resources, or more than \
                 {bytes} bytes of URIs"
            )));
        }
        Ok(())
    }
}

/// The limits that a server shares with HTTP are copied; the rest are the defaults.
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
