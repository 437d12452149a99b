//! Tools: their definition, their listing and their calls.

use std::fmt;
use std::future::ready;
use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{
    self, Icon, ListToolsParams, ListToolsResult, Meta, RawJson, ToolAnnotations,
};
use serde_json::{Value, json};

use super::answer::{Answer, AnswerFuture};
use super::audience::Audience;
use super::cursor::CursorsOf;
use super::extract::{ExtractAll, Needs, ToolCall, ToolChannel};
use super::failure::Failure;
use super::handler::Handler;
use super::reply::ToolReply;
use crate::schema::Schema;

type Call = Box<dyn Fn(&ToolCall<'_>) -> Result<AnswerFuture, Failure> + Send + Sync>;

/// Bytes of the longest name of a tool (SEP-986).
pub(super) const LONGEST_NAME: usize = 128;

/// A tool: a handler and what is said of it.
///
/// ```
/// use plainly::server::Tool;
/// use plainly::server::extract::Args;
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Add {
///     a: i64,
///     b: i64,
/// }
///
/// async fn add(Args(Add { a, b }): Args<Add>) -> String {
///     (a + b).to_string()
/// }
///
/// let tool = Tool::new("add", add).description("Adds two integers").read_only();
/// ```
pub struct Tool {
    definition: types::Tool,
    annotations: ToolAnnotations,
    input: Value,
    output: Option<Value>,
    needs: Needs,
    call: Call,
}

impl Tool {
    /// A tool of this name, served by `handler`. The input schema follows from its `Args<T>`, the output schema from a
    /// `Json<T>` that it returns.
    pub fn new<F, A, By>(name: impl Into<String>, handler: F) -> Self
    where
        F: Handler<A>,
        A: ExtractAll<ToolChannel>,
        F::Output: ToolReply<By>,
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
        let call = move |call: &ToolCall<'_>| -> Result<AnswerFuture, Failure> {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move {
                running.await.into_result().map(Answer::CallTool)
            }))
        };
        Self::of_parts(
            name.into(),
            needs,
            F::Output::output_schema(),
            Box::new(call),
        )
    }

    fn of_parts(name: String, needs: Needs, output: Option<Value>, call: Call) -> Self {
        let no_arguments =
            || json!({"type": "object", "properties": {}, "additionalProperties": false});
        let input = needs.args.clone().unwrap_or_else(no_arguments);
        let mut definition = types::Tool::new(name, raw(&input));
        definition.output_schema = output.as_ref().map(raw);
        Self {
            definition,
            annotations: ToolAnnotations::new(),
            input,
            output,
            needs,
            call,
        }
    }

    /// What it is called in front of people.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.definition.title = Some(title.into());
        self
    }

    /// What it does, for the model.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.definition.description = Some(description.into());
        self
    }

    /// It changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.annotations.read_only_hint = Some(true);
        self
    }

    /// All hints at once.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
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

    pub(super) fn name(&self) -> &str {
        &self.definition.name
    }

    pub(super) fn needs(&self) -> &Needs {
        &self.needs
    }

    pub(super) fn input(&self) -> &Value {
        &self.input
    }

    pub(super) fn output(&self) -> Option<&Value> {
        self.output.as_ref()
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}

/// The tools of a server, in the order in which they were added.
#[derive(Debug, Default)]
pub(super) struct Tools(Vec<Served>);

#[derive(Debug)]
struct Served {
    tool: Tool,
    input: Schema,
    output: Option<Arc<Schema>>,
}

impl Tools {
    pub(super) fn add(&mut self, mut tool: Tool, input: Schema, output: Option<Schema>) {
        if tool.annotations != ToolAnnotations::new() {
            tool.definition.annotations = Some(tool.annotations.clone());
        }
        self.0.push(Served {
            tool,
            input,
            output: output.map(Arc::new),
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn list(
        &self,
        params: &ListToolsParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListToolsResult, ProtocolError> {
        let name = |served: &Served| served.tool.name().to_owned();
        let (page, next) =
            cursors.page("tools/list", &self.0, name, params.cursor.as_ref(), limit)?;
        let page: Vec<_> = page
            .iter()
            .map(|served| served.tool.definition.clone())
            .collect();
        let mut result = ListToolsResult::new(page);
        result.next_cursor = next;
        Ok(result)
    }

    pub(super) fn call(
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
        let served = self
            .0
            .iter()
            .find(|served| served.tool.name() == name)
            .ok_or_else(unknown)?;
        let running = served
            .call(call)
            .unwrap_or_else(|failure| Box::pin(ready(Err(failure))));
        Ok((Audience::Model(served.output.clone()), running))
    }
}

impl Served {
    /// Starts the handler, unless the arguments fail the schema. One that says no more than the type of the arguments is
    /// looked at only to tell what is wrong.
    fn call(&self, call: &ToolCall<'_>) -> Result<AnswerFuture, Failure> {
        if self.input.is_strict() {
            self.check(call.arguments)?;
        }
        (self.tool.call)(call).or_else(|failure| {
            self.check(call.arguments)?;
            Err(failure)
        })
    }

    fn check(&self, arguments: &str) -> Result<(), Failure> {
        match self.input.failures(arguments).as_slice() {
            [] => Ok(()),
            failures => Err(Failure::text(format!(
                "Invalid arguments for tool {}: {}",
                self.tool.name(),
                failures.join("; ")
            ))),
        }
    }
}

fn raw(schema: &Value) -> RawJson {
    RawJson::encode(schema).expect("JSON values are JSON")
}
