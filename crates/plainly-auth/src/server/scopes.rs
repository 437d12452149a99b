//! The scopes that a token must have: for every request, for a method, for a tool, and by the
//! program's own rule.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use http::HeaderMap;
use plainly_errors::ProtocolError;
use plainly_protocol::envelope::{Message, Request};
use plainly_protocol::method::{Method, methods};

use super::caller::Caller;
use super::challenge::{Challenger, Denial};
use plainly_server::Permissions;

type Rule = dyn Fn(&ScopedRequest<'_>, &Caller) -> Vec<String> + Send + Sync;

/// The scopes that requests require.
#[derive(Clone, Default)]
pub(super) struct ScopeRules {
    pub(super) always: Vec<String>,
    pub(super) methods: Vec<(Method, Vec<String>)>,
    pub(super) tools: BTreeMap<String, Vec<String>>,
    pub(super) rule: Option<Arc<Rule>>,
}

/// A request whose required scopes are determined.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScopedRequest<'a> {
    /// The method, as the client wrote it.
    pub method: &'a str,
    /// The subject: the name of a tool or a prompt, the URI of a resource, the id of a task.
    pub subject: Option<&'a str>,
    /// The parameters, as JSON.
    pub params: Option<&'a str>,
}

impl ScopeRules {
    /// All of these scopes, if the caller lacks any.
    fn lacking(needed: &[String], caller: &Caller) -> Option<Vec<String>> {
        let lacks = needed.iter().any(|scope| !caller.has_scope(scope));
        lacks.then(|| needed.to_vec())
    }

    /// The scopes that every request requires, if the caller lacks any.
    pub(super) fn lacking_always(&self, caller: &Caller) -> Option<Vec<String>> {
        Self::lacking(&self.always, caller)
    }

    /// Whether some requests require more scopes than others.
    pub(super) fn look_at_messages(&self) -> bool {
        !self.methods.is_empty() || !self.tools.is_empty() || self.rule.is_some()
    }

    /// All scopes that this request requires.
    fn needed(&self, request: &Request<'_>, caller: &Caller) -> Vec<String> {
        let row = methods().iter().find(|row| row.name == request.method);
        let method = row.map(|row| row.method);
        let subject = row.and_then(|row| request.params.as_ref()?.text(row.subject?));
        let mut needed = self.always.clone();
        let of_method = self.methods.iter().filter(|(of, _)| Some(*of) == method);
        needed.extend(of_method.flat_map(|(_, scopes)| scopes).cloned());
        if method == Some(Method::CallTool)
            && let Some(scopes) = subject.as_ref().and_then(|name| self.tools.get(&**name))
        {
            needed.extend_from_slice(scopes);
        }
        if let Some(rule) = &self.rule {
            let request = ScopedRequest {
                method: &request.method,
                subject: subject.as_deref(),
                params: request.params.as_ref().map(|params| params.raw()),
            };
            needed.extend(rule(&request, caller));
        }
        let mut seen = std::collections::HashSet::new();
        needed.retain(|scope| seen.insert(scope.clone()));
        needed
    }
}

impl fmt::Debug for ScopeRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScopeRules")
            .field("always", &self.always)
            .field("methods", &self.methods)
            .field("tools", &self.tools)
            .finish_non_exhaustive()
    }
}

/// The rights of a caller, which are among the extensions of a request that the gate accepted.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) caller: Caller,
    pub(super) rules: Arc<ScopeRules>,
    pub(super) challenges: Arc<Challenger>,
}

impl Permissions for Access {
    fn refuses(&self, message: &Message<'_>) -> Option<(ProtocolError, HeaderMap)> {
        let Message::Request(request) = message else {
            return None;
        };
        let needed = self.rules.needed(request, &self.caller);
        let lacking = ScopeRules::lacking(&needed, &self.caller)?;
        let away = self.challenges.answer(&Denial::InsufficientScope(lacking));
        Some((away.error, away.headers))
    }
}
