//! The tools of a server: checked when they are added, listed, and called.

use std::future::ready;
use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::mirrored::{MirroredArgument, mirrored};
use plainly_protocol::types::{ListToolsParams, RawJson, ToolAnnotations};
use plainly_schema::Schema;

use super::listed::{Definition, ListedTools};
use super::{Call, Tool};
use crate::limits::Limits;
use crate::server::answer::AnswerFuture;
use crate::server::audience::Audience;
use crate::server::builder::{BuildError, check_needs};
use crate::server::catalogue::{Catalogue, Named};
use crate::server::cursor::CursorsOf;
use crate::server::extract::{Needs, ToolCall};
use crate::server::failure::Failure;
use crate::server::state::States;
use crate::server::tasks::{self, Becomes, TaskSupport};

/// Bytes of the longest name of a tool (2026-07-28, Tools, "Tool Names").
const LONGEST_NAME: usize = 128;

/// The tools of a server.
pub(in crate::server) type Tools = Catalogue<ServedTool>;

/// A tool that was found to be in order.
pub(in crate::server) struct ServedTool {
    name: String,
    definition: Definition,
    input: Schema,
    /// Whether all arguments are held against the schema, also those that the handler takes.
    is_strict: bool,
    output: Option<Arc<Schema>>,
    mirrored: Vec<MirroredArgument>,
    task: Option<(TaskSupport, Becomes)>,
    call: Call,
}

impl Named for ServedTool {
    fn name(&self) -> &str {
        &self.name
    }
}

impl ServedTool {
    /// The tool, or what is wrong with it in `errors`.
    pub(in crate::server) fn check(
        mut tool: Tool,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<Self> {
        let subject = format!("tool {}", tool.name());
        let mut wrong = std::mem::take(&mut tool.wrong);
        if !is_name(tool.name()) {
            wrong.push(format!(
                "needs a name of 1 to {LONGEST_NAME} of A-Z a-z 0-9 _ - . /"
            ));
        }
        let before = errors.len();
        check_needs(&subject, &tool.needs, states, errors);
        let derived = tool.needs.args.take();
        let is_input_own = derived.is_none();
        let mut tell = |why, which| {
            wrong.push(format!("has an {which} schema that is invalid: {why}"));
        };
        let schema_limits = limits.schema();
        let parse = |schema: &RawJson| Schema::parse(schema.get(), &schema_limits);
        let written = &tool.definition.input_schema;
        let input = match derived {
            Some(schema) => Schema::derived(schema, written.get(), &schema_limits),
            None => parse(written),
        };
        let input = input.map_err(|why| tell(why, "input"));
        let output = tool.definition.output_schema.as_ref().map(parse);
        let output = output.transpose().map_err(|why| tell(why, "output"));
        let mut repeated = Vec::new();
        if let Ok(input) = &input {
            match mirrored(input.source()) {
                Ok(arguments) => repeated = arguments,
                Err(faults) => wrong.extend(faults),
            }
            if is_input_own && input.source()["type"] != "object" {
                wrong.push("has an input schema whose type is not \"object\"".to_owned());
            }
        }
        if tool.needs.begins_task && tool.task.is_none() {
            wrong.push("takes Task, but task() doesn't say that it may become one".to_owned());
        }
        errors.extend(wrong.into_iter().map(|it| BuildError::new(&subject, it)));
        let (input, output) = input.ok().zip(output.ok())?;
        let is_strict = is_input_own || input.is_strict();
        (errors.len() == before).then(|| Self::new(tool, input, is_strict, output, repeated))
    }

    fn new(
        mut tool: Tool,
        input: Schema,
        is_strict: bool,
        output: Option<Schema>,
        mirrored: Vec<MirroredArgument>,
    ) -> Self {
        if tool.annotations != ToolAnnotations::new() {
            tool.definition.annotations = Some(tool.annotations);
        }
        Self {
            name: tool.definition.name.clone(),
            definition: Definition::new(tool.definition),
            input,
            is_strict,
            output: output.map(Arc::new),
            mirrored,
            task: tool
                .task
                .map(|support| (support, becomes(support, &tool.needs))),
            call: tool.call,
        }
    }

    /// The arguments that headers repeat.
    pub(in crate::server) fn mirrored(&self) -> &[MirroredArgument] {
        &self.mirrored
    }

    /// Starts the handler, unless the arguments fail the schema. One that says no more than the type of the arguments is
    /// looked at only to tell what is wrong.
    fn call(&self, call: &ToolCall<'_>) -> Result<AnswerFuture, Failure> {
        if self.is_strict {
            self.check_arguments(call.arguments)?;
        }
        (self.call)(call).or_else(|failure| {
            self.check_arguments(call.arguments)?;
            Err(failure)
        })
    }

    /// Lets the call become a task, if it may and the client can follow.
    fn open_task(&self, call: &ToolCall<'_>) {
        if let Some((_, becomes)) = self.task
            && tasks::can_follow(call.scope.peer())
        {
            call.scope.stage().open(becomes);
        }
    }

    fn check_arguments(&self, arguments: &str) -> Result<(), Failure> {
        match self.input.failures(arguments).as_slice() {
            [] => Ok(()),
            failures => Err(Failure::text(format!(
                "Invalid arguments for tool {}: {}",
                self.name,
                failures.join("; ")
            ))),
        }
    }
}

impl std::fmt::Debug for ServedTool {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ServedTool")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Tools {
    /// One page of them, as `revision` has them.
    pub(in crate::server) fn list(
        &self,
        params: &ListToolsParams,
        revision: Revision,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListedTools, ProtocolError> {
        let show = |tool: &ServedTool| tool.definition.of_revision(revision);
        let after = params.cursor.as_ref();
        let (tools, next_cursor) = self.page("tools/list", cursors, after, limit, show)?;
        Ok(ListedTools { tools, next_cursor })
    }

    pub(in crate::server) fn call(
        &self,
        name: &str,
        call: &ToolCall<'_>,
    ) -> Result<(Audience, AnswerFuture), ProtocolError> {
        if name.len() > LONGEST_NAME {
            let why = format!("Unknown tool: no name has more than {LONGEST_NAME} bytes");
            return Err(ProtocolError::invalid_params(why));
        }
        let unknown = || InvalidParams::UnknownTool {
            name: name.to_owned(),
        };
        let tool = self.get(name).ok_or_else(unknown)?;
        if let Some((TaskSupport::Required, _)) = tool.task {
            tasks::check(call.scope.peer())?;
        }
        let running = match tool.call(call) {
            Ok(running) => {
                tool.open_task(call);
                running
            }
            Err(failure) => Box::pin(ready(Err(failure))),
        };
        Ok((Audience::Model(tool.output.clone()), running))
    }
}

impl Tools {
    /// Who reads what the tool of this name ends with.
    pub(in crate::server) fn audience(&self, name: &str) -> Audience {
        Audience::Model(self.get(name).and_then(|tool| tool.output.clone()))
    }
}

/// When the calls of a tool become tasks.
fn becomes(support: TaskSupport, needs: &Needs) -> Becomes {
    match support {
        _ if needs.begins_task => Becomes::WhenItSays,
        TaskSupport::Required => Becomes::AtOnce,
        TaskSupport::Optional => Becomes::Waiting,
    }
}

/// SEP-986 allows `/`, which the page "Tools" no longer names.
fn is_name(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(allowed)
}
