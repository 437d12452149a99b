//! Stores facts about a server's tools from its listings: whether a call may be repeated, and the
//! schema of their structured output. Never asks the server, so a tool that this client has not
//! listed is unknown.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use plainly_errors::Mistake;
use plainly_protocol::types::{CallToolResult, RawJson, Tool};
use plainly_schema::{Limits, Schema};

use plainly_transport::EscapedText;
use plainly_transport::lock::Lock;

/// The most bytes of names and schemas that are stored. Beyond that, earlier tools are removed.
const MOST_BYTES: usize = 4 << 20;

/// The tools of a server that this client has listed.
#[derive(Debug, Default)]
pub(crate) struct KnownTools(Lock<ToolList>);

#[derive(Debug, Default)]
struct ToolList {
    /// The tools with at least one fact.
    tools: HashMap<String, KnownTool>,
    /// The length of all names and schemas in `tools`.
    bytes: usize,
}

#[derive(Clone, Debug)]
struct KnownTool {
    is_repeatable: bool,
    output: Option<Arc<OutputSchema>>,
}

/// The schema that a tool declares for its structured output.
#[derive(Debug)]
struct OutputSchema {
    text: RawJson,
    /// The parsed schema, which is parsed at first use; `None` if that fails.
    schema: OnceLock<Option<Schema>>,
}

impl KnownTools {
    /// Stores the facts about a tool, in place of earlier ones.
    pub(crate) fn learn(&self, tool: &Tool) {
        let annotations = tool.annotations.as_ref();
        let is_repeatable = annotations.is_some_and(|hints| {
            hints.read_only_hint == Some(true) || hints.idempotent_hint == Some(true)
        });
        let output = tool.output_schema.as_ref().map(|text| OutputSchema {
            text: text.clone(),
            schema: OnceLock::new(),
        });
        let known = KnownTool {
            is_repeatable,
            output: output.map(Arc::new),
        };
        self.0.lock().put(&tool.name, known);
    }

    /// Whether the tool is declared idempotent, so that calling it twice does no more than calling
    /// it once.
    pub(crate) fn is_repeatable(&self, name: &str) -> bool {
        let known = self.0.lock();
        known.tools.get(name).is_some_and(|tool| tool.is_repeatable)
    }

    /// The mistakes in the structured output of a successful call. Empty if the tool's schema is
    /// unknown, or can't be read.
    pub(crate) fn mistakes(&self, name: &str, result: &CallToolResult) -> Vec<Mistake> {
        let output = {
            let known = self.0.lock();
            known.tools.get(name).and_then(|tool| tool.output.clone())
        };
        let Some(output) = output.filter(|_| !result.is_tool_error()) else {
            return Vec::new();
        };
        let Some(schema) = output.schema(name) else {
            return Vec::new();
        };
        match &result.structured_content {
            Some(content) => schema.failures(content.get()),
            None => vec![Mistake::new("", "there is no structured output")],
        }
    }
}

impl OutputSchema {
    fn schema(&self, tool: &str) -> Option<&Schema> {
        let read = || match Schema::parse(self.text.get(), &Limits::default()) {
            Ok(schema) => Some(schema),
            Err(why) => {
                let (tool, why) = (EscapedText(tool), why.to_string());
                tracing::debug!(%tool, "its output is not checked: {}", EscapedText(&why));
                None
            }
        };
        self.schema.get_or_init(read).as_ref()
    }
}

impl ToolList {
    fn put(&mut self, name: &str, tool: KnownTool) {
        if let Some(before) = self.tools.remove(name) {
            self.bytes -= bytes(name, &before);
        }
        let more = bytes(name, &tool);
        if !tool.is_repeatable && tool.output.is_none() || more > MOST_BYTES {
            return;
        }
        if self.bytes + more > MOST_BYTES {
            *self = Self::default();
        }
        self.bytes += more;
        self.tools.insert(name.to_owned(), tool);
    }
}

fn bytes(name: &str, tool: &KnownTool) -> usize {
    let schema = tool.output.as_ref().map(|output| output.text.get().len());
    name.len() + schema.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn tool(name: &str, schema: &Value) -> Tool {
        let mut tool = Tool::new(name, RawJson::encode(&json!({"type": "object"})).unwrap());
        tool.output_schema = Some(RawJson::encode(schema).unwrap());
        tool
    }

    fn mistakes(tools: &KnownTools, name: &str, content: &Value) -> Vec<Mistake> {
        let mut result = CallToolResult::new([]);
        result.structured_content = Some(RawJson::encode(content).unwrap());
        tools.mistakes(name, &result)
    }

    #[test]
    fn what_is_learnt_replaces_what_was_known_and_a_bad_schema_checks_nothing() {
        let tools = KnownTools::default();
        let wrong = json!({"a": "b"});
        let integer = json!({"type": "object", "properties": {"a": {"type": "integer"}}});
        assert!(mistakes(&tools, "t", &wrong).is_empty());
        tools.learn(&tool("t", &integer));
        assert_eq!(mistakes(&tools, "t", &wrong).len(), 1);
        assert!(mistakes(&tools, "t", &json!({"a": 3.0})).is_empty());
        assert!(mistakes(&tools, "u", &wrong).is_empty());
        tools.learn(&tool("t", &json!({"type": 7})));
        assert!(mistakes(&tools, "t", &wrong).is_empty());
        tools.learn(&Tool::new("t", RawJson::encode(&json!({})).unwrap()));
        assert_eq!(tools.0.lock().bytes, 0);
    }

    #[test]
    fn no_more_is_remembered_than_the_limit_and_the_last_is() {
        let tools = KnownTools::default();
        let long = json!({"type": "object", "title": "a".repeat(200 << 10)});
        for number in 0..50 {
            let name = number.to_string();
            tools.learn(&tool(&name, &long));
            let known = tools.0.lock();
            assert!(known.tools.contains_key(&name) && known.bytes <= MOST_BYTES);
        }
        tools.learn(&tool("vast", &json!({"title": "a".repeat(MOST_BYTES)})));
        assert!(!tools.0.lock().tools.contains_key("vast"));
    }
}
