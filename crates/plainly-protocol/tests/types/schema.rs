//! What we write is valid by the JSON Schema of every revision that has the type.

use plainly_protocol::method::Method;
use plainly_protocol::types::{
    AcknowledgedParams, CallToolParams, CallToolResult, CompleteParams, CompleteResult, Completion,
    Content, DiscoverResult, ElicitUrlParams, EmptyResult, GetPromptParams, GetPromptResult,
    InitializeParams, InitializeResult, InputRequest, InputRequiredResult, ListChangedParams,
    ListPromptsParams, ListPromptsResult, ListResourceTemplatesParams, ListResourceTemplatesResult,
    ListResourcesParams, ListResourcesResult, ListToolsParams, ListToolsResult, ListenParams,
    ListenResult, LoggingLevel, LoggingMessageParams, MediaContent, ProgressParams, Prompt,
    PromptMessage, RawJson, ReadResourceParams, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate, ResourceUpdatedParams, Role, SetLevelParams,
    SubscribeParams, Tool, UnsubscribeParams,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::samples::{
    annotations, client_capabilities, embedded, filter, implementation, meta, prompt, resource,
    schema, server_capabilities, template, text, tool,
};
use crate::spec::{parse, spec};

/// Oldest first.
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

/// A validator for one definition of a revision's schema.
fn validator(schema: &Value, definition: &str) -> jsonschema::Validator {
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

/// Everything we write on a revision, by the name of its definition there.
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
        ("Tool", value(&tool())),
        ("Prompt", value(&Prompt::new("a"))),
        ("Prompt", value(&prompt())),
        ("ServerCapabilities", value(&server_capabilities())),
        ("ClientCapabilities", value(&client_capabilities())),
        ("Implementation", value(&implementation())),
        ("EmbeddedResource", value(&embedded())),
        ("TextContent", value(&text())),
        ("ImageContent", value(&Content::image(*b"abc", "image/png"))),
    ];
    documents.extend(newer_content(revision).iter().map(|(name, block)| (*name, value(block))));
    documents.extend(results(revision).into_iter().map(shape));
    documents.extend(requests(modern));
    documents.extend(notifications(modern));
    documents
}

fn results(revision: &str) -> Vec<(&'static str, Value)> {
    let mut content = vec![text(), Content::image(*b"abc", "image/png"), embedded()];
    content.extend(newer_content(revision).into_iter().map(|(_, block)| block));
    let prompts = results_of_prompts(&content);
    let call = CallToolResult::new(content).structured_content(RawJson::parse("{}").unwrap());
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
            value(&ListToolsResult::new([tool()]).next_cursor("x").meta(meta())),
        ),
        ("CallToolResult", value(&CallToolResult::new([]))),
        ("CallToolResult", value(&call.is_error(true).meta(meta()))),
    ];
    results.extend(prompts);
    results.extend(results_of_an_era(revision));
    results
}

fn results_of_prompts(content: &[Content]) -> Vec<(&'static str, Value)> {
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
            value(&said.description("d").meta(meta())),
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

/// Those that only one era has.
fn results_of_an_era(revision: &str) -> Vec<(&'static str, Value)> {
    let mut results = Vec::new();
    if revision == "2026-07-28" {
        let discovery =
            DiscoverResult::new([revision.to_owned()], server_capabilities()).instructions("Ask.");
        results.push(("DiscoverResult", value(&discovery.meta(meta()))));
        results.push(("SubscriptionsListenResult", value(&ListenResult::new("x"))));
        let visit = InputRequest::ElicitUrl(ElicitUrlParams::new("https://a.example/", "Sign in"));
        let asked = InputRequiredResult::new([("sign-in".to_owned(), visit)]);
        results.push(("InputRequiredResult", value(&asked)));
    } else {
        let initialized = InitializeResult::new(revision, server_capabilities(), implementation())
            .instructions("Ask.");
        results.push(("InitializeResult", value(&initialized.meta(meta()))));
        results.push(("EmptyResult", value(&EmptyResult::new())));
    }
    results
}

/// The kinds of content that not every revision has.
fn newer_content(revision: &str) -> Vec<(&'static str, Content)> {
    let audio = MediaContent::new(*b"abc", "audio/wav")
        .annotations(annotations())
        .meta(meta());
    let audio = ("AudioContent", Content::Audio(audio));
    match revision {
        "2024-11-05" => vec![],
        "2025-03-26" => vec![audio],
        _ => vec![audio, ("ResourceLink", Content::resource_link(resource()))],
    }
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

/// Definition, method and parameters of a request.
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

/// What the encoder of a modern server adds to a result.
fn shaped(mut body: Value) -> Value {
    body["resultType"] = json!("complete");
    body["ttlMs"] = json!(0);
    body["cacheScope"] = json!("private");
    body
}

fn value<T: Serialize>(value: &T) -> Value {
    serde_json::to_value(value).unwrap()
}
