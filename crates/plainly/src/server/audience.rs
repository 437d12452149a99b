//! Who reads what a handler ends with, and so what becomes of a failure: a model reads tool errors, the host's code reads
//! protocol errors. Decided here, once, for every way in which a handler can end.

use std::any::Any;
use std::error::Error;
use std::sync::Arc;

use plainly_errors::{Internal, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{CallToolResult, Content};

use super::answer::Answer;
use super::failure::Failure;
use crate::schema::Schema;

/// Who reads what a handler ends with.
pub(super) enum Audience {
    /// A model, of a tool whose structured output has this schema, if it has any.
    Model(Option<Arc<Schema>>),
    /// The host's code.
    Code,
}

/// How a handler ended: by itself, or the outer error with what ended it, a panic or the deadline.
pub(super) type Ended = Result<Result<Answer, Failure>, ProtocolError>;

impl Audience {
    /// Who reads what a handler of `method` ends with.
    pub(super) fn of(method: Method) -> Self {
        if method == Method::CallTool {
            Self::Model(None)
        } else {
            Self::Code
        }
    }

    /// What the peer gets.
    pub(super) fn deliver(&self, ended: Ended) -> Result<Answer, ProtocolError> {
        match ended {
            Ok(Ok(Answer::CallTool(result))) => Ok(Answer::CallTool(self.conforming(result))),
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(failure)) => self.failed(failure),
            Err(error) => self.broke(error),
        }
    }

    /// The handler's own failure.
    fn failed(&self, failure: Failure) -> Result<Answer, ProtocolError> {
        match self {
            Self::Model(_) => match failure.passes_through() {
                Some(error) => Err(error.clone()),
                None => Ok(Answer::CallTool(tool_error(failure.to_string()))),
            },
            Self::Code => Err(match failure.protocol_error() {
                Some(error) => error.clone(),
                None => {
                    ProtocolError::internal(failure.to_string()).with_source(failure.into_source())
                }
            }),
        }
    }

    /// What failed around the handler. For code the caller logs it, as every internal error.
    fn broke(&self, error: ProtocolError) -> Result<Answer, ProtocolError> {
        match self {
            Self::Model(_) => {
                tracing::error!(error = %chain(&error), "a tool failed inside the server");
                Ok(Answer::CallTool(tool_error(error.message())))
            }
            Self::Code => Err(error),
        }
    }

    /// Structured output that is not what the tool promised would fail in the client, far from its cause.
    fn conforming(&self, result: CallToolResult) -> CallToolResult {
        let Self::Model(Some(schema)) = self else {
            return result;
        };
        if result.is_tool_error() {
            return result;
        }
        let failures = match &result.structured_content {
            Some(output) => schema.failures(output.get()),
            None => vec!["it has none".to_owned()],
        };
        if failures.is_empty() {
            return result;
        }
        tracing::error!(
            failures = failures.join("; "),
            "a tool's structured output is not of its output schema"
        );
        tool_error("Internal error: the tool's structured output is not what it promises")
    }
}

fn tool_error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::new([Content::text(text)]).is_error(true)
}

/// The payload of a panic is for the log alone.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> ProtocolError {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text
        .or_else(|| payload.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    ProtocolError::from(Internal::Failed).with_source(format!("the handler panicked: {text}"))
}

/// An error and everything that caused it, for the log.
pub(super) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        text = format!("{text}: {cause}");
    }
    text.escape_debug().to_string()
}
