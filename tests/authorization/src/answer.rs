//! The response of a server.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

/// A response.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: AnswerBody,
}

/// The body of a response.
#[derive(Clone, Debug)]
pub enum AnswerBody {
    /// This text.
    Text(String),
    /// Endless spaces.
    Endless,
    /// One space each second, without an end.
    Dripping,
    /// No response at all, not even a head.
    Never,
}

impl Answer {
    /// Creates a response with this status and text.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: AnswerBody::Text(body.into()),
        }
    }

    /// Creates a response with this JSON.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, body.to_string()).with("content-type", "application/json")
    }

    /// Creates an OAuth error.
    #[must_use]
    pub fn refusal(status: u16, error: &str) -> Self {
        Self::json(status, &serde_json::json!({ "error": error }))
    }

    /// Creates a redirect.
    #[must_use]
    pub fn redirect(status: u16, to: &str) -> Self {
        Self::new(status, "").with("location", to)
    }

    /// Adds a header.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// Replaces the body.
    #[must_use]
    pub fn body(mut self, body: AnswerBody) -> Self {
        self.body = body;
        self
    }

    pub(crate) async fn response(self) -> Response {
        let body = match self.body {
            AnswerBody::Text(text) => Body::from(text),
            AnswerBody::Endless => Body::from_stream(stream::repeat_with(|| {
                Ok::<_, Infallible>(vec![b' '; 4096])
            })),
            AnswerBody::Dripping => Body::from_stream(stream::unfold((), async |()| {
                tokio::time::sleep(Duration::from_secs(1)).await;
                Some((Ok::<_, Infallible>(vec![b' ']), ()))
            })),
            AnswerBody::Never => std::future::pending().await,
        };
        let mut response = (StatusCode::from_u16(self.status).unwrap(), body).into_response();
        for (name, value) in self.headers {
            let value = HeaderValue::from_str(&value).unwrap();
            response
                .headers_mut()
                .append(HeaderName::from_static(name), value);
        }
        response
    }
}
