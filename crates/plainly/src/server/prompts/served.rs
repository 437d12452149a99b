//! The prompts of a server: checked when they are added, listed, and filled in.

use std::collections::HashSet;
use std::future::ready;
use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{Arguments, ListPromptsParams, ListPromptsResult};
use plainly_schema::Schema;
use serde_json::{Map, Number, Value};

use super::{Prompt, arguments};
use crate::limits::Limits;
use crate::server::answer::AnswerFuture;
use crate::server::builder::{BuildError, check_needs};
use crate::server::catalogue::{Catalogue, Named};
use crate::server::completion::Completable;
use crate::server::cursor::CursorsOf;
use crate::server::extract::PromptCall;
use crate::server::failure::Failure;
use crate::server::state::States;

/// Bytes of the longest name of a prompt. The specification has no limit; names that are refused are told again.
const LONGEST_NAME: usize = 128;

/// The prompts of a server.
pub(in crate::server) type Prompts = Catalogue<ServedPrompt>;

/// A prompt that was found to be in order.
#[derive(Debug)]
pub(in crate::server) struct ServedPrompt {
    prompt: Prompt,
    /// What the arguments must be; nothing where the handler takes none.
    schema: Option<Schema>,
    completable: Completable,
}

impl Named for ServedPrompt {
    fn name(&self) -> &str {
        self.prompt.name()
    }
}

impl Prompts {
    /// Those that were declared; what is wrong with them goes to `errors`.
    pub(in crate::server) fn build(
        declared: Vec<Prompt>,
        is_dynamic: bool,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Self {
        let mut names = HashSet::new();
        let mut prompts = Vec::new();
        for prompt in declared {
            if !names.insert(prompt.name().to_owned()) {
                errors.push(BuildError::twice(&format!("prompt {}", prompt.name())));
            }
            prompts.extend(ServedPrompt::check(prompt, states, limits, errors));
        }
        Self::new(prompts, is_dynamic)
    }

    pub(in crate::server) fn list(
        &self,
        params: &ListPromptsParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListPromptsResult, ProtocolError> {
        let show = |served: &ServedPrompt| served.prompt.definition.clone();
        let after = params.cursor.as_ref();
        let (page, next) = self.page("prompts/list", cursors, after, limit, show)?;
        let mut result = ListPromptsResult::new(page);
        result.next_cursor = next;
        Ok(result)
    }

    /// The prompt `name`.
    pub(in crate::server) fn find(&self, name: &str) -> Result<Arc<ServedPrompt>, ProtocolError> {
        self.get(name).ok_or_else(|| unknown_prompt(name))
    }
}

impl ServedPrompt {
    /// The prompt, or what is wrong with it in `errors`.
    pub(in crate::server) fn check(
        mut prompt: Prompt,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<Self> {
        let subject = format!("prompt {}", prompt.name());
        let before = errors.len();
        let mut wrong = |what: String| errors.push(BuildError::new(&subject, what));
        if !(1..=LONGEST_NAME).contains(&prompt.name().len()) {
            wrong(format!("needs a name of 1 to {LONGEST_NAME} bytes"));
        }
        let schema = prompt.needs.args.as_ref().and_then(|schema| {
            let wrong = |why| wrong(format!("has arguments whose schema is invalid: {why}"));
            Schema::new(schema.clone(), &limits.schema())
                .map_err(wrong)
                .ok()
        });
        check_needs(&subject, &prompt.needs, states, errors);
        let completers = std::mem::take(&mut prompt.completers);
        for (argument, completer) in &completers {
            let completing = format!("{subject}, completing {argument},");
            check_needs(&completing, completer.needs(), states, errors);
            if !prompt.arguments().iter().any(|it| it.name == *argument) {
                let what = format!("completes {argument}, which is none of its arguments");
                errors.push(BuildError::new(&subject, what));
            }
        }
        let names = prompt.arguments().iter().map(|argument| &*argument.name);
        let values = |name: &str| arguments::values(prompt.needs.args.as_ref()?, name);
        let completable = Completable::new(names, completers, values);
        (errors.len() == before).then_some(Self {
            prompt,
            schema,
            completable,
        })
    }

    /// Its arguments, as they are completed.
    pub(in crate::server) fn completable(&self) -> &Completable {
        &self.completable
    }

    /// Starts filling it in.
    pub(in crate::server) fn get(&self, call: &PromptCall<'_>) -> AnswerFuture {
        self.start(call)
            .unwrap_or_else(|failure| Box::pin(ready(Err(failure))))
    }

    /// Starts the handler, unless the arguments fail the schema. One that says no more than the type of the arguments is
    /// looked at only to tell everything that is wrong.
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
        match schema
            .failures(&typed(schema, arguments).to_string())
            .as_slice()
        {
            [] => Ok(()),
            failures => Err(ProtocolError::invalid_params(format!(
                "Invalid arguments for prompt {}: {}",
                self.prompt.name(),
                failures.join("; ")
            ))),
        }
    }
}

/// The arguments as the schema's types: what it does not take as text is read from its text, if that can be.
fn typed(schema: &Schema, arguments: &Arguments) -> Value {
    let text = |(name, text): (&String, &String)| (name.clone(), Value::from(text.as_str()));
    let mut typed = Value::Object(arguments.iter().map(text).collect::<Map<_, _>>());
    for name in schema.failing_members(&typed) {
        if let Some(value) = arguments.get(&name).and_then(|text| scalar(text)) {
            typed[name] = value;
        }
    }
    typed
}

/// A number or a truth value, as `Args` reads them.
fn scalar(text: &str) -> Option<Value> {
    let integer = || text.parse::<i64>().map(Value::from);
    let natural = |_| text.parse::<u64>().map(Value::from);
    let truth = |_| text.parse::<bool>().map(Value::from);
    let number = || text.parse().ok().and_then(Number::from_f64);
    let whole = integer().or_else(natural).or_else(truth).ok();
    whole.or_else(|| number().map(Value::Number))
}

/// There is no prompt of this name.
fn unknown_prompt(name: &str) -> ProtocolError {
    if name.len() > LONGEST_NAME {
        let why = format!("Unknown prompt: no name has more than {LONGEST_NAME} bytes");
        return ProtocolError::invalid_params(why);
    }
    InvalidParams::UnknownPrompt {
        name: name.to_owned(),
    }
    .into()
}
