//! Reports all mistakes in a client's message at once and in the same terms: parameters, `_meta`,
//! arguments and answers. This code runs only after deserialization has failed.

use std::collections::HashMap;
use std::sync::LazyLock;

use plainly_errors::mistake::{in_quotes, printable};
use plainly_errors::problem::ProblemCode;
use plainly_errors::{InvalidParams, Mistake, Problem, ProtocolError, Revision};
use plainly_protocol::envelope::{Object, Request};
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::method::Method;
use plainly_protocol::schemas;
use plainly_protocol::types::RawJson;
use plainly_schema::{Schema, not_one_of};
use serde_json::{Value, json};

use super::failure::Failure;
use plainly_schema::unread::{compiled, compiled_each, known};

static PARAMS: LazyLock<HashMap<Method, Schema>> =
    LazyLock::new(|| compiled_each(schemas::each(schemas::params)));
static RESULTS: LazyLock<HashMap<Method, Schema>> =
    LazyLock::new(|| compiled_each(schemas::each(schemas::result)));
static WITH_META: LazyLock<HashMap<Method, Schema>> = LazyLock::new(|| {
    compiled_each(schemas::each(|method| {
        Some(schemas::params_with_meta(method))
    }))
});
static INTRODUCED: LazyLock<HashMap<Method, Schema>> = LazyLock::new(|| {
    compiled_each(schemas::each(|method| {
        Some(schemas::params_with_introduction(Some(method)))
    }))
});
/// The schema for unknown methods.
static INTRODUCTION: LazyLock<Schema> =
    LazyLock::new(|| compiled(schemas::params_with_introduction(None)));

/// The error for a request of `method` whose parameters can't be read.
pub(super) fn in_params(method: Method, params: Option<&Object<'_>>) -> ProtocolError {
    let schema = PARAMS.get(&method);
    malformed(schema.map_or_else(Vec::new, |schema| failures(schema, params)))
}

/// Like `in_params`, for a request from any sender whose `_meta` is malformed.
pub(super) fn in_meta(method: Method, params: Option<&Object<'_>>) -> ProtocolError {
    let schema = WITH_META.get(&method);
    malformed(schema.map_or_else(Vec::new, |schema| failures(schema, params)))
}

/// Like `in_params`, for a request that identifies its sender.
pub(super) fn in_request(request: &Request<'_>) -> ProtocolError {
    malformed(introduced(request))
}

/// The error for a request whose `_meta` does not identify its sender.
pub(super) fn in_introduction(request: &Request<'_>, meta: &RequestMeta<'_>) -> ProtocolError {
    let keys = meta.wrong_keys();
    let problems = introduced(request);
    InvalidParams::MissingMeta { keys, problems }.into()
}

/// The mistakes in a client's answer to a question with this method.
pub(super) fn in_answer(method: Method, answer: &RawJson) -> Vec<Mistake> {
    let mistakes = RESULTS
        .get(&method)
        .map(|schema| schema.failures(answer.get()));
    known(mistakes.unwrap_or_default())
}

/// The error for a client whose answer with this key does not match the question.
pub(super) fn in_input_response(key: &str, mistakes: Vec<Mistake>) -> ProtocolError {
    let list = Mistake::list(&mistakes);
    let places = mistakes.into_iter();
    let places = places.map(|mistake| mistake.under(key).under("inputResponses"));
    let invalid = InvalidParams::InvalidInputResponse {
        key: key.to_owned(),
        problems: places.collect(),
    };
    let why = format!("Invalid input response: {}: {list}", printable(key));
    ProtocolError::from(invalid).with_message(why)
}

/// The failure of a tool whose arguments are wrong, which the model can correct.
pub(super) fn in_arguments_of_tool(name: &str, mistakes: &[Mistake]) -> Failure {
    let list = Mistake::list(mistakes);
    let why = format!("Invalid arguments for tool {name}: {list}");
    let problem = Problem::new(ProblemCode::ValidationError, why);
    problem.detail("problems", json!(mistakes)).into()
}

/// The error for a prompt whose arguments are wrong.
pub(super) fn in_arguments_of_prompt(name: &str, problems: Vec<Mistake>) -> ProtocolError {
    let list = Mistake::list(&problems);
    let why = format!("Invalid arguments for prompt {name}: {list}");
    // The paths are relative to the parameters, like those of every protocol error.
    let problems = problems.into_iter().map(|one| one.under("arguments"));
    let problems = problems.collect();
    ProtocolError::from(InvalidParams::Malformed { problems }).with_message(why)
}

