//! The outcome of a request for layers. It is opaque except for whether the request failed. Layers
//! that answer requests themselves create it.

use std::fmt;

use plainly_errors::{Internal, Problem, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CacheHint, CallToolResult, CompleteResult, GetPromptResult, ReadResourceResult,
};

use super::BoxError;
use super::request::RequestHead;
use crate::answer::{Answer, MethodResult};
use crate::audience::{Audience, request_failed};
use crate::failure::{Failure, Meaning};
use crate::handling::AnswerResult;

/// The outcome of a request.
///
/// A layer that answers a request itself creates one from an error or a result. A [`ProtocolError`]
/// reaches the host's code unchanged. A [`Problem`] reaches the same reader as one from the
/// handler: the model for a tool, the host's code otherwise. A result must belong to the request's
/// method.
pub struct Outcome(Kind);

enum Kind {
    Settled(AnswerResult),
    /// A result that a layer created for this method.
    Early(Method, Answer),
    /// A problem with which a layer rejects the request.
    Refused(Problem),
}

impl Outcome {
    /// The protocol error of the request, for the host's code.
    pub fn error(&self) -> Option<&ProtocolError> {
        match &self.0 {
            Kind::Settled(answered) => answered.as_ref().err(),
            Kind::Early(..) | Kind::Refused(_) => None,
        }
    }

    /// Whether the result is a tool error, for the model.
    pub fn is_tool_error(&self) -> bool {
        let answer = match &self.0 {
            Kind::Settled(answered) => answered.as_ref().ok(),
            Kind::Early(_, answer) => Some(answer),
            Kind::Refused(_) => None,
        };
        matches!(answer, Some(Answer::Tool(result)) if result.is_tool_error())
    }

    pub(super) fn of(answered: AnswerResult) -> Self {
        Self(Kind::Settled(answered))
    }

    /// The outcome for an error of a layer: its meaning, if it is a problem or a protocol error or
    /// has one as its source, otherwise an internal error.
    pub(super) fn failed(error: BoxError, subject: &RequestHead) -> Self {
        let failure = Failure::of(error);
        if let Meaning::Problem(problem) = failure.meaning() {
            return problem.with_source(failure.into_source()).into();
        }
        request_failed(failure, subject.server.0.errors.masking).into()
    }

    /// The outcome for the client.
    pub(super) fn settle(self, subject: &RequestHead) -> AnswerResult {
        match self.0 {
            Kind::Settled(answered) => answered,
            Kind::Early(method, _) if method != subject.method => {
                let method = subject.method.name();
                tracing::error!(method, "a layer answered with the result of another method");
                Err(Internal::Failed.into())
            }
            Kind::Early(_, Answer::Tool(result)) => {
                let (asker, policy) = (subject.scope.asker(), subject.server.0.errors);
                Ok(Answer::Tool(
                    audience(subject).conforming(result, asker, policy),
                ))
            }
            Kind::Early(_, answer) => Ok(answer),
            Kind::Refused(problem) => match &subject.name {
                Some(uri) if subject.method.row().subject == Some("uri") => {
                    Err(problem.for_resource(uri))
                }
                // Like a failure of the handler, because the reader is the same.
                _other => {
                    let (asker, policy) = (subject.scope.asker(), subject.server.0.errors);
                    audience(subject).failed(problem.into(), asker, policy)
                }
            },
        }
    }
}

/// The reader of the outcome: the model or the host's code.
fn audience(subject: &RequestHead) -> Audience {
    match (subject.method, &subject.name) {
        (Method::CallTool, Some(name)) => subject.server.0.features.tools.audience(name),
        (method, _) => Audience::of(method),
    }
}

impl From<ProtocolError> for Outcome {
    fn from(error: ProtocolError) -> Self {
        Self::of(Err(error))
    }
}

impl From<Problem> for Outcome {
    fn from(problem: Problem) -> Self {
        Self(Kind::Refused(problem))
    }
}

impl From<CallToolResult> for Outcome {
    fn from(result: CallToolResult) -> Self {
        Self(Kind::Early(Method::CallTool, Answer::Tool(result)))
    }
}

impl From<GetPromptResult> for Outcome {
    fn from(result: GetPromptResult) -> Self {
        Self(Kind::Early(Method::GetPrompt, result.into()))
    }
}

/// Clients may not cache the result.
impl From<ReadResourceResult> for Outcome {
    fn from(result: ReadResourceResult) -> Self {
        let answer = Answer::Contents(result, CacheHint::default());
        Self(Kind::Early(Method::ReadResource, answer))
    }
}

impl From<CompleteResult> for Outcome {
    fn from(result: CompleteResult) -> Self {
        Self(Kind::Early(
            Method::Complete,
            MethodResult::new(result, None).into(),
        ))
    }
}

/// Allows `?` in a layer on a problem or a protocol error.
impl<T: Into<Self>, E: Into<Self>> From<Result<T, E>> for Outcome {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(outcome) => outcome.into(),
            Err(error) => error.into(),
        }
    }
}

impl fmt::Debug for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outcome")
            .field("error", &self.error())
            .field("is_tool_error", &self.is_tool_error())
            .finish_non_exhaustive()
    }
}
