//! The names that may label metrics and spans: methods of the protocol, and tools and prompts that
//! the server has, so that a caller can't make labels.

use std::sync::{Arc, PoisonError, RwLock};

use foldhash::HashSet;
use plainly_errors::{ErrorKind, Fault, InvalidParams};
use plainly_protocol::method::Method;
use plainly_server::{Operation, OperationOutcome};

use crate::conventions::OTHER;

/// The most names that are known; later ones are `_OTHER`.
const MOST: usize = 1_000;

/// The tools and prompts that have served a request. The server can't list them, because a source
/// may have any.
#[derive(Debug, Default)]
pub(crate) struct KnownNames(RwLock<HashSet<Arc<str>>>);

/// The target of an operation, as far as its names may be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The method; `_OTHER` if the protocol has none of this name.
    pub(crate) method: &'static str,
    /// The tool, if it is about one; `_OTHER` if the server does not have it.
    pub(crate) tool: Option<Arc<str>>,
    /// The prompt, likewise.
    pub(crate) prompt: Option<Arc<str>>,
}

impl KnownNames {
    pub(crate) fn target(&self, operation: &Operation<'_>) -> Target {
        let method = operation.method.and_then(Method::named);
        let name = |of| (method == Some(of)).then(|| self.known(operation));
        Target {
            method: method.map_or(OTHER, Method::name),
            tool: name(Method::CallTool),
            prompt: name(Method::GetPrompt),
        }
    }

    /// The name, if a tool or prompt has it.
    fn known(&self, operation: &Operation<'_>) -> Arc<str> {
        let Some(name) = operation.name else {
            return OTHER.into();
        };
        let names = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = names.get(name) {
            return Arc::clone(name);
        }
        let has_room = names.len() < MOST;
        drop(names);
        if !has_room || !proves_name(&operation.outcome) {
            return OTHER.into();
        }
        let name = Arc::<str>::from(name);
        let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
        names.insert(Arc::clone(&name));
        name
    }
}

/// Whether only a request for what the server has can end like that: served, or failed by the
/// handler's fault.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "no other outcome proves anything"
)]
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
