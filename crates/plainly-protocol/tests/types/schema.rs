//! All output is valid by the JSON Schema of every revision that has the type.

use plainly_errors::Revision;
use plainly_protocol::method::Method;
use plainly_protocol::question::asked;
use plainly_protocol::shape::{Feature, Shape};
use plainly_protocol::types::{
    AcknowledgedParams, BooleanField, CallToolParams, CallToolResult, ChoiceField, ChoicesField,
    CompleteParams, CompleteResult, Completion, Content, CreateMessageParams, CreateMessageResult,
    DiscoverResult, ElicitAction, ElicitFormParams, ElicitResult, ElicitUrlParams, EmptyResult,
    GetPromptParams, GetPromptResult, IncludeContext, InitializeParams, InitializeResult,
    InputRequest, InputRequiredResult, JsonObject, ListChangedParams, ListPromptsParams,
    ListPromptsResult, ListResourceTemplatesParams, ListResourceTemplatesResult,
    ListResourcesParams, ListResourcesResult, ListRootsParams, ListRootsResult, ListToolsParams,
    ListToolsResult, ListenParams, ListenResult, LoggingLevel, LoggingMessageParams, MediaContent,
    ModelHint, ModelPreferences, NumberField, ProgressParams, Prompt, PromptMessage, RawJson,
    ReadResourceParams, ReadResourceResult, Reference, Resource, ResourceContents,
    ResourceTemplate, ResourceUpdatedParams, Role, Root, SamplingContent, SamplingMessage,
    SetLevelParams, SubscribeParams, TextField, TextFormat, Tool, ToolChoice, ToolChoiceMode,
    ToolResult, ToolUse, UnsubscribeParams,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::samples::{
    annotations, client_capabilities, embedded, filter, implementation, meta, prompt, resource,
    schema, server_capabilities, template, text, tool,
};
use crate::spec::{parse, spec};

/// The revisions, oldest first.
const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

#[test]
fn what_we_write_is_valid_on_every_revision() {
    let Some(spec) = spec() else { return };
    for revision in REVISIONS {
        let schema = parse(&spec.join(revision).join("schema.json"));
        for (definition, document) in documents(revision) {
            let validator = validator(&schema, definition);
            let failures: Vec<_> = validator
                .iter_errors(&document)
                .map(|error| error.to_string())
                .collect();
            assert!(
                failures.is_empty(),
                "{revision} {definition} {document}: {failures:#?}"
            );
            assert!(
                !validator.is_valid(&json!([])),
                "{revision} {definition} accepts anything"
            );
        }
    }
}

/// Returns a validator for one definition of a revision's schema.
pub(crate) fn validator(schema: &Value, definition: &str) -> jsonschema::Validator {
    let key = if schema.get("$defs").is_some() {
        "$defs"
    } else {
        "definitions"
    };
    assert!(
        schema[key][definition].is_object(),
        "no definition of {definition}"
    );
    let schema = json!({
        "$schema": schema["$schema"],
        key: schema[key],
        "$ref": format!("#/{key}/{definition}"),
    });
    jsonschema::validator_for(&schema).unwrap()
}

/// Returns everything that plainly writes on a revision, by the name of its definition there.
#[rustfmt::skip]
fn documents(revision: &str) -> Vec<(&'static str, Value)> {
    let modern = revision == "2026-07-28";
    let shape = |(name, body)| (name, if modern { shaped(body) } else { body });
    let mut documents = vec![
        ("Resource", value(&Resource::new("file:///a", "a"))),
        ("Resource", value(&resource())),
        ("ResourceTemplate", value(&ResourceTemplate::new("file:///{a}", "a"))),
        ("ResourceTemplate", value(&template())),
        ("TextResourceContents", value(&ResourceContents::new(resource(), "x"))),
        ("BlobResourceContents", value(&ResourceContents::new(resource(), vec![0, 255]))),
        ("Tool", value(&Tool::new("a", schema()))),
        ("Tool", value(&shaped_for(revision, tool()))),
        ("Tool", value(&shaped_for(revision, odd_tool()))),
        ("Prompt", value(&Prompt::new("a"))),
        ("Prompt", value(&prompt())),
        ("ServerCapabilities", value(&shaped_for(revision, server_capabilities()))),
        ("ClientCapabilities", value(&client_capabilities())),
        ("Implementation", value(&implementation())),
        ("EmbeddedResource", value(&embedded())),
        ("TextContent", value(&text())),
        ("ImageContent", value(&Content::image(*b"abc", "image/png"))),
    ];
    documents.extend(newer_content().map(|(field, name, block)| {
        let block = value(&shaped_for(revision, block));
        (if field.is_in(revision.parse().unwrap()) { name } else { "TextContent" }, block)
    }));
    documents.extend(results(revision).into_iter().map(shape));
    documents.extend(requests(modern));
    documents.extend(notifications(modern));
    documents.extend(questions(revision));
    documents.extend(answers(revision));
    documents
}

/// Returns the questions that the revision has, written for it.
fn questions(revision: &str) -> Vec<(&'static str, Value)> {
    let written: Revision = revision.parse().unwrap();
    let messages = [
        SamplingMessage::user("x"),
        SamplingMessage::assistant("y"),
        SamplingMessage::new(
            Role::User,
            [SamplingContent::Audio(MediaContent::new(
                *b"abc",
                "audio/wav",
            ))],
        ),
        SamplingMessage::new(
            Role::User,
            [SamplingContent::text("a"), SamplingContent::text("b")],
        ),
    ];
    let sample = CreateMessageParams::new(messages, 1)
        .model_preferences(ModelPreferences::new().hints([ModelHint::new("a")]))
        .include_context(IncludeContext::AllServers)
        .temperature(0.5);
    let mut questions: Vec<(_, InputRequest)> = vec![
        ("ListRootsRequest", ListRootsParams::new().into()),
        ("CreateMessageRequest", sample.clone().into()),
    ];
    if revision >= "2025-06-18" {
        questions.push(("ElicitRequest", form().into()));
    }
    if revision >= "2025-11-25" {
        let visit = ElicitUrlParams::new("https://a.example/", "Sign in").elicitation_id("v");
        questions.push(("ElicitRequest", visit.into()));
        questions.push(("CreateMessageRequest", with_tools(sample).into()));
    }
    let question = |(definition, question): (_, InputRequest)| {
        let mut question = value(&asked(question, written));
        if revision != "2026-07-28" {
            question["jsonrpc"] = json!("2.0");
            question["id"] = json!("q-1");
        }
        (definition, question)
    };
    questions.into_iter().map(question).collect()
}

fn form() -> ElicitFormParams {
    ElicitFormParams::new("Which?")
        .field(
            "text",
            TextField::new()
                .format(TextFormat::DateTime)
                .default_value("x"),
        )
        .optional(
            "number",
            NumberField::integer().minimum(0).default_value(30),
        )
        .field("yes", BooleanField::new().default_value(true))
        .field("one", ChoiceField::new(["a", "b"]).default_value("a"))
        .field("titled", ChoiceField::new([("a", "A")]).default_value("a"))
        .field("some", ChoicesField::new(["a", "b"]).default_values(["a"]))
        .field(
            "more",
            ChoicesField::new([("a", "A")]).min_items(1).max_items(1),
        )
}

fn with_tools(sample: CreateMessageParams) -> CreateMessageParams {
    let input = meta();
    let mut sample = sample
        .tools([tool(), odd_tool()])
        .tool_choice(ToolChoice::new(ToolChoiceMode::Auto));
    sample.messages.extend([
        SamplingMessage::new(
            Role::Assistant,
            [SamplingContent::ToolUse(ToolUse::new("c", "a", input))],
        ),
        SamplingMessage::new(
            Role::User,
            [
                SamplingContent::ToolResult(
                    ToolResult::new("c", [text()])
                        .structured_content(RawJson::parse("[1]").unwrap()),
                ),
                SamplingContent::text("And now?"),
            ],
        ),
    ]);
    sample
}

/// The answers of clients.
fn answers(revision: &str) -> Vec<(&'static str, Value)> {
    let root = Root::new("file:///a").name("a");
    let said = CreateMessageResult::new("m", [SamplingContent::text("x")]).stop_reason("endTurn");
    let mut answers = vec![
        ("ListRootsResult", value(&ListRootsResult::new([root]))),
        ("CreateMessageResult", value(&said)),
    ];
    if revision >= "2025-06-18" {
        let content = JsonObject::from_iter([("a", json!("x")), ("b", json!(true))]);
        answers.push(("ElicitResult", value(&ElicitResult::accept(content))));
        answers.push((
            "ElicitResult",
            value(&ElicitResult::new(ElicitAction::Cancel)),
        ));
    }
    answers
}

fn results(revision: &str) -> Vec<(&'static str, Value)> {
    let mut content = vec![text(), Content::image(*b"abc", "image/png"), embedded()];
    content.extend(newer_content().map(|(.., block)| block));
    let prompts = results_of_prompts(&content, revision);
    let call = |json| {
        let result = CallToolResult::new(content.clone())
            .is_error(true)
            .meta(meta());
        let output = RawJson::parse(json).unwrap();
        value(&shaped_for(revision, result.structured_content(output)))
    };
    let tools = ListToolsResult::new([tool(), odd_tool()]).next_cursor("x");
    let contents = [
        ResourceContents::new(resource(), "x"),
        ResourceContents::new(resource(), vec![0, 255]),
    ];
    let mut results = vec![
        ("ListResourcesResult", value(&ListResourcesResult::new([]))),
        (
            "ListResourcesResult",
            value(
                &ListResourcesResult::new([resource()])
                    .next_cursor("")
                    .meta(meta()),
            ),
        ),
        (
            "ListResourceTemplatesResult",
            value(
                &ListResourceTemplatesResult::new([template()])
                    .next_cursor("x")
                    .meta(meta()),
            ),
        ),
        ("ReadResourceResult", value(&ReadResourceResult::new([]))),
        (
            "ReadResourceResult",
            value(&ReadResourceResult::new(contents).meta(meta())),
        ),
        (
            "ListToolsResult",
            value(&shaped_for(revision, tools.meta(meta()))),
        ),
        ("CallToolResult", value(&CallToolResult::new([]))),
        ("CallToolResult", call("{}")),
        ("CallToolResult", call("[1]")),
    ];
    results.extend(prompts);
    results.extend(results_of_an_era(revision));
    results
}

fn results_of_prompts(content: &[Content], revision: &str) -> Vec<(&'static str, Value)> {
    let says = |block: &Content| PromptMessage::new(Role::Assistant, block.clone());
    let said = GetPromptResult::new(content.iter().map(says).collect::<Vec<_>>());
    let completion = Completion::new(["x".to_owned()]).total(2).has_more(true);
    vec![
        (
            "ListPromptsResult",
            value(
                &ListPromptsResult::new([prompt()])
                    .next_cursor("x")
                    .meta(meta()),
            ),
        ),
        ("GetPromptResult", value(&GetPromptResult::new([]))),
        (
            "GetPromptResult",
            value(&shaped_for(revision, said.description("d").meta(meta()))),
        ),
        (
            "CompleteResult",
            value(&CompleteResult::new(Completion::default())),
        ),
        (
            "CompleteResult",
            value(&CompleteResult::new(completion).meta(meta())),
        ),
    ]
}

/// The results that only one era has.
fn results_of_an_era(revision: &str) -> Vec<(&'static str, Value)> {
    let mut results = Vec::new();
    if revision == "2026-07-28" {
        let discovery =
            DiscoverResult::new([revision.to_owned()], server_capabilities()).instructions("Ask.");
        results.push(("DiscoverResult", value(&discovery.meta(meta()))));
        results.push(("SubscriptionsListenResult", value(&ListenResult::new("x"))));
        let visit = InputRequest::from(ElicitUrlParams::new("https://a.example/", "Sign in"));
        let asked = InputRequiredResult::new([("sign-in", visit)]).request_state("s");
        results.push(("InputRequiredResult", value(&asked)));
    } else {
        let initialized = InitializeResult::new(revision, server_capabilities(), implementation())
            .instructions("Ask.");
        results.push(("InitializeResult", value(&initialized.meta(meta()))));
        results.push(("EmptyResult", value(&EmptyResult::new())));
    }
    results
}

/// Returns the kinds of content that only some revisions have.
fn newer_content() -> impl Iterator<Item = (Feature, &'static str, Content)> {
    let audio = MediaContent::new(*b"abc", "audio/wav")
        .annotations(annotations())
        .meta(meta());
    let link = Content::resource_link(resource());
    [
        (Feature::Audio, "AudioContent", Content::Audio(audio)),
        (Feature::ResourceLink, "ResourceLink", link),
    ]
    .into_iter()
}

/// Returns a tool with schemas that only the newest revision allows.
fn odd_tool() -> Tool {
    let input =
        r#"{"type":"object","properties":{"a":true,"b":false},"additionalProperties":false}"#;
    let tool = Tool::new("odd", RawJson::parse(input).unwrap());
    tool.output_schema(RawJson::parse(r#"{"type":"array"}"#).unwrap())
}

/// Returns the value in the shape that the revision has for it.
fn shaped_for<T: Shape>(revision: &str, mut whole: T) -> T {
    whole.shape(revision.parse().unwrap());
    whole
}

fn requests(modern: bool) -> Vec<(&'static str, Value)> {
    let mut calls = calls();
    if modern {
        let listen = value(&ListenParams::new(filter()));
        calls.push(("SubscriptionsListenRequest", "subscriptions/listen", listen));
    } else {
        calls.extend(legacy_calls());
    }
    let request = |(definition, method, mut params): Call| {
        if modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": implementation(),
                "io.modelcontextprotocol/clientCapabilities": client_capabilities(),
            });
        }
        (
            definition,
            json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}),
        )
    };
    calls.into_iter().map(request).collect()
}

