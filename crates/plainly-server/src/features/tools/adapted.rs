//! A tool with another name, other arguments and other texts.

use std::fmt;
use std::sync::Arc;

use plainly_protocol::types::CallToolResult;

use super::{Tool, ToolHandler};
use crate::answer::Answer;
use crate::extract::{Needs, ToolCall};
use crate::failure::Failure;

/// Translates between a model and a [`Tool`] that the model knows under another name, with other
/// arguments and results.
pub trait ToolAdapter: fmt::Debug + Send + Sync + 'static {
    /// Converts the JSON Schema of the tool's arguments to that of the model's.
    fn input_schema(&self, schema: &str) -> String;

    /// Converts the model's arguments to those of the tool. Both are JSON objects, and the model's
    /// are valid.
    fn arguments(&self, arguments: &str) -> Result<String, Failure>;

    /// Converts the tool's result to the one for the model.
    fn result(&self, result: CallToolResult) -> Result<CallToolResult, Failure>;

    /// Converts a sentence about a failure of the tool to one for the model. It may be only the
    /// name of an argument.
    fn words(&self, sentence: &str) -> String;
}

impl Tool {
    /// This tool under another name, as `adapter` presents it. It has no output schema.
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
