//! The outcome of each call, for counters and measurements. Knows no metrics library.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::Revision;

use crate::error::Error;

/// A call that has ended, as [`Builder::on_operation`](crate::Builder::on_operation) reports it: with nothing in it that
/// differs from call to call except times, so that it can label a metric.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Operation<'a> {
    /// The method, such as `tools/call`.
    pub method: &'static str,
    /// The error that it ended with, if it did. A tool that reports a failure has not failed as a call.
    pub error: Option<&'a Error>,
    /// The revision that is spoken.
    pub revision: Revision,
    /// `http`, or `stream` for everything else.
    pub transport: &'static str,
    /// The time from its beginning to its end, with all tries and the pauses between them.
    pub duration: Duration,
    /// The attempts, those included that failed for want of credentials, of a session or of a connection; none if the
    /// result was [cached](crate::Cache).
    pub tries: u32,
}

/// A function that takes what each call came to, if there is one.
#[derive(Clone, Default)]
pub(crate) struct Observer(Option<Arc<OperationObserver>>);

/// A function that counts and measures.
type OperationObserver = dyn Fn(&Operation<'_>) + Send + Sync;

impl Observer {
    pub(crate) fn new(count: impl Fn(&Operation<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(count)))
    }

    /// Reports a call.
    pub(crate) fn report<'a>(&self, operation: impl FnOnce() -> Operation<'a>) {
        if let Some(count) = &self.0
            && catch_unwind(AssertUnwindSafe(|| count(&operation()))).is_err()
        {
            tracing::error!("the observer of operations panicked");
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Observer").field(&self.0.is_some()).finish()
    }
}
