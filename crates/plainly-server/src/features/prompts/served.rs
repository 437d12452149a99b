//! The prompts of a server: checked when they are added, listed, and rendered on request.

use std::future::ready;
use std::sync::Arc;

use plainly_errors::mistake::quoted;
use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{Arguments, ListPromptsParams, ListPromptsResult};
use plainly_schema::Schema;
use serde_json::json;

use super::Prompt;
use crate::answer::AnswerFuture;
use crate::extract::PromptCall;
use crate::failure::Failure;
use crate::features::catalogue::{Catalogue, Definition, Item};
use crate::features::completion::Completers;
use crate::features::cursor::CursorsOf;
use crate::features::error::{BuildError, check_needs};
use crate::features::values::is_composite_member;
use crate::limits::Limits;
use crate::state::States;
use crate::{mistakes, texts};

/// The maximum length of a prompt's name in bytes. The specification has no limit, but errors
/// repeat unknown names.
const LONGEST_NAME: usize = 128;

/// The prompts of a server.
pub(crate) type Prompts = Catalogue<ServedPrompt>;

/// A prompt that passed all checks and can be requested.
#[derive(Debug)]
pub(crate) struct ServedPrompt {
    prompt: Prompt,
    /// The schema of the arguments, if the handler has any.
    schema: Option<Schema>,
    completers: Completers,
}

impl Item for ServedPrompt {
    fn name(&self) -> &str {
        self.prompt.name()
    }
}

impl Prompts {
    pub(in crate::features) fn list(
        &self,
        params: &ListPromptsParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListPromptsResult, ProtocolError> {
        let after = params.cursor.as_ref();
        let page = self.page("prompts/list", cursors, after, limit, |served| {
            served.prompt.definition.clone()
        });
        let (page, next) = page?;
        let mut result = ListPromptsResult::new(page);
        result.next_cursor = next;
        Ok(result)
    }

    /// Whether any prompt has a completer, or may have one later.
    pub(crate) fn can_complete(&self) -> bool {
        self.is_dynamic() || self.any(|served| served.completers.can_complete())
    }

    /// The prompt `name`.
    pub(in crate::features) fn find(&self, name: &str) -> Result<Arc<ServedPrompt>, ProtocolError> {
        self.get(name).ok_or_else(|| self.unknown(name))
    }

    /// The error for a prompt that does not exist.
    fn unknown(&self, name: &str) -> ProtocolError {
        let unknown = ProtocolError::from(InvalidParams::UnknownPrompt {
            name: quoted(name).into_owned(),
        });
        let message = match name.len() > LONGEST_NAME {
            true => format!("Unknown prompt: no name has more than {LONGEST_NAME} bytes"),
            false => format!("{}{}", unknown.message(), self.did_you_mean(name)),
        };
        unknown.with_message(message)
    }
}

impl Definition for Prompt {
    type Served = ServedPrompt;

    const DYNAMIC_OPTION: &'static str = "dynamic_prompts()";

    fn subject(&self) -> String {
        format!("prompt {}", self.name())
    }

    fn check(
        mut self,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<ServedPrompt> {
        let subject = self.subject();
        let before = errors.len();
        if !(1..=LONGEST_NAME).contains(&self.name().len()) {
            let problem = format!("needs a name of 1 to {LONGEST_NAME} bytes");
            errors.push(BuildError::new(&subject, problem));
        }
        let schema = self.needs.args.clone();
        let schema = schema
            .map(|schema| Schema::new(schema, &limits.schema()))
            .transpose();
        let schema = schema.unwrap_or_else(|why| {
            let problem = format!("has arguments whose schema is invalid: {why}");
            errors.push(BuildError::new(&subject, problem));
            None
        });
        check_needs(&subject, &self.needs, states, errors);
        if let Some(root) = &self.needs.args {
            let arguments = self.arguments().iter().map(|argument| &argument.name);
            for name in arguments.filter(|name| is_composite_member(root, name)) {
                let problem = format!(
                    "has the argument {name}, which is a list or an object: hosts send text"
                );
                errors.push(BuildError::new(&subject, problem));
            }
        }
        let completers = std::mem::take(&mut self.completers);
        for (argument, completer) in &completers {
            let completing = format!("{subject}, completing {argument},");
            check_needs(&completing, completer.needs(), states, errors);
            if !self.arguments().iter().any(|it| it.name == *argument) {
                let problem = format!("completes {argument}, which is not one of its arguments");
                errors.push(BuildError::new(&subject, problem));
            }
        }
        let names = self.arguments().iter().map(|argument| &*argument.name);
        let completers = Completers::new(names, completers, self.needs.args.as_slice());
        (errors.len() == before).then_some(ServedPrompt {
            prompt: self,
            schema,
            completers,
        })
    }
}

impl ServedPrompt {
    /// The arguments of the prompt, with the handlers that complete them.
    pub(in crate::features) fn completers(&self) -> &Completers {
        &self.completers
    }

    /// Starts the handler of the prompt.
    pub(in crate::features) fn get(&self, call: &PromptCall<'_>) -> AnswerFuture {
        self.start(call)
            .unwrap_or_else(|failure| Box::pin(ready(Err(failure))))
    }

    /// Starts the handler, unless the arguments violate the schema. A schema without constraints
    /// beyond the type is checked only after deserialization failed, for a better error message.
    fn start(&self, call: &PromptCall<'_>) -> Result<AnswerFuture, Failure> {
        if self.schema.as_ref().is_some_and(Schema::is_strict) {
            self.check_arguments(call.arguments)?;
        }
        (self.prompt.get)(call).or_else(|failure| {
            self.check_arguments(call.arguments)?;
            Err(failure)
        })
    }

    fn check_arguments(&self, arguments: &Arguments) -> Result<(), ProtocolError> {
        let Some(schema) = &self.schema else {
            return Ok(());
        };
        let mistakes = texts::failures(schema, json!(arguments));
        match mistakes.is_empty() {
            true => Ok(()),
            false => Err(mistakes::in_arguments_of_prompt(
                self.prompt.name(),
                mistakes,
            )),
        }
    }
}
