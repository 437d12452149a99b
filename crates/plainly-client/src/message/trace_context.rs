//! The source of the trace that each message of a client is part of (SEP-414).

use std::collections::BTreeMap;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;

use plainly_protocol::meta::{BAGGAGE, TRACE_PARENT, TRACE_STATE};
pub use plainly_protocol::trace_context::TraceContext;
use plainly_protocol::types::RawJson;

/// The members of `_meta` that a trace has.
const MEMBERS: [&str; 3] = [TRACE_PARENT, TRACE_STATE, BAGGAGE];

/// Whether members of `_meta` have a trace.
pub(crate) fn is_in(meta: Option<&BTreeMap<String, RawJson>>) -> bool {
    let is_of_trace = |name: &String| MEMBERS.contains(&&**name);
    meta.is_some_and(|meta| meta.keys().any(is_of_trace))
}

/// A function that returns the current trace, if there is one.
#[derive(Clone, Default)]
pub(crate) struct TraceSource(Option<Arc<dyn Fn() -> Option<TraceContext> + Send + Sync>>);

impl TraceSource {
    pub(crate) fn new(current: impl Fn() -> Option<TraceContext> + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(current)))
    }

    /// The current trace.
    pub(crate) fn current(&self) -> Option<TraceContext> {
        let current = self.0.as_ref()?;
        // A panic of the function must not make the call fail.
        catch_unwind(AssertUnwindSafe(|| current())).unwrap_or_else(|_panic| {
            tracing::error!("the source of trace contexts panicked");
            None
        })
    }
}

impl fmt::Debug for TraceSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("TraceSource")
            .field(&self.0.is_some())
            .finish()
    }
}
