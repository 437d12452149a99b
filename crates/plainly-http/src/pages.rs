//! A service with pages only, for operators.

use std::net::IpAddr;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode};
use plainly_errors::{Dialect, ProtocolError, Refusal, Revision};

use super::HttpService;
use plainly_transport::{Exchange, Frame, Reply};

/// The server of a service without an endpoint. It rejects every message with an explanation.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct NoEndpoint;

impl HttpService<NoEndpoint> {
    /// A service that responds only at its [routes](Self::route).
    pub fn pages() -> Self {
        Self::new(NoEndpoint).without_endpoint()
    }
}

impl Exchange for NoEndpoint {
    async fn exchange(&self, frame: &Frame) -> Reply {
        self.refuse(&Refusal::UnknownPath.into(), frame.client)
    }

    async fn open_stream(&self, frame: &Frame) -> Reply {
        self.refuse(&Refusal::UnknownPath.into(), frame.client)
    }

    async fn end_session(&self, frame: &Frame) -> Reply {
        self.refuse(&Refusal::UnknownPath.into(), frame.client)
    }

    fn refuse(&self, error: &ProtocolError, _client: Option<IpAddr>) -> Reply {
        let wire = Dialect::Uniform.encode(error, Revision::LATEST);
        let status = StatusCode::from_u16(wire.http_status);
        let text = Bytes::from(format!("{}\n", error.message()));
        let mut reply = Reply::new(status.unwrap_or(StatusCode::BAD_REQUEST), text);
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        reply.headers.insert(CONTENT_TYPE, plain);
        reply
    }
}
