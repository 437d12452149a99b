//! Every limit, with its default. What happens beyond each is on its field.

use std::time::Duration;

use plainly_protocol::envelope;

/// How much a server takes before it says no. Build one from [`Limits::default`] and change what you need.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message: an HTTP body, a line of standard input. 4 MiB. Beyond: 413, or an invalid request without
    /// id on stdio; the rest of it is discarded.
    pub message_bytes: usize,
    /// Bytes of the params of `initialize`: a session keeps what is in them. 64 KiB. Beyond: invalid params.
    pub initialize_bytes: usize,
    /// Depth, members and nodes of a message's JSON. Beyond: invalid request.
    pub envelope: envelope::Limits,
    /// Bytes of one reply, encoded, and of all replies to a batch. 32 MiB. Beyond: an internal error instead.
    pub reply_bytes: usize,
    /// Bytes of all replies of more than 16 KiB that are not sent yet, or are kept to be heard again, in the whole server. 512
    /// MiB. Beyond: unavailable (HTTP 503) instead; but there is room for any one reply that is alone.
    pub reply_bytes_in_all: usize,
    /// Bytes of a resource URI. 8 KiB. Beyond: invalid params.
    pub uri_bytes: usize,
    /// Bytes of a cursor, which holds a URI. 16 KiB. Beyond: invalid params.
    pub cursor_bytes: usize,
    /// Time for which a cursor is good. 24 hours. Beyond: invalid params.
    pub cursor_ttl: Duration,
    /// Entries of one page of a listing. 1,000; none is taken for one.
    pub page_entries: usize,
    /// Time for one request. 60 s. Beyond: the handler is dropped, and the reply is an internal error.
    pub deadline: Duration,
    /// Requests in flight in the whole server. 4,096. Beyond: unavailable (HTTP 503).
    pub requests: usize,
    /// Requests in flight on one connection of a byte stream, such as stdio; and in one legacy session over HTTP, whose
    /// batches start no more than that. 64. Beyond: unavailable.
    pub requests_per_connection: usize,
    /// Requests in flight of one principal. 256. Beyond: unavailable (HTTP 503). Who is no principal has no limit of their own:
    /// here and wherever else one is of a principal.
    pub requests_per_principal: usize,
    /// Subscriptions in the whole server: `subscriptions/listen` requests that stay open, and streams of legacy sessions.
    /// They count as no requests in flight and have no deadline. 20,000. Beyond: unavailable (HTTP 503).
    pub listens: usize,
    /// `subscriptions/listen` requests that stay open on one connection of a byte stream. 16. Beyond: unavailable.
    pub listens_per_connection: usize,
    /// `subscriptions/listen` requests of one principal that stay open. 16. Beyond: unavailable (HTTP 503).
    pub listens_per_principal: usize,
    /// URIs of one subscription, and those that one legacy session is subscribed to. 1,000. Beyond: invalid params.
    pub listen_uris: usize,
    /// Bytes of these URIs together. 256 KiB. Beyond: invalid params.
    pub listen_bytes: usize,
    /// Bytes of the schema of a tool. 256 KiB. Beyond: not served.
    pub schema_bytes: usize,
    /// Arrays and objects around a value in a schema. 48: a client that takes messages of depth 64 can read it. Beyond: not
    /// served.
    pub schema_depth: usize,
    /// Schemas within a schema. 2,000. Beyond: not served.
    pub subschemas: usize,
    /// Tasks that are kept, whether they run or not. 10,000. Beyond: unavailable.
    pub tasks: usize,
    /// Tasks that are kept of one principal. 1,000. Beyond: unavailable.
    pub tasks_per_principal: usize,
    /// Bytes of all tasks in memory, with their results, questions and answers; each counts for at least 4 KiB. 256 MiB.
    /// Beyond: unavailable, and one that has run already fails with an internal error.
    pub task_bytes: usize,
    /// Time for the handler of a task, waiting for the client included. 30 minutes. Beyond: the handler is dropped, and the
    /// task fails with an internal error.
    pub task_deadline: Duration,
    /// Time for which a task is kept, from when it begins. 1 hour. Beyond: there is no such task.
    pub task_ttl: Duration,
    /// Time between two looks at a task that clients are asked for. 1 s.
    pub task_poll: Duration,
    /// Legacy sessions over Streamable HTTP. 10,000. Beyond: the one that has been idle longest ends. As many over HTTP with
    /// SSE; beyond: unavailable.
    pub sessions: usize,
    /// The sessions of one principal among these. 256. Beyond: the one of its own that has been idle longest ends; over HTTP with
    /// SSE unavailable.
    pub sessions_per_principal: usize,
    /// Time after which an idle legacy session over HTTP ends. 30 minutes.
    pub session_idle: Duration,
    /// Time for which a reply that came as a stream of events can be had again after its end, by a legacy client that lost
    /// the connection. 60 s. Beyond: invalid request.
    pub resume: Duration,
    /// Events that are kept for that, in one legacy session. 1,024. Beyond: the oldest are forgotten that nobody reads.
    pub resume_events: usize,
    /// Bytes of these events. 4 MiB. Beyond: likewise.
    pub resume_bytes: usize,
    /// Bytes of these events in all legacy sessions together. 256 MiB. Beyond: likewise, in a session that adds to them or has
    /// lost a reader; the others keep theirs.
    pub resume_total: usize,
    /// Questions to the client that are open at once: of one request, and in one legacy session. 64. Beyond: the handler is
    /// told that there is no answer.
    pub questions: usize,
    /// Questions to legacy clients that are open in all sessions over HTTP. 2,048: so that who never answers leaves room among
    /// the requests in flight. Beyond: the handler is told that there is no answer.
    pub questions_in_all: usize,
    /// Time for an answer of a legacy client. 10 minutes, in which the handler's own time does not count. Beyond: the question
    /// is withdrawn, and the handler is told that there is no answer.
    pub answer: Duration,
    /// Rounds of questions before one reply: what is asked after the answer to another is of a later round. 16. Beyond: an
    /// internal error.
    pub rounds: usize,
    /// Bytes of a `requestState`, which holds the answers so far. 16 KiB. Beyond: invalid params, or an internal error where
    /// it would be given out.
    pub state_bytes: usize,
    /// Time for which a `requestState` is good. 10 minutes. Beyond: invalid params.
    pub state_ttl: Duration,
    /// Time that the peer at the other end of a byte stream may leave its replies unread. 30 s. Beyond: the stream fails.
    pub write_stall: Duration,
    /// Time that running requests have to finish once the server was asked to stop. 30 s. Beyond: they are dropped, and
    /// answered as unavailable on a byte stream; over HTTP their connections are closed.
    pub shutdown: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 4 << 20,
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
            requests_per_principal: 256,
            listens: 20_000,
            listens_per_connection: 16,
            listens_per_principal: 16,
            listen_uris: 1_000,
            listen_bytes: 256 << 10,
            schema_bytes: 256 << 10,
            schema_depth: 48,
            subschemas: 2_000,
            tasks: 10_000,
            tasks_per_principal: 1_000,
            task_bytes: 256 << 20,
            task_deadline: Duration::from_secs(30 * 60),
            task_ttl: Duration::from_secs(60 * 60),
            task_poll: Duration::from_secs(1),
            sessions: 10_000,
            sessions_per_principal: 256,
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
            write_stall: Duration::from_secs(30),
            shutdown: Duration::from_secs(30),
        }
    }
}

