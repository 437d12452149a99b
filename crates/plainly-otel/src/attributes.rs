//! The attributes shared by spans and measurements.

use opentelemetry::{KeyValue, Value};
use plainly_errors::Code;
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

/// The class of a failure, the value of `error.type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Failure {
    Tool,
    Cancelled,
    Code(Code),
}

impl Failure {
    /// The failure of an operation; `None` for a success, and for a caller's mistake, which is not
    /// an error of the server.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other outcome fails by a code, or not at all"
    )]
    pub(crate) fn of(outcome: &OperationOutcome<'_>) -> Option<Self> {
        match outcome {
            OperationOutcome::ToolFailed => Some(Self::Tool),
            OperationOutcome::Cancelled => Some(Self::Cancelled),
            _ => outcome
                .code()
                .filter(|_| !outcome.is_mistake())
                .map(Self::Code),
        }
    }

    pub(crate) fn attribute(self) -> KeyValue {
        let kind: Value = match self {
            Self::Tool => names::TOOL_ERROR.into(),
            Self::Cancelled => names::CANCELLED.into(),
            Self::Code(code) => code.get().to_string().into(),
        };
        KeyValue::new(names::ERROR_TYPE, kind)
    }
}
