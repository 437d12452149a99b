//! The names that may label metrics and spans: methods of the protocol, and tools and prompts that
//! the server has, so that a caller can't make labels.

use std::sync::{Arc, PoisonError, RwLock};

use foldhash::HashSet;
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
        // An error proves nothing: a layer may have refused the request before anything looked for the name.
        let is_there = matches!(
            operation.outcome,
            OperationOutcome::Served | OperationOutcome::ToolFailed
        );
        if !has_room || !is_there {
            return OTHER.into();
        }
        let name = Arc::<str>::from(name);
        let mut names = self.0.write().unwrap_or_else(PoisonError::into_inner);
        names.insert(Arc::clone(&name));
        name
    }
}
