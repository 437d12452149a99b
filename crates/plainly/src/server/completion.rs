//! Completion: for each argument of whatever can be completed, what it can become. Knows of no prompt and no template:
//! those add their arguments here when the server is built.

use std::collections::HashMap;
use std::fmt;
use std::future::ready;

use plainly_errors::ProtocolError;
use plainly_protocol::types::{CompleteResult, Completion, Reference};

use super::answer::{Answer, AnswerFuture};
use super::extract::{Completing, CompletionCall, CompletionChannel, Extract, ExtractAll, Needs};
use super::failure::Failure;
use super::handler::Handler;
use super::prompts::unknown_prompt;
use super::reply::CompletionReply;

type Call = Box<dyn Fn(&CompletionCall<'_>) -> Result<AnswerFuture, Failure> + Send + Sync>;

/// What an argument can become: a handler.
pub(super) struct Completer {
    needs: Needs,
    call: Call,
}

impl Completer {
    pub(super) fn new<F, A, By>(handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<CompletionChannel>,
        F::Output: CompletionReply<By>,
        F::Future: Send + 'static,
    {
        let mut needs = Needs::default();
        A::needs_of_all(&mut needs);
        let call = move |call: &CompletionCall<'_>| -> Result<AnswerFuture, Failure> {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move {
                running.await.into_completion().map(answer)
            }))
        };
        Self {
            needs,
            call: Box::new(call),
        }
    }

    /// One of these values.
    pub(super) fn one_of(values: Vec<String>) -> Self {
        let call = move |call: &CompletionCall<'_>| -> Result<AnswerFuture, Failure> {
            let matching = Completing::extract(call)?.matching(&values);
            Ok(Box::pin(ready(matching.into_completion().map(answer))))
        };
        Self {
            needs: Needs::default(),
            call: Box::new(call),
        }
    }

    pub(super) fn needs(&self) -> &Needs {
        &self.needs
    }
}

impl fmt::Debug for Completer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completer").finish_non_exhaustive()
    }
}

/// An argument, and how it is completed, if it is.
pub(super) type Argument = (String, Option<Completer>);

/// The arguments of these names, each with what completes it: what was declared for it last, or one of the values that it
/// can have.
pub(super) fn completed<'a>(
    names: impl Iterator<Item = &'a str>,
    mut declared: Vec<(String, Completer)>,
    values: impl Fn(&str) -> Option<Vec<String>>,
) -> Vec<Argument> {
    let arguments = names.map(|name| {
        let completer = match declared.iter().rposition(|(it, _)| it == name) {
            Some(position) => Some(declared.swap_remove(position).1),
            None => values(name).map(Completer::one_of),
        };
        (name.to_owned(), completer)
    });
    arguments.collect()
}

/// Everything that can be completed.
#[derive(Debug, Default)]
pub(super) struct Completions(HashMap<Reference, Vec<Argument>>);

impl Completions {
    /// All arguments of what `reference` names, those that nothing completes among them.
    pub(super) fn add(&mut self, reference: Reference, arguments: Vec<Argument>) {
        self.0.insert(reference, arguments);
    }

    /// Whether nothing is ever completed.
    pub(super) fn is_empty(&self) -> bool {
        let mut arguments = self.0.values().flatten();
        arguments.all(|(_, completer)| completer.is_none())
    }

    /// Starts completing `argument` of what `reference` names.
    pub(super) fn complete(
        &self,
        reference: &Reference,
        argument: &str,
        call: &CompletionCall<'_>,
    ) -> Result<AnswerFuture, ProtocolError> {
        let arguments = self.0.get(reference).ok_or_else(|| unknown(reference))?;
        let (_, completer) = arguments
            .iter()
            .find(|(name, _)| name == argument)
            .ok_or_else(|| unknown_argument(arguments))?;
        Ok(match completer {
            Some(completer) => {
                (completer.call)(call).unwrap_or_else(|failure| Box::pin(ready(Err(failure))))
            }
            None => Box::pin(ready(Ok(answer(Completion::default())))),
        })
    }
}

/// No more values than may go over the wire, and a word of it if there are more.
fn answer(mut completion: Completion) -> Answer {
    let count = completion.values.len();
    if count > Completion::MOST {
        completion.values.truncate(Completion::MOST);
        completion.total.get_or_insert(count as u64);
        completion.has_more = Some(true);
    }
    Answer::Complete(CompleteResult::new(completion))
}

fn unknown(reference: &Reference) -> ProtocolError {
    match reference {
        Reference::Prompt { name } => unknown_prompt(name),
        Reference::Resource { .. } => {
            ProtocolError::invalid_params("Unknown reference: there is no such resource template")
        }
    }
}

fn unknown_argument(arguments: &[Argument]) -> ProtocolError {
    let names: Vec<_> = arguments.iter().map(|(name, _)| name.as_str()).collect();
    ProtocolError::invalid_params(match names.is_empty() {
        true => "Unknown argument: there is none".to_owned(),
        false => format!("Unknown argument: known are {}", names.join(", ")),
    })
}
