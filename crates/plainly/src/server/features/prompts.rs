//! Prompts: their definition. What becomes of it on a server is in `served`.

mod arguments;
mod methods;
mod served;

use std::fmt;

use plainly_protocol::types::{self, Icon, Meta, PromptArgument};

use super::completion::Completer;
use crate::server::answer::{Answer, AnswerFuture};
use crate::server::extract::{CompletionChannel, ExtractAll, Needs, PromptCall, PromptChannel};
use crate::server::failure::Failure;
use crate::server::handler::Handler;
use crate::server::reply::{CompletionReply, PromptReply};

pub(in crate::server) use self::arguments::values;
pub(in crate::server) use self::served::{Prompts, ServedPrompt};

type Get = Box<dyn Fn(&PromptCall<'_>) -> Result<AnswerFuture, Failure> + Send + Sync>;

/// A prompt: a handler, and what is said of it.
///
/// Its arguments are the fields of its `Args<T>`, in their order: name, description and whether it must be given follow from
/// the type. They come as text; fields that are numbers, truth values or enums are read from it. An enum completes itself.
///
/// ```
/// use plainly::server::Prompt;
/// use plainly::server::extract::{Args, Completing};
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
/// async fn languages(typed: Completing) -> Vec<String> {
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
    get: Get,
}

impl Prompt {
    /// A prompt of this name, served by `handler`.
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
        let get = move |call: &PromptCall<'_>| -> Result<AnswerFuture, Failure> {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move {
                running.await.into_result().map(Answer::GetPrompt)
            }))
        };
        Self::of_parts(name.into(), needs, Box::new(get))
    }

    /// What its handlers need.
    pub(in crate::server) fn all_needs(&self) -> impl Iterator<Item = &Needs> {
        let completers = self.completers.iter();
        completers
            .map(|(_, completer)| completer.needs())
            .chain([&self.needs])
    }

    fn of_parts(name: String, needs: Needs, get: Get) -> Self {
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

    /// What it is called in front of people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// What it is for.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// Images for it.
    #[must_use]
    pub fn icons(mut self, icons: impl Into<Vec<Icon>>) -> Self {
        self.definition.icons = Some(icons.into());
        self
    }

    /// Metadata of its definition.
    #[must_use]
    pub fn meta(mut self, meta: Meta) -> Self {
        self.definition.meta = Some(meta);
        self
    }

    /// Completes `argument` by `handler`, while a person types it. The last one for an argument counts.
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

    pub(in crate::server) fn name(&self) -> &str {
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
