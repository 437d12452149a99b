//! The traffic between a client and its server, for observers: each message as it stands on the
//! wire, and the status and headers of HTTP. Knows neither methods nor connections.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use http::HeaderMap;

/// Something that passes between a client and its server, as [`Builder::on_traffic`](crate::Builder::on_traffic) shows
/// it. Nothing is left out and nothing is masked: headers, messages and what stands in their place may contain secrets.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Traffic<'a> {
    /// A message to the server: JSON.
    Sent(&'a [u8]),
    /// A message from the server, or a batch of them; or what it sent in place of one, of which only the beginning may be
    /// known.
    Received(&'a [u8]),
    /// An HTTP request begins. The message that it carries, if there is one, comes next.
    Request {
        /// `POST`, `GET` or `DELETE`.
        method: &'a str,
        /// The target URL; without the query, which may be secret.
        url: &'a str,
        /// The headers that the client sets. Those with which it was built are marked as sensitive.
        headers: &'a HeaderMap,
    },
    /// An HTTP response begins. Its messages come later, each by itself.
    Response {
        /// The method of the request.
        method: &'a str,
        /// The status.
        status: u16,
        /// The headers, all of them.
        headers: &'a HeaderMap,
    },
}

/// Shows what passes to a function, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Tap(Option<Arc<Viewer>>);

/// A function that looks at what passes.
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

    /// Shows what passes.
    pub(crate) fn show(&self, traffic: Traffic<'_>) {
        if let Some(see) = &self.0
            // It runs where the connection is read and written, and that must go on.
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
