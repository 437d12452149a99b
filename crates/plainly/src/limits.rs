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
    /// Subscriptions in the whole server: `subscriptions/listen` requests that stay open, and streams of legacy sessions.
    /// They count as no requests in flight and have no deadline. 20,000. Beyond: unavailable (HTTP 503).
    pub listens: usize,
    /// `subscriptions/listen` requests that stay open on one connection of a byte stream. 16. Beyond: unavailable.
    pub listens_per_connection: usize,
    /// URIs of one subscription, and those that one legacy session is subscribed to. 1,000. Beyond: invalid params.
    pub listen_uris: usize,
    /// Bytes of these URIs together. 256 KiB. Beyond: invalid params.
    pub listen_bytes: usize,
    /// Bytes of the schema of a tool, or of a prompt's arguments. 256 KiB. Beyond: not served.
    pub schema_bytes: usize,
    /// Arrays and objects around a value in a schema. 48: a client that takes messages of depth 64 can read it. Beyond: not
    /// served.
    pub schema_depth: usize,
    /// Schemas within a schema. 2,000. Beyond: not served.
    pub subschemas: usize,
    /// Legacy sessions over HTTP. 10,000. Beyond: the one that has been idle longest ends.
    pub sessions: usize,
    /// Time after which an idle legacy session over HTTP ends. 30 minutes.
    pub session_idle: Duration,
    /// Questions to the client that are open at once: of one request, and in one legacy session. 64. Beyond: the handler is
    /// told that there is no answer.
    pub questions: usize,
    /// Time for an answer of a legacy client. 10 minutes, in which the handler's own time does not count. Beyond: the question
    /// is withdrawn, and the handler is told that there is no answer.
    pub answer: Duration,
    /// How often one modern request is answered with questions. 16. Beyond: an internal error.
    pub rounds: usize,
    /// Bytes of a `requestState`, which holds the answers so far. 16 KiB. Beyond: invalid params, or an internal error where
    /// it would be given out.
    pub state_bytes: usize,
    /// Time for which a `requestState` is good. 10 minutes. Beyond: invalid params.
    pub state_ttl: Duration,
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
            schema_bytes: 256 << 10,
            schema_depth: 48,
            subschemas: 2_000,
            sessions: 10_000,
            session_idle: Duration::from_secs(30 * 60),
            questions: 64,
            answer: Duration::from_secs(10 * 60),
            rounds: 16,
            state_bytes: 16 << 10,
            state_ttl: Duration::from_secs(10 * 60),
            shutdown: Duration::from_secs(30),
        }
    }
}
