//! The reader of a handler's outcome, which determines how a failure is reported: a model reads
//! tool errors, the host's code reads protocol errors. This module decides it for every way in
//! which a handler can end.

mod asker;
mod report;
mod url_elicitation;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use plainly_errors::{ErrorKind, Internal, InvalidParams, Mistake, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::shape::Feature;
use plainly_protocol::types::{CallToolResult, Content, InputRequiredResult, Meta, RawJson};
use plainly_schema::Schema;
use serde::Serialize;

pub(crate) use self::asker::Asker;
pub(crate) use self::report::ErrorPolicy;
use self::report::report_undeclared;
use self::url_elicitation::UrlRequestForm;
use crate::answer::{Answer, AnswerFuture};
use crate::asking::check_asked;
use crate::failure::incident::incident;
use crate::failure::{Failure, Meaning};

/// The member of a tool result's `_meta` for a problem that `structuredContent` can't hold.
const PROBLEM: &str = "dev.plainly/problem";

const MISMATCH: &str = "the tool's structured output does not match its output schema";

/// The reader of a handler's outcome.
pub(crate) enum Audience {
    /// A model, which called a tool. With the schema of the tool's structured output, if it has
    /// one.
    Model(Option<Arc<Schema>>),
    /// The host's code.
    Code,
}

/// The answer of a method.
pub(crate) enum MethodAnswer {
    /// An immediate answer.
    Now(Answer),
    /// The outcome of a running handler, for this audience.
    Later(Audience, AnswerFuture),
}

impl MethodAnswer {
    /// An empty result once `done` has completed.
    pub(crate) fn once(done: impl Future<Output = Result<(), Failure>> + Send + 'static) -> Self {
        let answer = async move {
            done.await?;
            Ok(Answer::empty())
        };
        Self::Later(Audience::Code, Box::pin(answer))
    }

    /// An empty result, either immediately or once the rest of the work has completed.
    pub(crate) fn after(rest: Option<BoxFuture<'static, Result<(), ProtocolError>>>) -> Self {
        let Some(rest) = rest else {
            return Self::Now(Answer::empty());
        };
        Self::once(async { rest.await.map_err(Failure::of_server) })
    }
}

/// The end of a handler: its result or, as the outer error, a panic or a missed deadline.
pub(crate) type HandlerEnd = Result<Result<Answer, Failure>, ProtocolError>;

impl Audience {
    /// The reader of the outcome of a handler for `method`.
    pub(crate) fn of(method: Method) -> Self {
        if method == Method::CallTool {
            Self::Model(None)
        } else {
            Self::Code
        }
    }

    /// Converts the end of a handler to the answer for the peer.
    pub(crate) fn deliver(
        &self,
        ended: HandlerEnd,
        asker: &Asker,
        policy: ErrorPolicy,
    ) -> Result<Answer, ProtocolError> {
        match ended {
            Ok(Ok(Answer::Tool(result))) => {
                Ok(Answer::Tool(self.conforming(result, asker, policy)))
            }
            Ok(Ok(answer)) => Ok(answer),
            // Before all other failures, because questions to a client that can be asked are not a
            // failure.
            Ok(Err(failure)) if let Some(asked) = can_be_asked(&failure, asker) => {
                asked.map(Answer::InputRequired)
            }
            Ok(Err(failure)) => self.failed(failure, asker, policy),
            Err(error) => match self {
                Self::Model(_) => {
                    policy.report(asker, &error);
                    Ok(Answer::Tool(tool_error(error.message())))
                }
                Self::Code => Err(error),
            },
        }
    }

    /// The answer for a failure of the handler, or of a layer before it. If the host's code reads
    /// it, the caller logs it like every error.
    pub(crate) fn failed(
        &self,
        failure: Failure,
        asker: &Asker,
        policy: ErrorPolicy,
    ) -> Result<Answer, ProtocolError> {
        let (problems, declared) = (failure.problems(), failure.declared());
        let error = request_failed(failure, policy.masking);
        match &problems {
            Some(problems) => report_undeclared(asker, declared, problems),
            None => report_undeclared(asker, declared, error.problem()),
        }
        match visits(&error, asker) {
            Some(UrlRequestForm::Asked(result)) => return Ok(Answer::InputRequired(result)),
            Some(UrlRequestForm::Refused(error)) => return Err(error),
            Some(UrlRequestForm::Words(text)) => {
                policy.report(asker, &error);
                return Ok(Answer::Tool(tool_error(text)));
            }
            None => {}
        }
        let Self::Model(schema) = self else {
            return Err(error);
        };
        if is_for_the_host(&error) {
            return Err(error);
        }
        policy.report(asker, &error);
        let is_in_meta = schema.is_some() || !Feature::StructuredContent.is_in(asker.peer.revision);
        let result = match (problems, error.problem()) {
            (Some(problems), _) => with_object(tool_error(problems.text()), &problems, is_in_meta),
            (None, Some(problem)) => with_object(tool_error(problem.text()), problem, is_in_meta),
            (None, None) => tool_error(error.message()),
        };
        Ok(Answer::Tool(result))
    }