fn notifications(modern: bool) -> Vec<(&'static str, Value)> {
    let updated = ResourceUpdatedParams::new("file:///a");
    let changed = ListChangedParams::new();
    let (updated, changed) = if modern {
        (updated.subscription(1), changed.subscription("x"))
    } else {
        (updated, changed)
    };
    let progress = ProgressParams::new("t", 1.0).total(2.5).message("Half");
    let logged = LoggingMessageParams::new(LoggingLevel::Alert, schema()).logger("l");
    let mut sent = vec![
        ("ProgressNotification", Method::Progress, value(&progress)),
        (
            "LoggingMessageNotification",
            Method::LoggingMessage,
            value(&logged),
        ),
        (
            "ResourceUpdatedNotification",
            Method::ResourceUpdated,
            value(&updated),
        ),
        (
            "ResourceListChangedNotification",
            Method::ResourcesChanged,
            value(&changed),
        ),
        (
            "ToolListChangedNotification",
            Method::ToolsChanged,
            value(&changed),
        ),
        (
            "PromptListChangedNotification",
            Method::PromptsChanged,
            value(&changed),
        ),
    ];
    if modern {
        let acknowledged = AcknowledgedParams::new(1, filter());
        sent.push((
            "SubscriptionsAcknowledgedNotification",
            Method::Acknowledged,
            value(&acknowledged),
        ));
    }
    let message = |(definition, method, params): (_, Method, Value)| {
        let message = json!({"jsonrpc": "2.0", "method": method.name(), "params": params});
        (definition, message)
    };
    sent.into_iter().map(message).collect()
}

