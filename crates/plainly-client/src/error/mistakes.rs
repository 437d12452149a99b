//! Finds all mistakes in a server's message at once, in uniform words: in its results and errors,
//! its questions and notifications. It only runs after reading has failed.

use std::collections::HashMap;
use std::sync::LazyLock;

use plainly_errors::Mistake;
use plainly_errors::mistake::quoted;
use plainly_protocol::method::Method;
use plainly_protocol::schemas;
use plainly_protocol::types::ResultType;
use plainly_schema::Schema;
use serde_json::Value;

use plainly_schema::unread::{compiled, compiled_each, known, own_words};
use plainly_transport::EscapedText;

static RESULTS: LazyLock<HashMap<Method, Schema>> =
    LazyLock::new(|| compiled_each(schemas::each(|method| Some(schemas::reply(method)))));
static INPUT_REQUIRED: LazyLock<Schema> = LazyLock::new(|| compiled(schemas::input_required()));
static TASK: LazyLock<Schema> = LazyLock::new(|| compiled(schemas::task_handle()));
static ERROR: LazyLock<Schema> = LazyLock::new(|| compiled(schemas::error()));
static TOLD: LazyLock<HashMap<Method, Schema>> =
    LazyLock::new(|| compiled_each(schemas::each(schemas::told)));

/// The mistakes in a result of `method`, which can't be read because of `why`.
pub(crate) fn in_result(method: Method, json: &[u8], why: &serde_json::Error) -> Vec<Mistake> {
    let asks = Some(ResultType::InputRequired.as_str());
    let continues = Some(ResultType::Task.as_str());
    explained(json, why, |result| match result["resultType"].as_str() {
        kind if method.row().may_ask && kind == asks => Some(&INPUT_REQUIRED),
        kind if method.row().may_continue && kind == continues => Some(&TASK),
        _ => RESULTS.get(&method),
    })
}

/// The mistake of a result that is not final, although the method allows no other results.
pub(crate) fn in_result_type(found: &ResultType) -> Mistake {
    let (found, final_one) = (quoted(found.as_str()), ResultType::Complete);
    let why = format!("{found:?} is not {:?}", final_one.as_str());
    Mistake::new("/resultType", why)
}

/// The mistakes in the parameters of a question or a notification. They are also logged, because
/// often no caller waits for them.
pub(crate) fn in_params(method: Method, json: &[u8], why: &serde_json::Error) -> Vec<Mistake> {
    let mistakes = explained(json, why, |_| TOLD.get(&method));
    let list = Mistake::list(&mistakes);
    let (method, why) = (method.name(), EscapedText(&list));
    tracing::warn!(method, %why, "the server sent a message that can't be read");
    mistakes
}

/// Logs the mistakes in the parameters of a notification.
pub(crate) fn log(method: Method, json: &[u8], why: &serde_json::Error) {
    in_params(method, json, why);
}

/// The mistakes in an error.
pub(crate) fn in_error(json: &[u8], why: &serde_json::Error) -> Vec<Mistake> {
    explained(json, why, |_| Some(&ERROR))
}

/// The mistakes by the schema that `choose` returns for the value; without a schema, the type's own
/// error.
fn explained<'a>(
    json: &[u8],
    why: &serde_json::Error,
    schema: impl FnOnce(&Value) -> Option<&'a Schema>,
) -> Vec<Mistake> {
    let Ok(value) = serde_json::from_slice(json) else {
        return vec![Mistake::new("", "it is nested too deeply")];
    };
    let mistakes = schema(&value).map(|schema| schema.failures_of(&value));
    let mistakes = mistakes.unwrap_or_default();
    match own_words(&why.to_string()) {
        Some(words) if mistakes.is_empty() => vec![Mistake::new("", quoted(words))],
        _ => known(mistakes),
    }
}

#[cfg(test)]
mod tests {
    use plainly_protocol::method::{MessageKind, Sender, methods};
    use plainly_protocol::types::*;
    use serde::de::DeserializeOwned;
    use serde_json::{from_str, json};

    use super::*;
    use plainly_peer::changes::changed;

    /// Whether JSON is valid by the schema, and the mistakes if the type rejects it.
    type Verdict = fn(&str) -> (bool, Option<Vec<Mistake>>);

    fn result<T: DeserializeOwned>(method: Method, json: &str) -> (bool, Option<Vec<Mistake>>) {
        let read = from_str::<ResultFields>(json).and_then(|_| from_str::<T>(json));
        let mistakes = read
            .err()
            .map(|why| in_result(method, json.as_bytes(), &why));
        (RESULTS[&method].failures(json).is_empty(), mistakes)
    }

    fn told<T: DeserializeOwned>(method: Method, json: &str) -> (bool, Option<Vec<Mistake>>) {
        let read = from_str::<T>(json);
        let mistakes = read
            .err()
            .map(|why| in_params(method, json.as_bytes(), &why));
        (TOLD[&method].failures(json).is_empty(), mistakes)
    }

