//! The attributes that spans and measurements have in common.

use opentelemetry::KeyValue;
use plainly_errors::{Code, Fault};
use plainly_server::OperationOutcome;

use crate::conventions as names;

/// The attributes of a transport.
pub(crate) fn network(transport: &str) -> impl Iterator<Item = KeyValue> + use<> {
    let is_http = transport == "http";
    let transport = if is_http { "tcp" } else { "pipe" };
    let protocol = is_http.then(|| KeyValue::new(names::PROTOCOL, "http"));
    [KeyValue::new(names::TRANSPORT, transport)]
        .into_iter()
        .chain(protocol)
}

/// The class of a failure; `None` for a success, and for a mistake of the caller, which is no error
/// of the server.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "no other outcome is a failure"
)]
pub(crate) fn error_type(outcome: &OperationOutcome<'_>) -> Option<String> {
    match outcome {
        OperationOutcome::ToolFailed => Some(names::TOOL_ERROR.to_owned()),
        OperationOutcome::Cancelled => Some(names::CANCELLED.to_owned()),
        OperationOutcome::Refused { error, code, .. } => {
            let is_mistake = matches!(error.fault(), Fault::Client | Fault::User);
            (!is_mistake).then(|| Code::get(*code).to_string())
        }
        _ => None,
    }
}
