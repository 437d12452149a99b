//! The names that may label metrics and spans: methods of the protocol, and tools and prompts that
//! the server has, so that a caller can't make labels.

use std::collections::HashSet;
use std::sync::{PoisonError, RwLock};

use plainly_errors::{ErrorKind, Fault, InvalidParams};
use plainly_protocol::method::Method;
use plainly_server::{Operation, OperationOutcome};

use crate::conventions::OTHER;

/// The most names that are known; later ones are `_OTHER`.
const MOST: usize = 1_000;

/// The tools and prompts that have served a request. The server can't list them, because a source
/// may have any.
#[derive(Debug, Default)]
pub(crate) struct KnownNames(RwLock<HashSet<String>>);

/// The target of an operation, as far as its names may be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The method; `_OTHER` if the protocol has none of this name.
    pub(crate) method: &'static str,
    /// The tool, if it is about one; `_OTHER` if the server does not have it.
    pub(crate) tool: Option<String>,
    /// The prompt, likewise.
    pub(crate) prompt: Option<String>,
}

impl KnownNames {
    pub(crate) fn target(&self, operation: &Operation<'_>) -> Target {
        let method = operation.method.and_then(Method::named);
        let name = || Some(self.known(operation).to_owned());
        Target {
            method: method.map_or(OTHER, Method::name),
            tool: (method == Some(Method::CallTool)).then(name).flatten(),
            prompt: (method == Some(Method::GetPrompt)).then(name).flatten(),
        }
    }

    /// The name, if a tool or prompt has it.
    fn known<'a>(&self, operation: &Operation<'a>) -> &'a str {
        let Some(name) = operation.name else {
            return OTHER;
        };
        if self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(name)
        {
            return name;
        }
        if !proves_name(&operation.outcome) {
            return OTHER;
        }
        let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if names.len() >= MOST {
            return OTHER;
        }
        names.insert(name.to_owned());
        name
    }
}

/// Whether only a request for what the server has can end like that: served, or failed by the
/// handler's fault.
fn proves_name(outcome: &OperationOutcome<'_>) -> bool {
    match outcome {
        OperationOutcome::Served | OperationOutcome::ToolFailed => true,
        OperationOutcome::Refused { error, .. } => {
            let is_unknown = matches!(
                error.kind(),
                ErrorKind::InvalidParams(
                    InvalidParams::UnknownTool { .. } | InvalidParams::UnknownPrompt { .. }
                )
            );
            // A server that is full or stopping refuses before it looks for the name.
            let is_unavailable = matches!(error.kind(), ErrorKind::Unavailable(_));
            error.fault() == Fault::Server && !is_unknown && !is_unavailable
        }
        _ => false,
    }
}
