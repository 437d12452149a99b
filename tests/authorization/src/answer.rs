//! What a server answers with.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use http::{HeaderName, HeaderValue, StatusCode};
use serde_json::Value;

/// An answer.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: Vec<(&'static str, String)>,
    /// Its body.
    pub body: AnswerBody,
}

/// The body of an answer.
#[derive(Clone, Debug)]
pub enum AnswerBody {
    /// This.
    Text(String),
    /// Spaces without an end.
    Endless,
    /// A space each second, without an end.
    Dripping,
    /// Nothing, not even a head.
    Never,
}

impl Answer {
    /// This text under this status.
    pub fn new(status: u16, body: impl Into<String>) -> Self {
        Self {
            status,
            headers: Vec::new(),
            body: AnswerBody::Text(body.into()),
        }
    }

    /// This JSON.
    #[must_use]
    pub fn json(status: u16, body: &Value) -> Self {
        Self::new(status, body.to_string()).with("content-type", "application/json")
    }

    /// An error of OAuth.
    #[must_use]
    pub fn refusal(status: u16, error: &str) -> Self {
        Self::json(status, &serde_json::json!({ "error": error }))
    }

    /// The way elsewhere.
    #[must_use]
    pub fn redirect(status: u16, to: &str) -> Self {
        Self::new(status, "").with("location", to)
    }

    /// The same with a header more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same with this body.
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