/// The error for an unknown name, with its path and the known names of the same kind.
pub(super) fn unknown(path: &str, name: &str, what: &str, known: Vec<&str>) -> ProtocolError {
    let why = match &known[..] {
        [] => format!("{} is unknown: there is no {what}", in_quotes(name)),
        [only] => format!(
            "{} is unknown: the only {what} is {only:?}",
            in_quotes(name)
        ),
        all => not_one_of(name, all.iter().copied()),
    };
    malformed(vec![Mistake::new(path, why)])
}

fn introduced(request: &Request<'_>) -> Vec<Mistake> {
    let method = Method::find(&request.method, Revision::LATEST);
    let schema = method.and_then(|method| INTRODUCED.get(&method));
    let params = request.params.as_ref().map_or("{}", Object::raw);
    let Ok(Value::Object(mut params)) = serde_json::from_str(params) else {
        return Vec::new();
    };
    // If `_meta` is absent, all its required members are reported as missing.
    params.entry("_meta").or_insert_with(|| json!({}));
    schema.unwrap_or(&INTRODUCTION).failures_of(&params.into())
}

fn failures(schema: &Schema, params: Option<&Object<'_>>) -> Vec<Mistake> {
    schema.failures(params.map_or("{}", Object::raw))
}

fn malformed(problems: Vec<Mistake>) -> ProtocolError {
    let problems = known(problems);
    InvalidParams::Malformed { problems }.into()
}

#[cfg(test)]
mod tests {
    use plainly_protocol::envelope::{self, parse_object};
    use plainly_protocol::method::{MessageKind, Sender, methods};
    use plainly_protocol::types::*;
    use serde::Deserialize;

    use super::*;
    use plainly_peer::changes::changed;

    /// The result of the schema, and whether the type reads the value.
    type Verdict = fn(&str) -> (bool, bool);

    /// The results for parameters.
    fn params<T: for<'a> Deserialize<'a>>(method: Method, json: &str) -> (bool, bool) {
        let object = parse_object(json, &envelope::Limits::default()).unwrap();
        let is_right = failures(&PARAMS[&method], Some(&object)).is_empty();
        (is_right, object.read::<T>().is_ok())
    }

    /// The results for answers.
    fn result<T: for<'a> Deserialize<'a>>(method: Method, json: &str) -> (bool, bool) {
        let is_right = RESULTS[&method].failures(json).is_empty();
        (is_right, serde_json::from_str::<T>(json).is_ok())
    }

