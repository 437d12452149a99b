//! The outcome of each call, for counters and measurements. Knows no metrics library.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use plainly_errors::Revision;

use crate::error::Error;
use crate::message::trace_context::{TraceContext, TraceSource};

/// A call that has ended, as [`Builder::on_operation`](crate::Builder::on_operation) reports it.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Operation<'a> {
    /// The method, such as `tools/call`.
    pub method: &'static str,
    /// The tool, the prompt, the URI or the task that the call is about.
    pub name: Option<&'a str>,
    /// The trace that its messages were part of, if
    /// [`Builder::trace_calls`](crate::Builder::trace_calls) began one.
    pub trace: Option<&'a TraceContext>,
    /// The error of the call, if it failed. A call whose tool reports a failure has not failed.
    pub error: Option<&'a Error>,
    /// The revision in use.
    pub revision: Revision,
    /// `http`, or `stream` for everything else.
    pub transport: &'static str,
    /// The time from the beginning to the end of the call, with all attempts and the pauses between
    /// them.
    pub duration: Duration,
    /// The attempts, including those that failed for lack of credentials, of a session or of a
    /// connection; none if the result was [cached](crate::Cache).
    pub tries: u32,
}

/// The program's functions that are called at the begin and the end of each call.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    pub(crate) begin: TraceSource,
    count: Option<Arc<Count>>,
}

/// A function that counts and measures.
type Count = dyn Fn(&Operation<'_>) + Send + Sync;

impl Observer {
    pub(crate) fn count(&mut self, count: impl Fn(&Operation<'_>) + Send + Sync + 'static) {
        self.count = Some(Arc::new(count));
    }

    /// Whether ends of calls are reported.
    pub(crate) fn is_on(&self) -> bool {
        self.count.is_some()
    }

    /// Reports a call.
    pub(crate) fn report<'a>(&self, operation: impl FnOnce() -> Operation<'a>) {
        if let Some(count) = &self.count
            && catch_unwind(AssertUnwindSafe(|| count(&operation()))).is_err()
        {
            tracing::error!("the observer of operations panicked");
        }
    }
}

impl fmt::Debug for Observer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Observer")
            .field("begin", &self.begin)
            .field("count", &self.count.is_some())
            .finish()
    }
}
