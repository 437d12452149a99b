//! What passes between a transport and what it carries messages for.

use std::fmt;
use std::future::Future;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Extensions, HeaderMap, StatusCode};
use plainly_errors::{InvalidRequest, ProtocolError, Refusal};

use super::ConnectionMemory;

/// One message as it arrived, with what came beside it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Frame {
    /// The headers of the HTTP request.
    pub headers: HeaderMap,
    /// What layers around the transport have found out about the request, such as who asks.
    pub extensions: Extensions,
    /// The message: JSON in UTF-8, if the peer is honest.
    pub body: Bytes,
    /// What is kept of the requests that came before it on the same connection; nothing where that is not known.
    pub memory: ConnectionMemory,
}

impl Frame {
    /// A message and its headers.
    pub fn new(headers: HeaderMap, body: Bytes) -> Self {
        Self {
            headers,
            extensions: Extensions::new(),
            body,
            memory: ConnectionMemory::default(),
        }
    }

    /// The same, of the connection with this memory.
    #[must_use]
    pub fn memory(mut self, memory: ConnectionMemory) -> Self {
        self.memory = memory;
        self
    }

    /// The same with these extensions.
    #[must_use]
    pub fn extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }
}

/// What answers one HTTP request.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// Headers to add, such as `Mcp-Session-Id`; those of the content are the transport's.
    pub headers: HeaderMap,
    /// What it says.
    pub body: ReplyBody,
}

/// What a [`Reply`] carries.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a reply is whole or it is not")]
pub enum ReplyBody {
    /// A JSON-RPC response, or nothing.
    Whole(Bytes),
    /// Messages that are still to come: over HTTP, server-sent events.
    Feed(Box<dyn Feed>),
}

/// One event of a feed: most are a message and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// What kind of event it is, if it is no message: one word.
    pub name: Option<&'static str>,
    /// By which the client can have again what followed: visible ASCII.
    pub id: Option<Box<str>>,
    /// How long the client should wait before it comes again.
    pub retry: Option<Duration>,
    /// The message, on one line. May be empty where there is an id: then the id is all there is to know.
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

/// Events that come one by one. Each is made when it is asked for, so that one who reads slowly costs no memory. Dropping
/// it ends it without a word.
pub trait Feed: fmt::Debug + Send + 'static {
    /// The next event; `None` after the last.
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>>;

    /// Has it end: what it still says are its last words, and they are there at once.
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

    /// A good reply whose messages are to come.
    pub fn feed(feed: impl Feed) -> Self {
        Self {
            status: StatusCode::OK,
            headers: HeaderMap::new(),
            body: ReplyBody::Feed(Box::new(feed)),
        }
    }
}

/// Into which messages are put by requests of their own, and out of which one stream of events comes (2024-11-05, "HTTP
/// with SSE").
#[derive(Debug)]
#[expect(clippy::exhaustive_structs, reason = "it has two ends")]
pub struct Pipe {
    /// What those requests call it: letters and digits that nobody can guess.
    pub name: String,
    /// What comes out of it. Dropping it ends the pipe.
    pub feed: Box<dyn Feed>,
}

/// What an HTTP transport carries messages for: a server.
pub trait Exchange: Clone + Send + Sync + 'static {
    /// Answers one message. Dropping the future cancels the request.
    fn exchange(&self, frame: &Frame) -> impl Future<Output = Reply> + Send;

    /// Opens the stream of the session that the headers of an empty frame name, on which the server speaks first.
    fn open_stream(&self, frame: &Frame) -> Reply;

    /// Ends the session that the headers of an empty frame name.
    fn end_session(&self, frame: &Frame) -> Reply;

    /// Opens a [`Pipe`] for the request that `head` is of. By default nobody is given one.
    fn open_pipe(&self, head: Frame) -> Result<Pipe, ProtocolError> {
        drop(head);
        Err(Refusal::MethodNotAllowed.into())
    }

    /// Puts a message into the pipe of this name; what there is to say to it comes out of the pipe.
    fn put(
        &self,
        pipe: &str,
        message: Frame,
    ) -> impl Future<Output = Result<(), ProtocolError>> + Send {
        let _there_is_none = (pipe, message);
        std::future::ready(Err(InvalidRequest::SessionNotFound.into()))
    }

    /// Says why the transport refused a request before it read a message: a JSON-RPC error without an id, and its status.
    fn refuse(&self, error: &ProtocolError) -> Reply;
}
