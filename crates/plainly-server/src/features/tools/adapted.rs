//! A tool behind another name, other arguments and another wording.

use std::fmt;
use std::sync::Arc;

use plainly_protocol::types::CallToolResult;

use super::{Tool, ToolHandler};
use crate::answer::Answer;
use crate::extract::{Needs, ToolCall};
use crate::failure::Failure;

/// Stands between a model and a [`Tool`] that the model knows under another name, with other arguments and results.
pub trait ToolAdapter: fmt::Debug + Send + Sync + 'static {
    /// The JSON schema of the model's arguments, from that of the tool.
    fn input_schema(&self, schema: &str) -> String;

    /// The tool's arguments, from those of the model, which are valid: JSON objects.
    fn arguments(&self, arguments: &str) -> Result<String, Failure>;

    /// The result for the model, from that of the tool.
    fn result(&self, result: CallToolResult) -> Result<CallToolResult, Failure>;

    /// A sentence about a failure for the model, from that of the tool. It may be the name of an argument alone.
    fn words(&self, sentence: &str) -> String;
}

impl Tool {
    /// This tool under another name, as `adapter` shows it. It has no output schema.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use plainly::protocol::types::CallToolResult;
    /// use plainly::server::{Failure, Tool, ToolAdapter};
    ///
    /// /// For models that were told about `town`.
    /// #[derive(Debug)]
    /// struct Town;
    ///
    /// impl ToolAdapter for Town {
    ///     fn input_schema(&self, schema: &str) -> String {
    ///         schema.replace("\"city\"", "\"town\"")
    ///     }
    ///
    ///     fn arguments(&self, arguments: &str) -> Result<String, Failure> {
    ///         Ok(arguments.replace("\"town\"", "\"city\""))
    ///     }
    ///
    ///     fn result(&self, result: CallToolResult) -> Result<CallToolResult, Failure> {
    ///         Ok(result)
    ///     }
    ///
    ///     fn words(&self, sentence: &str) -> String {
    ///         sentence.replace("'city'", "'town'")
    ///     }
    /// }
    ///
    /// fn for_towns(weather: &Arc<Tool>) -> Tool {
    ///     Tool::adapted(weather, "weather_of_town", Town)
    /// }
    /// ```
    pub fn adapted(tool: &Arc<Self>, name: impl Into<String>, adapter: impl ToolAdapter) -> Self {
        let schema = adapter.input_schema(tool.definition.input_schema.get());
        let (tool, adapter) = (Arc::clone(tool), Arc::new(adapter));
        let needs = Needs {
            args: None,
            ..tool.needs.clone()
        };
        let (annotations, wrong) = (tool.annotations.clone(), tool.wrong.clone());
        let mut definition = tool.definition.clone();
        definition.name = name.into();
        definition.output_schema = None;
        let call: ToolHandler = Box::new(move |call| {
            let arguments = adapter.arguments(call.arguments)?;
            let behind = ToolCall {
                arguments: &arguments,
                ..*call
            };
            let adapter = Arc::clone(&adapter);
            let running = (tool.call)(&behind);
            let running = running.map_err(|failure| failure.reworded(|it| adapter.words(it)))?;
            Ok(Box::pin(async move {
                match running.await {
                    Ok(Answer::Tool(result)) => adapter.result(result).map(Answer::Tool),
                    Ok(other) => Ok(other),
                    Err(failure) => Err(failure.reworded(|it| adapter.words(it))),
                }
            }))
        });
        Self {
            definition,
            annotations,
            wrong,
            needs,
            task: None,
            call,
        }
        .input_schema(schema)
    }
}
