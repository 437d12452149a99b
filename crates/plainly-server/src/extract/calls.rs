//! The kinds of handlers, and the calls that they get.

use std::sync::Arc;

use plainly_protocol::peer::Peer;
use plainly_protocol::types::Arguments;
use plainly_protocol::uri_template::Values;

use crate::asking::Subject;
use crate::request::Scope;
use crate::state::States;

/// A kind of handler. It determines which parameters and return types are possible.
pub trait Channel: 'static {
    /// The call that a handler of this kind gets.
    type Call<'a>;
}

/// Tool handlers, whose answers a model reads.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ToolChannel {}

/// Resource handlers, whose answers the host's code reads.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ResourceChannel {}

/// Handlers that list the resources of a template.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ListingChannel {}

/// Prompt handlers, whose answers the host's code reads.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum PromptChannel {}

/// Handlers that complete an argument, whose answers the host's code reads.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum CompletionChannel {}

/// A `tools/call` for a handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The arguments, which are a JSON object.
    pub arguments: &'a str,
    pub(crate) subject: Subject<'a>,
    pub(crate) scope: &'a Scope,
    pub(crate) states: &'a States,
}

/// A `resources/read` or `resources/metadata` for a handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct ResourceCall<'a> {
    /// The requested URI.
    pub uri: &'a str,
    /// The values of the template's variables in the URI; empty for a static resource.
    pub variables: &'a Values,
    /// The subject; `None` if the request can't be answered with questions.
    pub(crate) subject: Option<Subject<'a>>,
    pub(crate) scope: &'a Scope,
    pub(crate) states: &'a States,
}

impl<'a> ResourceCall<'a> {
    /// A copy with these variables.
    pub(crate) fn with(&self, variables: &'a Values) -> Self {
        Self { variables, ..*self }
    }
}

/// A `resources/list` for the handler of a template.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListingCall<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) states: &'a States,
}

impl<'a> ListingCall<'a> {
    /// A call of the same peer for one resource.
    pub(crate) fn of(&self, uri: &'a str, variables: &'a Values) -> ResourceCall<'a> {
        ResourceCall {
            uri,
            variables,
            subject: None,
            scope: self.scope,
            states: self.states,
        }
    }
}

/// A `prompts/get` for a handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct PromptCall<'a> {
    /// The arguments of the prompt.
    pub arguments: &'a Arguments,
    pub(crate) subject: Subject<'a>,
    pub(crate) scope: &'a Scope,
    pub(crate) states: &'a States,
}

/// A `completion/complete` for a handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct CompletionCall<'a> {
    /// The text of the argument so far.
    pub text: &'a str,
    /// The other arguments that are already filled in.
    pub others: &'a Arguments,
    pub(crate) scope: &'a Scope,
    pub(crate) states: &'a States,
}

/// The common interface of all kinds of calls.
pub trait Call {
    /// The client that sent the request.
    fn peer(&self) -> &Arc<Peer> {
        self.context().scope.peer()
    }
    #[doc(hidden)]
    fn context(&self) -> CallContext<'_>;
}

/// The context of a call of any kind, for internal use.
#[derive(Clone, Copy, Debug)]
pub struct CallContext<'a> {
    pub(crate) scope: &'a Scope,
    pub(super) states: &'a States,
}

macro_rules! channels {
    ($($channel:ident: $call:ident),*) => {$(
        impl Channel for $channel {
            type Call<'a> = $call<'a>;
        }

        impl Call for $call<'_> {
            fn context(&self) -> CallContext<'_> {
                CallContext {
                    scope: self.scope,
                    states: self.states,
                }
            }
        }
    )*};
}

channels! {
    ToolChannel: ToolCall,
    ResourceChannel: ResourceCall,
    ListingChannel: ListingCall,
    PromptChannel: PromptCall,
    CompletionChannel: CompletionCall
}
