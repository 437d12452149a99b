//! The types that a transport exchanges with its server or client.

use std::any::Any;
use std::fmt;
use std::future::Future;
use std::net::IpAddr;
use std::sync::{Arc, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Extensions, HeaderMap, StatusCode};
use plainly_errors::{InvalidRequest, ProtocolError, Refusal};

use crate::lock::Lock;
use crate::quota::Holder;

/// A message as it was received, with its headers and context.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Frame {
    /// The headers of the HTTP request.
    pub headers: HeaderMap,
    /// Values that layers around the transport attached to the request, such as the caller.
    pub extensions: Extensions,
    /// The message: JSON in UTF-8, if the peer follows the protocol.
    pub body: Bytes,
    /// The memory that requests on the same connection share; empty if the connection is unknown.
    pub memory: ConnectionMemory,
    /// The address of the client, if the transport knows it. Behind trusted proxies it is the
    /// address that they report.
    pub client: Option<IpAddr>,
}

impl Frame {
    /// A message and its headers.
    pub fn new(headers: HeaderMap, body: Bytes) -> Self {
        Self {
            headers,
            extensions: Extensions::new(),
            body,
            memory: ConnectionMemory::default(),
            client: None,
        }
    }

    /// Sets the memory of the connection.
    #[must_use]
    pub fn memory(mut self, memory: ConnectionMemory) -> Self {
        self.memory = memory;
        self
    }

    /// Sets the extensions.
    #[must_use]
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// The caller whose shares of quotas the message uses.
    pub fn caller(&self) -> Option<Holder> {
        Holder::of(self.extensions.get(), self.client)
    }
}

/// The memory of one connection, in which a server stores data between requests: one value at a
/// time, of a type that the server chooses. The transport only identifies the requests of a
/// connection. Clones share the same memory. The default has none.
#[derive(Clone, Default)]
pub struct ConnectionMemory(Option<Arc<Lock<StoredValue>>>);

type StoredValue = Option<Box<dyn Any + Send>>;

impl ConnectionMemory {
    /// The memory of a new connection, initially empty.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::new(Lock::new(None))))
    }

    /// The result of `look` on the stored value, if it is a `T`.
    pub fn recall<T: 'static, U>(&self, look: impl FnOnce(&T) -> Option<U>) -> Option<U> {
        look(self.lock()?.as_ref()?.downcast_ref()?)
    }

    /// Stores `value`, replacing any other.
    pub fn keep<T: Send + 'static>(&self, value: T) {
        let before = self
            .lock()
            .and_then(|mut kept| kept.replace(Box::new(value)));
        // Dropped outside the lock, because the destructor is the server's code and may call this
        // again.
        drop(before);
    }

    fn lock(&self) -> Option<MutexGuard<'_, StoredValue>> {
        Some(self.0.as_ref()?.lock())
    }
}

impl fmt::Debug for ConnectionMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionMemory").finish_non_exhaustive()
    }
}

/// The response to one HTTP request.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// Headers to add, such as `Mcp-Session-Id`. The transport adds those of the content.
    pub headers: HeaderMap,
    /// The body.
    pub body: ReplyBody,
}

/// The body of a [`Reply`].
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a reply is whole or it is not")]
pub enum ReplyBody {
    /// A JSON-RPC response, or nothing.
    Whole(Bytes),
    /// Messages that are still to come, sent as server-sent events over HTTP.
    Feed(Box<dyn Feed>),
}

/// An event of a feed, usually just a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The kind of event as one word, if it is not a message.
    pub name: Option<&'static str>,
    /// The id with which the client can resume after this event, in visible ASCII.
    pub id: Option<Box<str>>,
    /// The time that the client should wait before it reconnects.
    pub retry: Option<Duration>,
    /// The message, on one line. May be empty if there is an id; then the id is the only
    /// information.
    pub data: Bytes,
}

impl From<Bytes> for Event {
    fn from(data: Bytes) -> Self {
        Self {
            data,
            ..Self::default()
        }
    }
}

impl Event {
    /// Sets the kind of the event.
    #[must_use]
    pub fn name(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Sets the id with which a client can resume after the event.
    #[must_use]
    pub fn id(mut self, id: impl Into<Box<str>>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// Sets the time that a client should wait before it reconnects.
    #[must_use]
    pub fn retry(mut self, retry: Duration) -> Self {
        self.retry = Some(retry);
        self
    }
}

/// Events that are produced one at a time. Each is created when it is requested, so that a slow
/// reader costs no memory. Dropping the feed ends it silently.
pub trait Feed: fmt::Debug + Send + 'static {
    /// The next event; `None` after the last.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>>;

    /// Ends the feed; any remaining events are available at once.
    fn end(&mut self);
}

impl Reply {
    /// A reply with this status and body.
    pub fn new(status: StatusCode, body: Bytes) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body: ReplyBody::Whole(body),
        }
    }

    /// A successful reply whose messages are still to come.
    pub fn feed(feed: impl Feed) -> Self {
        Self {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: ReplyBody::Feed(Box::new(feed)),
        }
    }
}

/// A stream of events whose messages arrive in separate requests (2024-11-05, "HTTP with SSE").
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "it has two ends")]
pub struct Pipe {
    /// The name of the pipe in those requests: letters and digits that can't be guessed.
    pub name: String,
    /// The events of the pipe. Dropping them ends the pipe.
    pub feed: Box<dyn Feed>,
}

/// The server behind an HTTP transport.
pub trait Exchange: Clone + Send + Sync + 'static {
    /// Answers a message. Dropping the future cancels the request.
    fn exchange(&self, frame: &Frame) -> impl Future<Output = Reply> + Send;

    /// Opens the stream of the server's own messages, for the session in the headers of an empty
    /// frame.
    fn open_stream(&self, frame: &Frame) -> impl Future<Output = Reply> + Send;

    /// Ends the session in the headers of an empty frame.
    fn end_session(&self, frame: &Frame) -> impl Future<Output = Reply> + Send;

    /// Opens a [`Pipe`] for the request with the headers of `head`. By default, pipes are not
    /// supported.
    fn open_pipe(&self, head: Frame) -> Result<Pipe, ProtocolError> {
        drop(head);
        Err(Refusal::MethodNotAllowed.into())
    }

    /// Sends a message into the pipe with this name and responds that it is accepted; the pipe
    /// returns the answer.
    fn put(&self, pipe: &str, message: Frame) -> impl Future<Output = Reply> + Send {
        let _there_is_none = pipe;
        let unknown = InvalidRequest::SessionNotFound.into();
        std::future::ready(self.refuse(&unknown, message.client))
    }

    /// Responds to a request that the transport rejected before it read a message: a JSON-RPC error
    /// without an id, and its status. `client` is the address of the sender, if it is known.
    fn refuse(&self, error: &ProtocolError, client: Option<IpAddr>) -> Reply;
}