#[cfg(feature = "server")]
impl Limits {
    /// The limits of a schema, and of the arguments that are held against it.
    pub(crate) fn schema(&self) -> plainly_schema::Limits {
        let mut limits = plainly_schema::Limits::default();
        limits.bytes = self.schema_bytes;
        limits.depth = self.schema_depth;
        limits.subschemas = self.subschemas;
        limits.value_depth = self.envelope.depth;
        limits
    }
}

/// How much a client takes of a server before it gives up. Build one from [`ClientLimits::default`] and change what you need.
/// How long it waits is set where it is [built](crate::client::Builder).
#[cfg(feature = "client")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClientLimits {
    /// Bytes of one message: a line, a response, an event. 32 MiB. Beyond: the request fails; a stream, and the process at its
    /// other end, is ended.
    pub message_bytes: usize,
    /// Pages of one listing. 1,000. Beyond: a local error, and never a part of the listing.
    pub pages: usize,
    /// Rounds in which one call is answered with questions, from 2026-07-28 on. 16. Beyond: a local error.
    pub rounds: usize,
    /// Questions in one round, and those of a legacy server that are being answered. 64. Beyond: a local error; to a legacy
    /// server unavailable.
    pub questions: usize,
}

#[cfg(feature = "client")]
impl Default for ClientLimits {
    fn default() -> Self {
        Self {
            message_bytes: 32 << 20,
            pages: 1_000,
            rounds: 16,
            questions: 64,
        }
    }
}
