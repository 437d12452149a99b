//! The parameters of handlers. Each is created from the call, synchronously, before the handler
//! starts.
//!
//! | argument | tools | resources | listings | prompts | completions | |
//! |---|---|---|---|---|---|---|
//! | [`Args<T>`] | yes | | | yes | | the arguments, as `T` |
//! | [`ResourceUri`] | | yes | | | | the requested URI |
//! | [`Vars<T>`] | | yes | | | | the variables of a template in that URI, as `T` |
//! | [`PartialArgument`] | | | | | yes | the text typed so far |
//! | [`State<S>`] | yes | yes | yes | yes | yes | the state passed to [`state`](super::ServerBuilder::state) |
//! | [`Task`] | yes | | | | | marks where the call becomes a task |
//! | [`Ask`] | yes | yes | | yes | | asks the client before the reply |
//! | [`ReturnedAnswers`] | yes | yes | | yes | | answers to questions that the handler itself returned |
//! | [`Context`] | yes | yes | yes | yes | yes | who is calling, and what to send before the reply: [`Progress`], log
//! messages |

mod args;
mod ask;
mod calls;
mod completing;
mod context;
mod returned;
mod state;
mod task;
mod uri;

use serde_json::Value;

pub use self::args::Args;
pub use self::ask::Ask;
#[doc(hidden)]
pub use self::calls::CallContext;
pub use self::calls::{
    Call, Channel, CompletionCall, CompletionChannel, ListingCall, ListingChannel, PromptCall,
    PromptChannel, ResourceCall, ResourceChannel, ToolCall, ToolChannel,
};
pub use self::completing::PartialArgument;
pub use self::context::{Context, Progress};
pub use self::returned::ReturnedAnswers;
pub use self::state::State;
pub use self::task::Task;
pub use self::uri::{ResourceUri, Vars};
use super::failure::Failure;
use super::state::RequiredState;
pub use super::state::States;

/// A parameter of handlers of the kind `C`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` can't be an argument of a handler of the kind `{C}`",
    label = "not an extractor of `{C}`",
    note = "all take `State<S>` and `Context`, which reports progress and logs",
    note = "tools take `Args<T>`, `Ask`, `Task` and `ReturnedAnswers` too; prompts `Args<T>`, `Ask` and `ReturnedAnswers`; completions `PartialArgument`",
    note = "resources take `ResourceUri`, `Ask` and `ReturnedAnswers` too, and those of templates `Vars<T>`"
)]
pub trait Extract<C: Channel>: Sized {
    /// The number of times that the parameter reads the arguments of the call. A handler may do so
    /// only once.
    const ARGS: usize = 0;

    /// Creates the parameter from the call.
    fn extract(call: &C::Call<'_>) -> Result<Self, Failure>;

    /// Adds the parameter's requirements on the server, which are checked when the server is built.
    fn needs(needs: &mut Needs) {
        let _ = needs;
    }
}

/// The requirements of a handler's parameters on the server.
#[derive(Clone, Debug, Default)]
pub struct Needs {
    pub(super) states: Vec<RequiredState>,
    /// The schema of the arguments.
    pub(super) args: Option<Value>,
    /// The schemas of the variables. Each must match the variables of the template.
    pub(super) vars: Vec<Value>,
    /// The names of the arguments in the order of their type, because the schema does not preserve
    /// it.
    pub(super) fields: &'static [&'static str],
    /// Whether the handler may send log messages.
    pub(super) may_log: bool,
    /// Whether the handler marks the point where its call becomes a task.
    pub(super) begins_task: bool,
}

/// All parameters of a handler, as a tuple.
#[diagnostic::on_unimplemented(
    message = "the arguments `{Self}` can't all be extracted for this kind of handler",
    note = "at most eight, each an extractor of its kind"
)]
pub trait ExtractAll<C: Channel>: Sized {
    /// The number of times that they read the arguments of the call.
    const ARGS: usize;

    /// Creates all parameters from the call.
    fn extract_all(call: &C::Call<'_>) -> Result<Self, Failure>;

    /// Adds the requirements of all parameters on the server.
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