    /// Valid values of each type, with every possible member.
    fn samples() -> Vec<(Value, Verdict)> {
        let mut all = introductions();
        all.extend(resources());
        all.extend(answers());
        all.extend(tasks());
        all.extend(notifications());
        all.extend(questions());
        all
    }

    fn introductions() -> Vec<(Value, Verdict)> {
        let capabilities = json!({
            "completions": {}, "experimental": {}, "extensions": {"a/b": {}}, "logging": {}, "prompts": {"listChanged": true},
            "resources": {"subscribe": true, "listChanged": true}, "tasks": {}, "tools": {},
        });
        let server = json!({"name": "s", "version": "1", "icons": [icon()], "websiteUrl": "a:b"});
        vec![
            (
                json!({"protocolVersion": "x", "capabilities": capabilities, "serverInfo": server, "instructions": "i"}),
                |json| result::<InitializeResult>(Method::Initialize, json),
            ),
            (
                json!({"supportedVersions": ["x"], "capabilities": capabilities, "resultType": "complete", "ttlMs": 1,
                    "cacheScope": "public", "_meta": {"a": 1}}),
                |json| result::<DiscoverResult>(Method::Discover, json),
            ),
            (json!({"_meta": {}}), |json| {
                result::<EmptyResult>(Method::Ping, json)
            }),
        ]
    }

    fn icon() -> Value {
        json!({"src": "a:b", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"})
    }

    fn annotations() -> Value {
        json!({"audience": ["user"], "priority": 0.5, "lastModified": "x"})
    }

    fn resource() -> Value {
        json!({
            "uri": "a:b", "name": "n", "title": "t", "description": "d", "mimeType": "a/b", "size": 7, "isCollection": false,
            "icons": [icon()], "annotations": annotations(), "_meta": {},
        })
    }

    fn resources() -> Vec<(Value, Verdict)> {
        let mut contents = resource();
        contents["text"] = "x".into();
        let mut dynamic = skill();
        dynamic["resources"] = "dynamic".into();
        let template = json!({"uriTemplate": "a:{b}", "name": "n", "annotations": annotations(), "icons": [icon()]});
        vec![
            (
                json!({"resources": [resource()], "nextCursor": "c"}),
                |json| result::<ListResourcesResult>(Method::ListResources, json),
            ),
            (
                json!({"resourceTemplates": [template], "nextCursor": "c"}),
                |json| result::<ListResourceTemplatesResult>(Method::ListResourceTemplates, json),
            ),
            (json!({"contents": [contents]}), |json| {
                result::<ReadResourceResult>(Method::ReadResource, json)
            }),
            (json!({"skills": [skill()], "nextCursor": "c"}), |json| {
                result::<ListSkillsResult>(Method::ListSkills, json)
            }),
            (json!({"skill": dynamic}), |json| {
                result::<GetSkillResult>(Method::GetSkill, json)
            }),
            (json!({"resource": resource()}), |json| {
                result::<ResourceMetadataResult>(Method::ResourceMetadata, json)
            }),
        ]
    }

    fn skill() -> Value {
        json!({"uri": "a:b", "frontmatter": {"name": "n"}, "resources": [{"uri": "a:b", "digest": "d", "size": 7}]})
    }

    fn content() -> Value {
        let mut link = resource();
        link["type"] = "resource_link".into();
        json!([
            {"type": "text", "text": "t", "annotations": annotations(), "_meta": {}},
            {"type": "image", "data": "", "mimeType": "a/b", "annotations": {}},
            {"type": "resource", "resource": {"uri": "a:b", "blob": ""}, "annotations": {}},
            {"type": "later"},
            link,
        ])
    }

    fn answers() -> Vec<(Value, Verdict)> {
        let hints = json!({"title": "t", "readOnlyHint": true, "destructiveHint": true, "idempotentHint": true, "openWorldHint": true});
        let tool = json!({
            "name": "t", "title": "T", "description": "d", "inputSchema": {}, "outputSchema": {}, "annotations": hints,
            "icons": [icon()], "_meta": {},
        });
        let argument = json!({"name": "a", "title": "A", "description": "d", "required": true});
        vec![
            (json!({"tools": [tool], "nextCursor": "c"}), |json| {
                result::<ListToolsResult>(Method::ListTools, json)
            }),
            (
                json!({"content": content(), "structuredContent": {"a": 1}, "isError": true}),
                |json| result::<CallToolResult>(Method::CallTool, json),
            ),
            (
                json!({"prompts": [{"name": "p", "arguments": [argument]}], "nextCursor": "c"}),
                |json| result::<ListPromptsResult>(Method::ListPrompts, json),
            ),
            (
                json!({"description": "d", "messages": [{"role": "user", "content": content()[0]}]}),
                |json| result::<GetPromptResult>(Method::GetPrompt, json),
            ),
            (
                json!({"completion": {"values": ["a"], "total": 7, "hasMore": true}}),
                |json| result::<CompleteResult>(Method::Complete, json),
            ),
        ]
    }

    /// A task in each state that has its own members.
    fn tasks() -> Vec<(Value, Verdict)> {
        let task = |own: Value| {
            let mut task = json!({
                "taskId": "t", "status": "working", "statusMessage": "m", "createdAt": "x", "lastUpdatedAt": "x",
                "ttlMs": 7, "pollIntervalMs": 7, "_meta": {},
            });
            let own = own.as_object().into_iter().flatten();
            own.for_each(|(name, value)| task[name] = value.clone());
            task
        };
        let asked = json!({"roots": {"method": "roots/list", "params": {}}});
        let got: Verdict = |json| result::<DetailedTask>(Method::GetTask, json);
        vec![
            (task(json!({})), got),
            (
                task(json!({"status": "input_required", "inputRequests": asked})),
                got,
            ),
            (task(json!({"status": "completed", "result": {}})), got),
            (
                task(json!({"status": "failed", "error": {"code": 1, "message": "m"}})),
                got,
            ),
            (task(json!({"status": "cancelled"})), |json| {
                told::<DetailedTask>(Method::TaskChanged, json)
            }),
        ]
    }

    fn notifications() -> Vec<(Value, Verdict)> {
        let filter = json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
            "resourceSubscriptions": ["a:b"], "taskIds": ["t"],
        });
        let meta = json!({"io.modelcontextprotocol/subscriptionId": 7});
        vec![
            (json!({"requestId": 7}), |json| {
                told::<CancelledParams>(Method::Cancelled, json)
            }),
            (
                json!({"progressToken": "7", "progress": 0.5, "total": 1, "message": "m"}),
                |json| told::<ProgressParams>(Method::Progress, json),
            ),
            (json!({"level": "info", "logger": "l", "data": 1}), |json| {
                told::<LoggingMessageParams>(Method::LoggingMessage, json)
            }),
            (json!({"_meta": meta, "uri": "a:b"}), |json| {
                told::<ResourceUpdatedParams>(Method::ResourceUpdated, json)
            }),
            (json!({"_meta": meta, "notifications": filter}), |json| {
                told::<AcknowledgedParams>(Method::Acknowledged, json)
            }),
        ]
    }

