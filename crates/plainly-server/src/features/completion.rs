//! Completion of arguments while the user types them. Independent of prompts and templates, which
//! both convert their arguments to the types of this module.

use std::fmt;
use std::future::ready;

use plainly_errors::ProtocolError;
use plainly_protocol::types::{CompleteResult, Completion};
use serde_json::Value;

use super::values;
use crate::answer::{Answer, AnswerFuture, MethodResult};
use crate::extract::{
    CompletionCall, CompletionChannel, Extract, ExtractAll, Needs, PartialArgument,
};
use crate::failure::Failure;
use crate::handler::Handler;
use crate::mistakes;
use crate::reply::CompletionReply;

type CompletionHandler =
    Box<dyn Fn(&CompletionCall<'_>) -> Result<AnswerFuture, Failure> + Send + Sync>;

/// A handler that completes one argument.
pub(super) struct Completer {
    needs: Needs,
    call: CompletionHandler,
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
        let call: CompletionHandler = Box::new(move |call| {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move {
                running.await.into_completion().map(answer)
            }))
        });
        Self { needs, call }
    }

    /// Completes to one of these values.
    pub(super) fn one_of(values: Vec<String>) -> Self {
        let call: CompletionHandler = Box::new(move |call| {
            let matching = PartialArgument::extract(call)?.matching(&values);
            Ok(Box::pin(ready(matching.into_completion().map(answer))))
        });
        let needs = Needs::default();
        Self { needs, call }
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

/// The arguments of one prompt or template, each with its completer, if it has one.
#[derive(Debug, Default)]
pub(super) struct Completers(Vec<(String, Option<Completer>)>);

impl Completers {
    /// The arguments with these names, each with its completer: the last one declared for it, or
    /// otherwise the values that the first of these schemas lists for it.
    pub(super) fn new<'a>(
        names: impl Iterator<Item = &'a str>,
        mut declared: Vec<(String, Completer)>,
        schemas: &[Value],
    ) -> Self {
        let arguments = names.map(|name| {
            let completer = match declared.iter().rposition(|(it, _)| it == name) {
                Some(position) => Some(declared.swap_remove(position).1),
                None => {
                    let mut listed = schemas.iter();
                    let listed = listed.find_map(|schema| values::of_member(schema, name));
                    listed.map(Completer::one_of)
                }
            };
            (name.to_owned(), completer)
        });
        Self(arguments.collect())
    }

    /// Whether any argument has a completer.
    pub(super) fn can_complete(&self) -> bool {
        self.0.iter().any(|(_, completer)| completer.is_some())
    }

    /// Starts the completion of `argument`.
    pub(super) fn complete(
        &self,
        argument: &str,
        call: &CompletionCall<'_>,
    ) -> Result<AnswerFuture, ProtocolError> {
        let mut arguments = self.0.iter();
        let found = arguments.find(|(name, _)| name == argument);
        let (_, completer) = found.ok_or_else(|| self.unknown(argument))?;
        Ok(match completer {
            Some(completer) => {
                (completer.call)(call).unwrap_or_else(|failure| Box::pin(ready(Err(failure))))
            }
            None => Box::pin(ready(Ok(answer(Completion::default())))),
        })
    }

    fn unknown(&self, argument: &str) -> ProtocolError {
        let names = self.0.iter().map(|(name, _)| name.as_str()).collect();
        mistakes::unknown("/argument/name", argument, "argument", names)
    }
}

/// The result, cut to the number of values that the protocol allows, and marked if there are more.
fn answer(mut completion: Completion) -> Answer {
    let count = completion.values.len();
    if count > Completion::MOST {
        completion.values.truncate(Completion::MOST);
        completion.total.get_or_insert(count as u64);
        completion.has_more = Some(true);
    }
    MethodResult::new(CompleteResult::new(completion), None).into()
}
