//! What passes between a transport and what it carries messages for.

use std::future::Future;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use plainly_errors::ProtocolError;

/// One message as it arrived, with the HTTP headers beside it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Frame {
    /// The headers of the HTTP request.
    pub headers: HeaderMap,
    /// The message: JSON in UTF-8, if the peer is honest.
    pub body: Bytes,
}

impl Frame {
    /// A message and its headers.
    pub fn new(headers: HeaderMap, body: Bytes) -> Self {
        Self { headers, body }
    }
}

/// What answers one HTTP request.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// Headers to add, such as `Mcp-Session-Id`; those of the content are the transport's.
    pub headers: HeaderMap,
    /// A JSON-RPC response, or nothing.
    pub body: Bytes,
}

impl Reply {
    /// A reply with this status and body.
    pub fn new(status: StatusCode, body: Bytes) -> Self {
        Self {
            status,
            headers: HeaderMap::new(),
            body,
        }
    }
}

/// What an HTTP transport carries messages for: a server.
pub trait Exchange: Clone + Send + Sync + 'static {
    /// Answers one message. Dropping the future cancels the request.
    fn exchange(&self, frame: Frame) -> impl Future<Output = Reply> + Send;

    /// Ends the session that the headers name.
    fn end_session(&self, headers: &HeaderMap) -> Reply;

    /// Says why the transport refused a request before it read a message: a JSON-RPC error without an id, and its status.
    fn refuse(&self, error: &ProtocolError) -> Reply;
}