    fn questions() -> Vec<(Value, Verdict)> {
        let form = json!({"type": "object", "properties": {
            "text": {"type": "string", "title": "T", "minLength": 1, "maxLength": 2, "format": "email", "default": "x"},
            "one": {"type": "string", "enum": ["a"], "enumNames": ["A"], "default": "a"},
            "titled": {"type": "string", "oneOf": [{"const": "a", "title": "A"}]},
            "number": {"type": "integer", "minimum": 1, "maximum": 2, "default": 1},
            "truth": {"type": "boolean", "description": "d", "default": true},
            "several": {"type": "array", "minItems": 1, "items": {"type": "string", "enum": ["a"]}, "default": ["a"]},
        }, "required": ["text"]});
        let tool = json!({"type": "tool_use", "id": "i", "name": "n", "input": {}});
        let result =
            json!({"type": "tool_result", "toolUseId": "i", "content": content(), "isError": true});
        let messages = json!([
            {"role": "user", "content": {"type": "text", "text": "t"}, "_meta": {}},
            {"role": "assistant", "content": [tool, result]},
        ]);
        vec![
            (
                json!({"mode": "form", "message": "m", "requestedSchema": form}),
                |json| told::<ElicitParams>(Method::Elicit, json),
            ),
            (
                json!({"mode": "url", "message": "m", "url": "a:b", "elicitationId": "1"}),
                |json| told::<ElicitParams>(Method::Elicit, json),
            ),
            (
                json!({"messages": messages, "modelPreferences": {"hints": [{"name": "n"}], "costPriority": 1,
                    "speedPriority": 1, "intelligencePriority": 1}, "systemPrompt": "s", "includeContext": "none",
                    "temperature": 1, "maxTokens": 7, "stopSequences": ["s"], "metadata": {}, "toolChoice": {"mode": "auto"},
                    "tools": [{"name": "t", "inputSchema": {}}]}),
                |json| told::<CreateMessageParams>(Method::CreateMessage, json),
            ),
            (json!({"_meta": {}}), |json| {
                told::<ListRootsParams>(Method::ListRoots, json)
            }),
        ]
    }

    #[test]
    fn a_schema_refuses_no_more_than_its_type_and_explains_what_that_refuses() {
        let vague = known(Vec::new());
        for (sample, verdict) in samples() {
            assert_eq!(verdict(&sample.to_string()), (true, None), "{sample}");
            let objects = changed(&sample).into_iter().filter(Value::is_object);
            for changed in objects {
                let (by_schema, by_type) = verdict(&changed.to_string());
                match by_type {
                    None => assert!(by_schema, "{changed}"),
                    Some(mistakes) => assert_ne!(mistakes, vague, "{changed}"),
                }
            }
        }
    }

    #[test]
    fn whatever_a_server_asks_or_tells_with_parameters_is_explained() {
        for row in methods().iter().filter(|row| row.sender != Sender::Client) {
            let has_params = TOLD.contains_key(&row.method);
            let is_question = row.kind == MessageKind::Request && row.method != Method::Ping;
            assert!(has_params || !is_question, "{}", row.name);
        }
    }
}