    /// Replaces structured output that does not match the tool's schema, because it would fail in
    /// the client, far from its cause.
    pub(crate) fn conforming(
        &self,
        mut result: CallToolResult,
        asker: &Asker,
        policy: ErrorPolicy,
    ) -> CallToolResult {
        let Self::Model(Some(schema)) = self else {
            return result;
        };
        let failures = match &result.structured_content {
            Some(output) => schema.failures(output.get()),
            // A tool that failed has no output. The examples of every revision show only its text.
            None if result.is_tool_error() => return result,
            None => vec![Mistake::new("", "it is missing")],
        };
        if failures.is_empty() {
            return result;
        }
        let why = format!("{MISMATCH}: {}", Mistake::list(&failures));
        policy.report(
            asker,
            &ProtocolError::from(Internal::Failed).with_source(why),
        );
        if result.is_tool_error() {
            // The structured content of an error must conform too (2026-07-28, Tools, "Structured
            // Content"). Otherwise some clients reject the whole result, and the model would not
            // learn why the tool failed.
            result.structured_content = None;
            return result;
        }
        // The log has the details: they concern the author, and the model could do nothing about
        // them.
        tool_error(format!("Internal error: {MISMATCH}"))
    }
}

/// Decides how to report that the user must visit URLs first, if the handler failed with that.
fn visits(error: &ProtocolError, asker: &Asker) -> Option<UrlRequestForm> {
    let ErrorKind::UrlElicitationRequired { elicitations } = error.kind() else {
        return None;
    };
    let method = asker.method?;
    Some(url_elicitation::told(error, elicitations, method, asker))
}

/// The questions that a handler ended with, or the error if the client can't answer them. `None` if
/// it asked nothing, or if its client does not support rounds.
fn can_be_asked(
    failure: &Failure,
    asker: &Asker,
) -> Option<Result<InputRequiredResult, ProtocolError>> {
    let asked = failure.asks()?;
    let can_ask = asker.method?.row().may_ask && asker.peer.revision.traits().asks_in_results;
    can_ask.then(|| check_asked(asked, &asker.peer).map(|()| asked.clone()))
}

/// The protocol error for the failure. With `masking`, an error without its own meaning becomes an
/// incident number.
pub(crate) fn request_failed(failure: Failure, masking: bool) -> ProtocolError {
    let error = match failure.meaning() {
        Meaning::Server(error) => error,
        Meaning::Protocol(error) if error.may_be_a_handlers() => error,
        // An error that only the server may report would mislead the client: it might open another
        // session, or change its revision.
        Meaning::Protocol(error) => ProtocolError::internal(error.message().into_owned()),
        Meaning::Problem(problem) => problem.to_protocol_error(),
        Meaning::Problems(problems) => problems.to_protocol_error(),
        Meaning::Text(text) => ProtocolError::internal(text.to_owned()),
        Meaning::Panic => Internal::Failed.into(),
        Meaning::Unknown(_) if masking => incident(),
        Meaning::Unknown(error) => ProtocolError::internal(error.to_string()),
    };
    error.with_source(failure.into_source())
}

/// Whether the host must act before the tool can work: declare a capability, or send the right
/// value again.
fn is_for_the_host(error: &ProtocolError) -> bool {
    matches!(
        error.kind(),
        ErrorKind::MissingRequiredClientCapability { .. }
            | ErrorKind::InvalidParams(
                InvalidParams::InvalidRequestState | InvalidParams::InvalidInputResponse { .. }
            )
    )
}

fn tool_error(text: impl Into<String>) -> CallToolResult {
    CallToolResult::new([Content::text(text)]).is_error(true)
}

/// Adds the problem as an object: as structured output, or in `_meta` if the tool declares other
/// structured output (clients check it even on errors) or the revision has none.
fn with_object(
    result: CallToolResult,
    problem: &impl Serialize,
    is_in_meta: bool,
) -> CallToolResult {
    if is_in_meta {
        let object = serde_json::to_value(problem).expect("a problem is JSON");
        return result.meta(Meta::from_iter([(PROBLEM, object)]));
    }
    result.structured_content(RawJson::encode(problem).expect("a problem is JSON"))
}
