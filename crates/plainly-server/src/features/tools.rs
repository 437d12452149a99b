//! Tools as a program defines them. `served` has the tools that a server serves.

mod adapted;
mod listed;
mod served;

use std::fmt;

use plainly_protocol::types::{self, RawJson, ToolAnnotations};
use serde_json::{Value, json};

use super::app::UI_SCHEME;
use super::declared::declare;
use super::setters::setters;
use crate::answer::{Answer, AnswerFuture};
use crate::extract::{ExtractAll, Needs, ToolCall, ToolChannel};
use crate::failure::Failure;
use crate::handler::Handler;
use crate::reply::ToolReply;
use crate::request::TaskSupport;

pub use self::adapted::ToolAdapter;
pub(crate) use self::served::Tools;

type ToolHandler = Box<dyn Fn(&ToolCall<'_>) -> Result<AnswerFuture, Failure> + Send + Sync>;

/// A tool for models: a handler and its description.
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
    /// Mistakes in the schemas that the program set.
    wrong: Vec<String>,
    needs: Needs,
    task: Option<TaskSupport>,
    call: ToolHandler,
}

impl Tool {
    /// A tool with this name, served by `handler`. Its input schema is derived from the handler's
    /// `Args<T>`, and its output schema from the returned `Json<T>`.
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
        let call: ToolHandler = Box::new(move |call| {
            let running = handler.call(A::extract_all(call)?);
            Ok(Box::pin(async move {
                running.await.into_result().map(Answer::Tool)
            }))
        });
        let mut tool = Self::of_parts(name.into(), needs, F::Output::output_schema(), call);
        declare(&mut tool.definition.meta, F::Output::problems());
        tool
    }

    fn of_parts(name: String, mut needs: Needs, output: Option<Value>, call: ToolHandler) -> Self {
        let input = needs.args.get_or_insert_with(
            || json!({"type": "object", "properties": {}, "additionalProperties": false}),
        );
        let mut definition = types::Tool::new(name, raw(input));
        definition.output_schema = output.as_ref().map(raw);
        Self {
            definition,
            annotations: ToolAnnotations::new(),
            wrong: Vec::new(),
            needs,
            task: None,
            call,
        }
    }

    setters! {
        title,
        description = "A description of what it does, for the model.",
        icons,
        meta,
    }

    /// Sets the page on which hosts show the tool's results, by the `ui://` URI of an
    /// [`App`](crate::App). Hosts without support ignore the page.
    #[must_use]
    pub fn app(mut self, uri: impl Into<String>) -> Self {
        let uri = uri.into();
        if !uri.starts_with(UI_SCHEME) {
            let why = format!("names the page {uri:?}: begin its URI with {UI_SCHEME}");
            self.wrong.push(why);
        }
        let page = [
            ("ui", json!({"resourceUri": uri})),
            // The key that hosts use from before the extension was stable.
            ("ui/resourceUri", json!(uri)),
        ];
        self.meta(page.into())
    }

    /// Declares that the tool changes nothing.
    #[must_use]
    pub fn read_only(mut self) -> Self {
        self.annotations.read_only_hint = Some(true);
        self
    }

    /// Sets all hints about the tool's behaviour at once.
    #[must_use]
    pub fn annotations(mut self, annotations: ToolAnnotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Allows calls to continue as tasks, for as long as
    /// [`TaskLimits::deadline`](crate::limits::TaskLimits::deadline) allows: the client gets a
    /// handle and polls for the result. (Extension `io.modelcontextprotocol/tasks`; clients of
    /// older revisions don't have it.)
    ///
    /// If the handler has a parameter [`Task`](crate::extract::Task), the handler determines where
    /// a call becomes a task. Otherwise, a call that must be a task becomes one at once, and a call
    /// that may be one becomes one unless it finishes immediately. The handler's outcome is then
    /// the task's result, including a tool error. A panic, the deadline, or a returned
    /// [`ProtocolError`](plainly_errors::ProtocolError) ends the task as failed.
    ///
    /// ```
    /// use plainly::server::{TaskSupport, Tool};
    ///
    /// async fn reindex() -> &'static str {
    ///     // ... which takes an hour.
    ///     "done"
    /// }
    ///
    /// let tool = Tool::new("reindex", reindex).task(TaskSupport::Required);
    /// ```
    #[must_use]
    pub fn task(mut self, support: TaskSupport) -> Self {
        self.task = Some(support);
        self
    }

    /// Replaces the input schema derived from `Args<T>` with this JSON text. Peers get the text
    /// unchanged, except for line breaks between its tokens. Arguments are validated against it
    /// before the handler gets them, so the handler can accept them as untyped JSON:
    ///
    /// ```
    /// use plainly::server::Tool;
    /// use plainly::server::extract::Args;
    /// use serde_json::{Map, Value};
    ///
    /// async fn reach(Args(who): Args<Map<String, Value>>) -> String {
    ///     format!("Reaching {}", Value::Object(who))
    /// }
    ///
    /// let tool = Tool::new("reach", reach).input_schema(
    ///     r#"{"type": "object", "anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}"#,
    /// );
    /// ```
    ///
    /// The schema uses JSON Schema 2020-12, or the draft that its `$schema` names: 4, 6, 7 or
    /// 2019-09.
    #[must_use]
    pub fn input_schema(mut self, json: impl Into<String>) -> Self {
        match RawJson::parse(json) {
            Ok(schema) => self.definition.input_schema = schema,
            Err(error) => self
                .wrong
                .push(format!("has an input schema that is not JSON: {error}")),
        }
        // Only this schema defines the arguments, because their type may not contain its rules.
        self.needs.args = None;
        self
    }

    /// Replaces the output schema derived from a [`Json<T>`](crate::reply::Json) with this JSON
    /// text, as with [`input_schema`](Self::input_schema). The handler's result is validated
    /// against it.
    #[must_use]
    pub fn output_schema(mut self, json: impl Into<String>) -> Self {
        match RawJson::parse(json) {
            Ok(schema) => self.definition.output_schema = Some(schema),
            Err(error) => self
                .wrong
                .push(format!("has an output schema that is not JSON: {error}")),
        }
        self
    }

    /// The name by which clients call the tool.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.definition.name
    }

    /// The definition as clients see it, without the hints about the tool's behaviour.
    #[must_use]
    pub fn definition(&self) -> &types::Tool {
        &self.definition
    }

    pub(super) fn may_become_task(&self) -> bool {
        self.task.is_some()
    }

    pub(super) fn needs(&self) -> &Needs {
        &self.needs
    }
}

impl fmt::Debug for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("definition", &self.definition)
            .finish_non_exhaustive()
    }
}

fn raw(schema: &Value) -> RawJson {
    RawJson::encode(schema).expect("JSON values are JSON")
}
