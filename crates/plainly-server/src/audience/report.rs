//! The log of failures: one line for each failed request, with all its known data.

use std::error::Error;
use std::iter::successors;

use plainly_errors::{Dialect, ErrorKind, Internal, Problem, ProblemCode, Problems, ProtocolError};
use plainly_protocol::trace_context::TraceContext;
use serde_json::{Map, Value};

use super::Asker;
use crate::failure::incident::chain;

/// The policy for reporting errors: the error codes, and whether errors without a meaning are
/// reported in full.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ErrorPolicy {
    pub(crate) dialect: Dialect,
    /// Whether an error without its own meaning becomes an incident number.
    pub(crate) masking: bool,
}

impl ErrorPolicy {
    /// Logs the line for `error`, which ended the request of `asker`: at level error if the server
    /// is at fault, at level debug if the caller is.
    pub(crate) fn report(self, asker: &Asker, error: &ProtocolError) {
        macro_rules! line {
            ($level:ident) => {
                tracing::$level!(
                    target: "plainly::failure",
                    method = asker.method_name(),
                    name = asker.subject.as_deref(),
                    revision = %asker.peer.revision,
                    transport = asker.arrival.transport.name(),
                    principal = asker.peer.principal.as_ref().map(|one| one.as_str()),
                    trace = asker.trace().map(TraceContext::trace_id),
                    code = self.dialect.code(error, asker.peer.revision).get(),
                    problem = error.problem().map(|problem| problem.code().as_str()),
                    incident = incident(error),
                    error = cause(error),
                    context = context(error),
                    "a request failed",
                )
            };
        }
        if is_ours(error) {
            line!(error);
        } else {
            line!(debug);
        }
    }
}

/// Logs the name of a handler that failed with problems that it does not declare. If it declares
/// none, nothing is logged.
pub(super) fn report_undeclared<'a>(
    asker: &Asker,
    declared: &[ProblemCode],
    problems: impl IntoIterator<Item = &'a Problem>,
) {
    let codes = problems.into_iter().map(|problem| problem.code().as_str());
    for code in codes.filter(|_| !declared.is_empty()) {
        if declared.iter().all(|one| one.as_str() != code) {
            tracing::warn!(
                target: "plainly::failure",
                method = asker.method.map(|method| method.name()),
                name = asker.subject.as_deref(),
                problem = code,
                "a handler failed with a problem that it does not declare",
            );
        }
    }
}

/// Whether the server is at fault. For any other error the caller can correct the request, or wait.
fn is_ours(error: &ProtocolError) -> bool {
    match (error.kind(), error.problem()) {
        (_, Some(problem)) => problem.http_status() >= 500,
        (ErrorKind::Internal(_), None) => true,
        (_, None) => false,
    }
}

fn incident(error: &ProtocolError) -> Option<&str> {
    let ErrorKind::Internal(Internal::Incident { incident }) = error.kind() else {
        return None;
    };
    Some(incident)
}

/// The cause of an error. For an incident, the cause that is hidden from the peer.
fn cause(error: &ProtocolError) -> String {
    match error.source().filter(|_| incident(error).is_some()) {
        Some(cause) => chain(cause),
        None => chain(error),
    }
}

/// The context of all problems in the chain as JSON, which only the log may contain.
fn context(error: &ProtocolError) -> Option<String> {
    let chain = successors(Some(error as &(dyn Error + 'static)), |&error| {
        error.source()
    });
    let problems = chain.flat_map(|error| match Problem::downcast(error) {
        Some(problem) => vec![problem],
        None => Problems::downcast(error).into_iter().flatten().collect(),
    });
    let all = error.problem().cloned().into_iter().chain(problems);
    let all_contexts = all.map(|problem| -> Map<String, Value> {
        let context = problem.log_context().iter();
        let owned = context.map(|(name, value)| (name.to_owned(), value.clone()));
        owned.collect()
    });
    // A problem is also its own source, so repeated contexts are skipped.
    let mut contexts = Vec::new();
    for context in all_contexts {
        if !context.is_empty() && !contexts.contains(&context) {
            contexts.push(context);
        }
    }
    match contexts.len() {
        0 | 1 => contexts.pop().map(|one| Value::Object(one).to_string()),
        _ => Some(Value::from(contexts).to_string()),
    }
}