/// The definition, the method and the parameters of a request.
type Call = (&'static str, &'static str, Value);

#[rustfmt::skip]
fn calls() -> Vec<Call> {
    let arguments = serde_json::value::to_raw_value(&json!({"a": 1})).unwrap();
    let complete = |reference| CompleteParams::new(reference, "b", "");
    let list = ListResourcesParams::new().cursor("x").uri("file:///a/");
    let templates = ListResourceTemplatesParams::new().cursor("x");
    vec![
        ("ListResourcesRequest", "resources/list", value(&ListResourcesParams::new())),
        ("ListResourcesRequest", "resources/list", value(&list)),
        ("ListResourceTemplatesRequest", "resources/templates/list", value(&templates)),
        ("ReadResourceRequest", "resources/read", value(&ReadResourceParams::new("file:///a"))),
        ("ListToolsRequest", "tools/list", value(&ListToolsParams::new().cursor("x"))),
        ("CallToolRequest", "tools/call", value(&CallToolParams::new("a"))),
        ("ListPromptsRequest", "prompts/list", value(&ListPromptsParams::new().cursor("x"))),
        ("GetPromptRequest", "prompts/get", value(&GetPromptParams::new("a"))),
        ("GetPromptRequest", "prompts/get", value(&GetPromptParams::new("a").arguments([("b", "c")]))),
        ("CompleteRequest", "completion/complete", value(&complete(Reference::prompt("a")))),
        ("CompleteRequest", "completion/complete", value(&complete(Reference::resource("a:{b}")).arguments([("c", "d")]))),
        ("CallToolRequest", "tools/call", value(&CallToolParams::new("a").arguments(&arguments))),
    ]
}

#[rustfmt::skip]
fn legacy_calls() -> [Call; 4] {
    let initialize = InitializeParams::new("2025-11-25", client_capabilities(), implementation());
    [
        ("InitializeRequest", "initialize", value(&initialize)),
        ("SetLevelRequest", "logging/setLevel", value(&SetLevelParams::new(LoggingLevel::Notice))),
        ("SubscribeRequest", "resources/subscribe", value(&SubscribeParams::new("file:///a"))),
        ("UnsubscribeRequest", "resources/unsubscribe", value(&UnsubscribeParams::new("file:///a"))),
    ]
}

/// Adds the members that a modern server's encoder adds to a result.
fn shaped(mut body: Value) -> Value {
    body["resultType"] = json!("complete");
    body["ttlMs"] = json!(0);
    body["cacheScope"] = json!("private");
    body
}

fn value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}
