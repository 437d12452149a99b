//! The traffic between a client and its server, for observers: each message as transmitted, and the
//! status and headers of HTTP. Knows neither methods nor connections.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use http::HeaderMap;

/// A part of the traffic between a client and its server, as
/// [`Builder::on_traffic`](crate::Builder::on_traffic) reports it. Nothing is masked: headers,
/// messages and invalid data may contain secrets.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Traffic<'a> {
    /// A message to the server: JSON.
    Sent(&'a [u8]),
    /// A message from the server, or a batch of them. If the server sent other data, that data, of
    /// which only the beginning may be known.
    Received(&'a [u8]),
    /// The beginning of an HTTP request. The message that it carries, if there is one, comes next.
    Request {
        /// `POST`, `GET` or `DELETE`.
        method: &'a str,
        /// The target URL; without the query, which may be secret.
        url: &'a str,
        /// The headers that the client sets. Those that the client was built with are marked as
        /// sensitive.
        headers: &'a HeaderMap,
    },
    /// The beginning of an HTTP response. Its messages come later, one by one.
    Response {
        /// The method of the request.
        method: &'a str,
        /// The status.
        status: u16,
        /// All headers.
        headers: &'a HeaderMap,
    },
}

/// Reports the traffic to a function, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Tap(Option<Arc<Viewer>>);

/// A function that receives the traffic.
type Viewer = dyn Fn(Traffic<'_>) + Send + Sync;

impl Tap {
    pub(crate) fn new(see: impl Fn(Traffic<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(see)))
    }

    /// Whether there is an observer.
    #[cfg(feature = "http")]
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    /// Reports a part of the traffic.
    pub(crate) fn show(&self, traffic: Traffic<'_>) {
        if let Some(see) = &self.0
            // The function runs where the connection is read and written, which must continue after
            // a panic.
            && catch_unwind(AssertUnwindSafe(|| see(traffic))).is_err()
        {
            tracing::error!("the viewer of a client's traffic panicked");
        }
    }
}

impl fmt::Debug for Tap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tap").field(&self.0.is_some()).finish()
    }
}
