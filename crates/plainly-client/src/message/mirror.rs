//! Stores which arguments of a server's tools are repeated in headers, from the tools' listings,
//! and writes the headers of a call (2026-07-28, basic/transports/streamable-http, "Custom Headers
//! from Tool Parameters"). Never asks the server: other files decide when to list tools, and
//! whether the transport has headers.

use std::collections::HashMap;

use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_protocol::header;
use plainly_protocol::method::Method;
use plainly_protocol::mirrored::{MirroredArgument, mirrored, text};
use plainly_protocol::types::{CallToolParams, Tool};
use serde_json::Value;

use plainly_transport::EscapedText;
use plainly_transport::lock::Lock;

/// The most bytes of names that are stored. Beyond that, earlier tools are removed. The server
/// refuses a call of a removed tool, and the tool is stored again.
const MOST_BYTES: usize = 1 << 20;

/// The arguments of a server's tools that headers repeat, for the listed tools.
#[derive(Debug, Default)]
pub(crate) struct Mirror(Lock<MirroredTools>);

#[derive(Debug, Default)]
struct MirroredTools {
    /// The tools that have such arguments.
    tools: HashMap<String, Vec<MirroredArgument>>,
    /// The length of all names in `tools`.
    bytes: usize,
}

impl Mirror {
    /// Stores a tool, in place of what was known of it. Returns `false` if its annotations are
    /// invalid, in which case the tool must be left out.
    pub(crate) fn learn(&self, tool: &Tool) -> bool {
        // A schema that is nested too deeply to be read counts as one without annotations. If it
        // has some, the server will report the missing headers.
        let schema = tool.input_schema.decode().unwrap_or(Value::Null);
        let found = mirrored(&schema);
        if let Err(wrong) = &found {
            let (name, wrong) = (EscapedText(&tool.name), wrong.join("; "));
            tracing::warn!(tool = %name, "the tool is ignored: it {}", EscapedText(&wrong));
        }
        let is_valid = found.is_ok();
        self.0.lock().put(&tool.name, found.unwrap_or_default());
        is_valid
    }

    /// Adds the headers that repeat arguments of a request with these parameters, if it calls a
    /// tool with such arguments.
    pub(crate) fn repeat(&self, method: Method, params: &str, headers: &mut HeaderMap) {
        if method != Method::CallTool {
            return;
        }
        let Ok(call) = serde_json::from_str::<CallToolParams<'_>>(params) else {
            return;
        };
        let known = self.0.lock();
        let Some((mirrored, arguments)) = known.tools.get(&*call.name).zip(call.arguments) else {
            return;
        };
        let arguments = serde_json::from_str(arguments.get()).unwrap_or(Value::Null);
        headers.extend(mirrored.iter().filter_map(|one| header(one, &arguments)));
    }
}

impl MirroredTools {
    fn put(&mut self, name: &str, arguments: Vec<MirroredArgument>) {
        if let Some(before) = self.tools.remove(name) {
            self.bytes -= bytes(name, &before);
        }
        let more = bytes(name, &arguments);
        if arguments.is_empty() || more > MOST_BYTES {
            return;
        }
        if self.bytes + more > MOST_BYTES {
            *self = Self::default();
        }
        self.bytes += more;
        self.tools.insert(name.to_owned(), arguments);
    }
}

fn bytes(name: &str, arguments: &[MirroredArgument]) -> usize {
    let headers = arguments.iter().map(|one| one.header.len());
    let paths = arguments.iter().flat_map(|one| &one.path).map(String::len);
    name.len() + headers.chain(paths).sum::<usize>()
}

/// The header that repeats this argument, if the argument is present and can be written in a
/// header.
fn header(mirrored: &MirroredArgument, arguments: &Value) -> Option<(HeaderName, HeaderValue)> {
    let text = text(mirrored.value_in(arguments)?)?;
    let name = HeaderName::try_from(&mirrored.header).expect("the name is a token, and short");
    let value = HeaderValue::from_str(&header::encode(&text))
        .expect("encoded text is visible ASCII with spaces and tabs");
    Some((name, value))
}

#[cfg(test)]
mod tests {
    use plainly_protocol::types::RawJson;
    use serde_json::json;

    use super::*;

    fn tool(name: &str, header: &str) -> Tool {
        let region = json!({"type": "string", "x-mcp-header": header});
        let schema = json!({"type": "object", "properties": {"region": region}});
        Tool::new(name, RawJson::encode(&schema).unwrap())
    }

    fn of(mirror: &Mirror, name: &str) -> Vec<String> {
        let params = json!({"name": name, "arguments": {"region": "eu"}});
        let mut headers = HeaderMap::new();
        mirror.repeat(Method::CallTool, &params.to_string(), &mut headers);
        headers.keys().map(ToString::to_string).collect()
    }

    #[test]
    fn what_is_learnt_of_a_tool_replaces_what_was_known() {
        let mirror = Mirror::default();
        assert!(of(&mirror, "t").is_empty());
        assert!(mirror.learn(&tool("t", "A")));
        assert_eq!(of(&mirror, "t"), ["mcp-param-a"]);
        assert!(mirror.learn(&tool("t", "B")));
        assert_eq!(of(&mirror, "t"), ["mcp-param-b"]);
        assert!(of(&mirror, "u").is_empty());
        assert!(!mirror.learn(&tool("t", "not a token")));
        assert!(of(&mirror, "t").is_empty());
        assert_eq!(mirror.0.lock().bytes, 0);
    }

    #[test]
    fn no_more_is_remembered_than_the_limit_and_the_last_is() {
        let mirror = Mirror::default();
        let long = "a".repeat(8 << 10);
        for number in 0..500 {
            let name = number.to_string();
            assert!(mirror.learn(&tool(&name, &long)));
            assert_eq!(of(&mirror, &name).len(), 1);
            let known = mirror.0.lock();
            let tools = known.tools.iter();
            let counted: usize = tools.map(|(name, all)| bytes(name, all)).sum();
            assert_eq!(known.bytes, counted);
            assert!(counted <= MOST_BYTES);
        }
        let vast = "a".repeat(MOST_BYTES);
        assert!(mirror.learn(&tool(&vast, "A")));
        assert!(of(&mirror, &vast).is_empty());
        assert_eq!(of(&mirror, "499").len(), 1);
    }
}
