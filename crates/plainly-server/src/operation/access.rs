//! The access log: one line at level info for each operation, with the target `plainly::access`.
//! Without a subscriber, it costs a single check.

use plainly_errors::Code;
use plainly_protocol::trace_context::TraceContext;
use tracing::Level;

use super::Operation;

/// Whether the log has a subscriber.
pub(super) fn is_read() -> bool {
    tracing::enabled!(target: "plainly::access", Level::INFO)
}

/// Writes the line of an operation.
pub(super) fn write(operation: &Operation<'_>) {
    tracing::info!(
        target: "plainly::access",
        method = operation.method,
        name = operation.name,
        id = operation.id,
        revision = %operation.revision,
        transport = operation.transport,
        client = operation.client.map(tracing::field::display),
        principal = operation.principal.map(|one| one.as_str()),
        status = operation.http_status,
        code = operation.outcome.code().map(Code::get),
        incident = operation.outcome.incident(),
        trace = operation.trace.map(TraceContext::trace_id),
        ms = operation.duration.map(|duration| duration.as_micros() as f64 / 1e3),
        bytes = operation.reply_bytes,
        "{}",
        operation.outcome,
    );
}
