//! What a handler may take as arguments. Each is made from the call, synchronously, before the handler starts.
//!
//! | argument | tools | resources | listings | prompts | completions | |
//! |---|---|---|---|---|---|---|
//! | [`Args<T>`] | yes | | | yes | | the arguments, as `T` |
//! | [`ResourceUri`] | | yes | | | | the URI that was asked for |
//! | [`Vars<T>`] | | yes | | | | the variables of a template in that URI, as `T` |
//! | [`Completing`] | | | | | yes | what was typed so far |
//! | [`State<S>`] | yes | yes | yes | yes | yes | what [`state`](super::ServerBuilder::state) was given |
//! | [`Task`] | yes | | | | | from where on the call is a task |
//! | [`Ask`] | yes | yes | | yes | | asks the client before the reply |
//! | [`Returned`] | yes | yes | | yes | | what came back of questions that the handler returned itself |
//! | [`Context`] | yes | yes | yes | yes | yes | who asks, and what they are told before the reply: [`Progress`], log messages |

mod args;
mod ask;
mod completing;
mod context;
mod returned;
mod state;
mod task;
mod uri;
mod vars;

use std::sync::Arc;

use plainly_protocol::peer::Peer;
use plainly_protocol::types::Arguments;
use plainly_protocol::uri_template::Values;
use serde_json::Value;

pub use self::args::Args;
pub(super) use self::args::schema_of;
pub use self::ask::Ask;
pub use self::completing::Completing;
pub use self::context::{Context, Progress};
pub use self::returned::Returned;
pub use self::state::State;
pub use self::task::Task;
pub use self::uri::ResourceUri;
pub use self::vars::Vars;
use super::asking::Subject;
use super::failure::Failure;
use super::request::Scope;
use super::state::Needed;
pub use super::state::States;

/// A kind of handler. It decides what can be extracted and what can be returned.
pub trait Channel: 'static {
    /// What a handler of this kind is called with.
    type Call<'a>;
}

/// Tool handlers: they answer to a model.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ToolChannel {}

impl Channel for ToolChannel {
    type Call<'a> = ToolCall<'a>;
}

/// Resource handlers: they answer to the host's code.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ResourceChannel {}

impl Channel for ResourceChannel {
    type Call<'a> = ResourceCall<'a>;
}

/// Handlers that list the resources of a template.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum ListingChannel {}

impl Channel for ListingChannel {
    type Call<'a> = ListingCall<'a>;
}

/// Handlers of prompts: they answer to the host's code.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum PromptChannel {}

impl Channel for PromptChannel {
    type Call<'a> = PromptCall<'a>;
}

/// Handlers that complete an argument: they answer to the host's code.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum CompletionChannel {}

impl Channel for CompletionChannel {
    type Call<'a> = CompletionCall<'a>;
}

/// A `tools/call` on its way to its handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// The arguments: a JSON object, checked to be one.
    pub arguments: &'a str,
    pub(super) subject: Subject<'a>,
    pub(super) scope: &'a Scope,
    pub(super) states: &'a States,
}

/// A `resources/read` or `resources/metadata` on its way to its handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct ResourceCall<'a> {
    /// The URI as asked for.
    pub uri: &'a str,
    /// What the variables of its template stand for in it; of a static resource none.
    pub variables: &'a Values,
    /// Nothing where it can't be answered with questions.
    pub(super) subject: Option<Subject<'a>>,
    pub(super) scope: &'a Scope,
    pub(super) states: &'a States,
}

impl<'a> ResourceCall<'a> {
    /// The same with these variables.
    pub(super) fn with(&self, variables: &'a Values) -> Self {
        Self { variables, ..*self }
    }
}

/// A `resources/list` on its way to the handler of a template.
#[derive(Debug)]
#[non_exhaustive]
pub struct ListingCall<'a> {
    pub(super) scope: &'a Scope,
    pub(super) states: &'a States,
}

/// A `prompts/get` on its way to its handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct PromptCall<'a> {
    /// What the prompt is filled in with.
    pub arguments: &'a Arguments,
    pub(super) subject: Subject<'a>,
    pub(super) scope: &'a Scope,
    pub(super) states: &'a States,
}

impl<'a> ListingCall<'a> {
    /// The same peer asks for one resource.
    pub(super) fn of(&self, uri: &'a str, variables: &'a Values) -> ResourceCall<'a> {
        ResourceCall {
            uri,
            variables,
            subject: None,
            scope: self.scope,
            states: self.states,
        }
    }
}

/// A `completion/complete` on its way to its handler.
#[derive(Debug)]
#[non_exhaustive]
pub struct CompletionCall<'a> {
    /// The argument so far.
    pub text: &'a str,
    /// The other arguments that are filled in.
    pub others: &'a Arguments,
    pub(super) scope: &'a Scope,
    pub(super) states: &'a States,
}

