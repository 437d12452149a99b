//! The names that may be labels of metrics and spans: methods of the protocol, and tools and
//! prompts that the server has. A caller can't create labels.

use std::sync::{Arc, PoisonError, RwLock};

use foldhash::HashSet;
use plainly_protocol::method::Method;
use plainly_server::{Operation, OperationOutcome};

use crate::conventions::OTHER;

/// The maximum number of known names. Later ones become `_OTHER`.
const MOST: usize = 1_000;

/// The tools and prompts that have served a request. The server can't list them, because a source
/// may have any number of them.
#[derive(Debug, Default)]
pub(crate) struct KnownNames(RwLock<HashSet<Arc<str>>>);

/// The target of an operation, with names that may be labels.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The method; `_OTHER` if the protocol has none with this name.
    pub(crate) method: &'static str,
    /// The tool, if the operation concerns one; `_OTHER` if the server does not have it.
    pub(crate) tool: Option<Arc<str>>,
    /// The prompt, if the operation concerns one; `_OTHER` if the server does not have it.
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

    /// The name, if a tool or prompt has it; otherwise `_OTHER`.
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
        // An error proves nothing, because a layer may have rejected the request before the name
        // was looked up.
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
