//! What passes between a transport and what it carries messages for.

use std::fmt;
use std::future::Future;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Extensions, HeaderMap, StatusCode};
use plainly_errors::ProtocolError;

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
}

impl Frame {
    /// A message and its headers.
    pub fn new(headers: HeaderMap, body: Bytes) -> Self {
        Self {
            headers,
            extensions: Extensions::new(),
            body,
        }
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

/// Messages that come one by one. Each is made when it is asked for, so that one who reads slowly costs no memory.
/// Dropping it ends it without a word.
pub trait Feed: fmt::Debug + Send + 'static {
    /// The next message; `None` after the last.
    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>>;

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

/// What an HTTP transport carries messages for: a server.
pub trait Exchange: Clone + Send + Sync + 'static {
    /// Answers one message. Dropping the future cancels the request.
    fn exchange(&self, frame: Frame) -> impl Future<Output = Reply> + Send;

    /// Opens the stream of the session that the headers of an empty frame name, on which the server speaks first.
    fn open_stream(&self, frame: &Frame) -> Reply;

    /// Ends the session that the headers of an empty frame name.
    fn end_session(&self, frame: &Frame) -> Reply;

    /// Says why the transport refused a request before it read a message: a JSON-RPC error without an id, and its status.
    fn refuse(&self, error: &ProtocolError) -> Reply;
}