/// What all kinds of call have.
pub trait Call {
    /// Who asks.
    fn peer(&self) -> &Arc<Peer> {
        self.within().0.peer()
    }
    #[doc(hidden)]
    fn within(&self) -> Within<'_>;
    #[doc(hidden)]
    fn states(&self) -> &States;
}

/// What a call is served within: the framework's own.
#[derive(Debug)]
pub struct Within<'a>(pub(super) &'a Scope);

impl Call for ToolCall<'_> {
    fn within(&self) -> Within<'_> {
        Within(self.scope)
    }
    fn states(&self) -> &States {
        self.states
    }
}

impl Call for ResourceCall<'_> {
    fn within(&self) -> Within<'_> {
        Within(self.scope)
    }
    fn states(&self) -> &States {
        self.states
    }
}

impl Call for ListingCall<'_> {
    fn within(&self) -> Within<'_> {
        Within(self.scope)
    }
    fn states(&self) -> &States {
        self.states
    }
}

impl Call for PromptCall<'_> {
    fn within(&self) -> Within<'_> {
        Within(self.scope)
    }
    fn states(&self) -> &States {
        self.states
    }
}

impl Call for CompletionCall<'_> {
    fn within(&self) -> Within<'_> {
        Within(self.scope)
    }
    fn states(&self) -> &States {
        self.states
    }
}

/// An argument of handlers of the kind `C`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an argument of a handler of the kind `{C}`",
    label = "not an extractor of `{C}`",
    note = "all take `State<S>` and `Context`, which tells of progress and logs",
    note = "tools take `Args<T>`, `Ask`, `Task` and `Returned` too; prompts `Args<T>`, `Ask` and `Returned`; completions `Completing`",
    note = "resources take `ResourceUri`, `Ask` and `Returned` too, and those of templates `Vars<T>`"
)]
pub trait Extract<C: Channel>: Sized {
    /// How often it takes the arguments of the call. A handler may do so once in all.
    const ARGS: usize = 0;

    /// Makes it from the call.
    fn extract(call: &C::Call<'_>) -> Result<Self, Failure>;

    /// What it needs of the server, to be checked when that is built.
    fn needs(needs: &mut Needs) {
        let _ = needs;
    }
}

/// What the arguments of a handler need of the server.
#[derive(Debug, Default)]
pub struct Needs {
    pub(super) states: Vec<Needed>,
    /// The schema of the arguments.
    pub(super) args: Option<Value>,
    /// The schemas of the variables: each must be those of the template.
    pub(super) vars: Vec<Value>,
    /// The names of the arguments in the order of their type, where the schema has lost it.
    pub(super) fields: &'static [&'static str],
    /// It may send log messages.
    pub(super) may_log: bool,
    /// Whether it says from where on it is a task.
    pub(super) begins_task: bool,
}

/// All arguments of a handler, as a tuple.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Self}` can't all be extracted for this kind of handler",
    note = "at most eight, each an extractor of its kind"
)]
pub trait ExtractAll<C: Channel>: Sized {
    /// How often they take the arguments of the call.
    const ARGS: usize;

    /// Makes all of them from the call.
    fn extract_all(call: &C::Call<'_>) -> Result<Self, Failure>;

    /// What they need of the server.
    fn needs_of_all(needs: &mut Needs);
}

macro_rules! extract_tuple {
    ($($part:ident),*) => {
        impl<C: Channel, $($part: Extract<C>),*> ExtractAll<C> for ($($part,)*) {
            const ARGS: usize = 0 $(+ $part::ARGS)*;

            #[expect(clippy::allow_attributes, reason = "the empty tuple leaves its parameters unused")]
            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn extract_all(call: &C::Call<'_>) -> Result<Self, Failure> {
                Ok(($($part::extract(call)?,)*))
            }

            #[expect(clippy::allow_attributes, reason = "the empty tuple leaves its parameters unused")]
            #[allow(unused_variables, reason = "the empty tuple has no parts")]
            fn needs_of_all(needs: &mut Needs) {
                $($part::needs(needs);)*
            }
        }
    };
}

extract_tuple!();
extract_tuple!(A1);
extract_tuple!(A1, A2);
extract_tuple!(A1, A2, A3);
extract_tuple!(A1, A2, A3, A4);
extract_tuple!(A1, A2, A3, A4, A5);
extract_tuple!(A1, A2, A3, A4, A5, A6);
extract_tuple!(A1, A2, A3, A4, A5, A6, A7);
extract_tuple!(A1, A2, A3, A4, A5, A6, A7, A8);