    fn call(json: &str) -> (bool, bool) {
        let object = parse_object(json, &envelope::Limits::default()).unwrap();
        let is_right = failures(&PARAMS[&Method::CallTool], Some(&object)).is_empty();
        (is_right, object.read::<CallToolParams<'_>>().is_ok())
    }

    /// A valid sample of each, with every member that it can have.
    fn samples() -> Vec<(Value, Verdict)> {
        let mut all = introductions();
        all.extend(resources());
        all.extend(calls());
        all.extend(tasks());
        all.extend(answers());
        all
    }

    fn introductions() -> Vec<(Value, Verdict)> {
        let icon =
            json!({"src": "a:b", "mimeType": "image/png", "sizes": ["any"], "theme": "dark"});
        let client = json!({
            "name": "c", "version": "1", "title": "C", "description": "d", "icons": [icon], "websiteUrl": "a:b",
        });
        let capabilities = json!({
            "elicitation": {"form": {}, "url": {}}, "experimental": {}, "extensions": {"a/b": {}},
            "roots": {"listChanged": true}, "sampling": {"context": {}, "tools": {}}, "tasks": {},
        });
        let filter = json!({
            "toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": false,
            "resourceSubscriptions": ["a:b"], "taskIds": ["t"],
        });
        vec![
            (
                json!({"protocolVersion": "x", "capabilities": capabilities, "clientInfo": client}),
                |json| params::<InitializeParams>(Method::Initialize, json),
            ),
            (json!({"level": "info"}), |json| {
                params::<SetLevelParams>(Method::SetLevel, json)
            }),
            (json!({"notifications": filter}), |json| {
                params::<ListenParams>(Method::Listen, json)
            }),
        ]
    }

    fn resources() -> Vec<(Value, Verdict)> {
        let page = json!({"cursor": "c"});
        let uri = json!({"uri": "a:b"});
        vec![
            (json!({"uri": "a:b", "cursor": "c"}), |json| {
                params::<ListResourcesParams>(Method::ListResources, json)
            }),
            (page.clone(), |json| {
                params::<ListResourceTemplatesParams>(Method::ListResourceTemplates, json)
            }),
            (page.clone(), |json| {
                params::<ListToolsParams>(Method::ListTools, json)
            }),
            (page.clone(), |json| {
                params::<ListSkillsParams>(Method::ListSkills, json)
            }),
            (page, |json| {
                params::<ListPromptsParams>(Method::ListPrompts, json)
            }),
            (uri.clone(), |json| {
                params::<ReadResourceParams>(Method::ReadResource, json)
            }),
            (uri.clone(), |json| {
                params::<ResourceMetadataParams>(Method::ResourceMetadata, json)
            }),
            (json!({"uri": "a:b", "cursor": "c"}), |json| {
                params::<ReadDirectoryParams>(Method::ReadDirectory, json)
            }),
            (uri.clone(), |json| {
                params::<GetSkillParams>(Method::GetSkill, json)
            }),
            (uri.clone(), |json| {
                params::<SubscribeParams>(Method::Subscribe, json)
            }),
            (uri, |json| {
                params::<UnsubscribeParams>(Method::Unsubscribe, json)
            }),
        ]
    }

    fn calls() -> Vec<(Value, Verdict)> {
        let argument = json!({"name": "a", "value": "b"});
        let others = json!({"arguments": {"x": "y"}});
        vec![
            (json!({"name": "a", "arguments": {"x": 1}}), call),
            (json!({"name": "a", "arguments": {"x": "1"}}), |json| {
                params::<GetPromptParams>(Method::GetPrompt, json)
            }),
            (
                json!({"ref": {"type": "ref/prompt", "name": "a"}, "argument": argument, "context": others}),
                |json| params::<CompleteParams>(Method::Complete, json),
            ),
            (
                json!({"ref": {"type": "ref/resource", "uri": "a"}, "argument": argument}),
                |json| params::<CompleteParams>(Method::Complete, json),
            ),
        ]
    }

    fn tasks() -> Vec<(Value, Verdict)> {
        let task = json!({"taskId": "t"});
        vec![
            (task.clone(), |json| {
                params::<GetTaskParams>(Method::GetTask, json)
            }),
            (task, |json| {
                params::<CancelTaskParams>(Method::CancelTask, json)
            }),
            (json!({"taskId": "t", "inputResponses": {}}), |json| {
                params::<UpdateTaskParams>(Method::UpdateTask, json)
            }),
        ]
    }

    fn answers() -> Vec<(Value, Verdict)> {
        let block = json!({"type": "text", "text": "t"});
        let root = json!({"uri": "a:b", "name": "n", "_meta": {}});
        vec![
            (
                json!({"action": "accept", "content": {"a": 1}, "_meta": {}}),
                |json| result::<ElicitResult>(Method::Elicit, json),
            ),
            (
                json!({"role": "assistant", "content": [block], "model": "m", "stopReason": "endTurn", "_meta": {}}),
                |json| result::<CreateMessageResult>(Method::CreateMessage, json),
            ),
            (
                json!({"role": "user", "content": block, "model": "m"}),
                |json| result::<CreateMessageResult>(Method::CreateMessage, json),
            ),
            (json!({"roots": [root], "_meta": {}}), |json| {
                result::<ListRootsResult>(Method::ListRoots, json)
            }),
        ]
    }

    #[test]
    fn a_schema_says_what_its_type_does() {
        for (sample, verdict) in samples() {
            assert_eq!(verdict(&sample.to_string()), (true, true), "{sample}");
            let objects = changed(&sample).into_iter().filter(Value::is_object);
            for changed in objects {
                let (by_schema, by_type) = verdict(&changed.to_string());
                assert_eq!(by_schema, by_type, "{changed}");
            }
        }
    }

    #[test]
    fn whatever_a_client_asks_with_parameters_is_explained() {
        // A server reads no parameters of these methods.
        let without = [Method::Discover, Method::Ping];
        for row in methods() {
            let is_asked = row.kind == MessageKind::Request && row.sender != Sender::Server;
            let is_explained = is_asked && !without.contains(&row.method);
            assert_eq!(
                PARAMS.contains_key(&row.method),
                is_explained,
                "{}",
                row.name
            );
            let is_question = row.kind == MessageKind::Request && row.sender == Sender::Server;
            assert_eq!(
                RESULTS.contains_key(&row.method),
                is_question,
                "{}",
                row.name
            );
        }
    }
}
