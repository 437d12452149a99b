//! The tools of a server: checked when they are added, listed, and called.

use std::future::ready;
use std::sync::Arc;

use plainly_errors::mistake::quoted;
use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::mirrored::{MirroredArgument, mirrored};
use plainly_protocol::types::{ListToolsParams, ToolAnnotations};
use plainly_schema::{InvalidSchema, Schema};

use super::listed::{ListedTool, ListedTools};
use super::{Tool, ToolHandler};
use crate::answer::AnswerFuture;
use crate::audience::Audience;
use crate::extract::{Needs, ToolCall};
use crate::failure::{Failure, Meaning};
use crate::features::catalogue::{Catalogue, Definition, Item};
use crate::features::cursor::CursorsOf;
use crate::features::error::{BuildError, check_needs};
use crate::limits::Limits;
use crate::mistakes;
use crate::request::{TaskStart, TaskSupport, can_follow_tasks, check_tasks};
use crate::state::States;

/// The maximum length of a tool's name in bytes (2026-07-28, Tools, "Tool Names").
const LONGEST_NAME: usize = 128;

/// The tools of a server.
pub(crate) type Tools = Catalogue<ServedTool>;

/// A tool that passed all checks and can be called.
pub(crate) struct ServedTool {
    name: String,
    listed: ListedTool,
    input: Schema,
    /// Whether the program wrote the schema, so that it is not derived from the type of the
    /// arguments.
    is_own: bool,
    output: Option<Arc<Schema>>,
    mirrored: Vec<MirroredArgument>,
    task: Option<(TaskSupport, TaskStart)>,
    call: ToolHandler,
}

impl Item for ServedTool {
    fn name(&self) -> &str {
        &self.name
    }
}

impl Definition for Tool {
    type Served = ServedTool;

    const DYNAMIC_OPTION: &'static str = "dynamic_tools()";

    fn subject(&self) -> String {
        format!("tool {}", self.name())
    }

    fn check(
        mut self,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<ServedTool> {
        let subject = self.subject();
        let mut wrong = std::mem::take(&mut self.wrong);
        if !is_name(self.name()) {
            wrong.push(format!(
                "needs a name of 1 to {LONGEST_NAME} of A-Z a-z 0-9 _ - . /"
            ));
        }
        let before = errors.len();
        check_needs(&subject, &self.needs, states, errors);
        let derived = self.needs.args.take();
        let is_input_own = derived.is_none();
        let schema_limits = limits.schema();
        let written = self.definition.input_schema.get();
        let input = match derived {
            Some(schema) => Schema::derived(schema, written, &schema_limits),
            None => Schema::parse(written, &schema_limits),
        };
        let input = usable(input, "input", &mut wrong);
        let output = self.definition.output_schema.as_ref();
        let output = output.map(|schema| Schema::parse(schema.get(), &schema_limits));
        let output = output.map(|output| usable(output, "output", &mut wrong));
        let mut repeated = Vec::new();
        if let Some(input) = &input {
            match mirrored(input.source()) {
                Ok(arguments) => repeated = arguments,
                Err(faults) => wrong.extend(faults),
            }
            if is_input_own && input.source()["type"] != "object" {
                wrong.push("has an input schema whose type is not \"object\"".to_owned());
            }
        }
        if self.needs.begins_task && self.task.is_none() {
            wrong.push("takes Task, but task() does not allow it to become one".to_owned());
        }
        errors.extend(wrong.into_iter().map(|it| BuildError::new(&subject, it)));
        if errors.len() > before {
            return None;
        }
        let (input, output) = (input?, output.flatten());
        Some(ServedTool::new(self, input, is_input_own, output, repeated))
    }
}

impl ServedTool {
    fn new(
        mut tool: Tool,
        input: Schema,
        is_own: bool,
        output: Option<Schema>,
        mirrored: Vec<MirroredArgument>,
    ) -> Self {
        if tool.annotations != ToolAnnotations::new() {
            tool.definition.annotations = Some(tool.annotations);
        }
        Self {
            name: tool.definition.name.clone(),
            listed: ListedTool::new(tool.definition),
            input,
            is_own,
            output: output.map(Arc::new),
            mirrored,
            task: tool
                .task
                .map(|support| (support, becomes(support, &tool.needs))),
            call: tool.call,
        }
    }

