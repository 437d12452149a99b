//! Prompts as a program defines them. `served` has the prompts that a server serves.

mod arguments;
mod served;

use std::fmt;

use plainly_protocol::types::{self, PromptArgument};

use super::completion::Completer;
use super::declared::declare;
use super::setters::setters;
use crate::answer::{Answer, AnswerFuture};
use crate::extract::{CompletionChannel, ExtractAll, Needs, PromptCall, PromptChannel};
use crate::failure::Failure;
use crate::handler::Handler;
use crate::reply::{CompletionReply, PromptReply};

pub(crate) use self::served::Prompts;

type PromptHandler = Box<dyn Fn(&PromptCall<'_>) -> Result<AnswerFuture, Failure> + Send + Sync>;

/// A prompt for users: a handler and its description.
///
/// Its arguments are the fields of its `Args<T>`, in their order. Name, description and whether an
/// argument is required are derived from the type. Arguments arrive as text; fields that are
/// numbers, booleans or enums are parsed from it. An enum needs no completion handler.
///
/// ```
/// use plainly::server::Prompt;
/// use plainly::server::extract::{Args, PartialArgument};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Review {
///     /// The code to review.
///     code: String,
///     /// What it is written in.
///     language: Option<String>,
/// }
///
/// async fn review(Args(Review { code, language }): Args<Review>) -> String {
///     let language = language.unwrap_or_default();
///     format!("Please review:\n```{language}\n{code}\n```")
/// }
///
/// async fn languages(typed: PartialArgument) -> Vec<String> {
///     typed.matching(["c", "python", "rust"])
/// }
///
/// let prompt = Prompt::new("review", review)
///     .description("Asks for a review")
///     .complete("language", languages);
/// ```
pub struct Prompt {
    definition: types::Prompt,
    needs: Needs,
    completers: Vec<(String, Completer)>,
    get: PromptHandler,
}

impl Prompt {
    /// A prompt with this name, served by `handler`.
    pub fn new<F, A, By>(name: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<PromptChannel>,
        F::Output: PromptReply<By>,
        F::Future: Send + 'static,
    {
        const {
            assert!(
                A::ARGS <= 1,
                "a handler can take `Args` once: put all arguments into one struct"
            );
        }
        let mut needs = Needs::default();
        A::needs_of_all(&mut needs);
        let get: PromptHandler = Box::new(move |call| {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move {
                running.await.into_result().map(Answer::from)
            }))
        });
        let mut prompt = Self::of_parts(name.into(), needs, get);
        declare(&mut prompt.definition.meta, F::Output::problems());
        prompt
    }

    /// The requirements of the prompt's handler and of its completers.
    pub(super) fn all_needs(&self) -> impl Iterator<Item = &Needs> {
        let completers = self.completers.iter();
        completers
            .map(|(_, completer)| completer.needs())
            .chain([&self.needs])
    }

    fn of_parts(name: String, needs: Needs, get: PromptHandler) -> Self {
        let mut definition = types::Prompt::new(name);
        let arguments = arguments::of(&needs);
        definition.arguments = (!arguments.is_empty()).then_some(arguments);
        Self {
            definition,
            needs,
            completers: Vec::new(),
            get,
        }
    }

    setters! {
        title,
        description = "A description of its purpose.",
        icons,
        meta,
    }

    /// Completes `argument` with `handler`, while the user types it. The last handler for an
    /// argument is used.
    #[must_use]
    pub fn complete<F, A, By>(mut self, argument: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<CompletionChannel>,
        F::Output: CompletionReply<By>,
        F::Future: Send + 'static,
    {
        let completer = Completer::new(handler);
        self.completers.push((argument.into(), completer));
        self
    }

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    fn arguments(&self) -> &[PromptArgument] {
        self.definition.arguments.as_deref().unwrap_or_default()
    }
}

impl fmt::Debug for Prompt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prompt")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}