    /// The arguments that clients repeat in HTTP headers.
    pub(crate) fn mirrored(&self) -> &[MirroredArgument] {
        &self.mirrored
    }

    /// Starts the handler, unless the arguments violate the schema. A schema without constraints
    /// beyond the type is checked only after deserialization failed, for a better error message.
    fn call(&self, call: &ToolCall<'_>) -> Result<AnswerFuture, Failure> {
        if self.is_own || self.input.may_refuse(call.arguments) {
            self.check_arguments(call.arguments)?;
        }
        (self.call)(call).or_else(|failure| {
            self.check_arguments(call.arguments)?;
            Err(failure)
        })
    }

    /// Allows the call to become a task, if the tool and the client support it.
    fn open_task(&self, call: &ToolCall<'_>) {
        if let Some((_, becomes)) = self.task
            && can_follow_tasks(call.scope.peer())
        {
            call.scope.stage().open(becomes);
        }
    }

    fn check_arguments(&self, arguments: &str) -> Result<(), Failure> {
        match self.input.failures(arguments).as_slice() {
            [] => Ok(()),
            mistakes => Err(mistakes::in_arguments_of_tool(&self.name, mistakes)),
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
    /// A page of the definitions, as clients of `revision` get them.
    pub(in crate::features) fn list(
        &self,
        params: &ListToolsParams,
        revision: Revision,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListedTools, ProtocolError> {
        let after = params.cursor.as_ref();
        let page = self.page("tools/list", cursors, after, limit, |tool| {
            tool.listed.of_revision(revision)
        });
        let (tools, next_cursor) = page?;
        Ok(ListedTools { tools, next_cursor })
    }

    pub(in crate::features) fn call(
        &self,
        name: &str,
        call: &ToolCall<'_>,
    ) -> Result<(Audience, AnswerFuture), ProtocolError> {
        let tool = self.get(name).ok_or_else(|| self.unknown(name))?;
        // Before the handler is called, because such a tool must not run at all without tasks.
        if let Some((TaskSupport::Required, _)) = tool.task {
            check_tasks(call.scope.peer())?;
        }
        let running = match tool.call(call) {
            Ok(running) => {
                // After the arguments have been accepted, because a failed call leaves nothing to
                // continue.
                tool.open_task(call);
                running
            }
            // Faults of the request itself are not reported to the model.
            Err(failure) => {
                if let Meaning::Protocol(error) = failure.meaning() {
                    return Err(error);
                }
                // The model gets the mistakes in its arguments and can try again ("Tools", "Error
                // Handling").
                Box::pin(ready(Err(failure)))
            }
        };
        Ok((Audience::Model(tool.output.clone()), running))
    }

    /// The error for a tool that does not exist.
    fn unknown(&self, name: &str) -> ProtocolError {
        let unknown = ProtocolError::from(InvalidParams::UnknownTool {
            name: quoted(name).into_owned(),
        });
        let message = match name.len() > LONGEST_NAME {
            true => format!("Unknown tool: no name has more than {LONGEST_NAME} bytes"),
            false => format!("{}{}", unknown.message(), self.did_you_mean(name)),
        };
        unknown.with_message(message)
    }

    /// The audience for the result of the tool with this name.
    pub(crate) fn audience(&self, name: &str) -> Audience {
        Audience::Model(self.get(name).and_then(|tool| tool.output.clone()))
    }
}

/// The moment at which calls of a tool become tasks.
fn becomes(support: TaskSupport, needs: &Needs) -> TaskStart {
    match support {
        _ if needs.begins_task => TaskStart::WhenItSays,
        TaskSupport::Required => TaskStart::AtOnce,
        TaskSupport::Optional => TaskStart::Waiting,
    }
}

/// The schema, if it is valid. Otherwise its faults are added to `wrong`.
fn usable(
    schema: Result<Schema, InvalidSchema>,
    which: &str,
    wrong: &mut Vec<String>,
) -> Option<Schema> {
    schema
        .map_err(|why| wrong.push(format!("has an {which} schema that is invalid: {why}")))
        .ok()
}

/// Whether the name is valid. SEP-986 allows `/`, which the page "Tools" no longer mentions.
fn is_name(name: &str) -> bool {
    (1..=LONGEST_NAME).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./".contains(&byte))
}
