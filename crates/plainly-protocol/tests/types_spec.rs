//! The types against the spec: its examples come back as they were, and what we write is valid by the JSON Schema of every
//! revision that has the type. The spec is read from the directory in `PLAINLY_SPEC`; without it nothing is checked here.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in building a test's data is a failure of the test"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use plainly_protocol::types::{
    Annotations, CallToolParams, CallToolResult, ClientCapabilities, Content, DiscoverResult,
    ElicitationCapability, EmptyResult, Icon, IconTheme, Implementation, InitializeParams,
    InitializeResult, JsonObject, ListCapability, ListResourceTemplatesParams,
    ListResourceTemplatesResult, ListResourcesParams, ListResourcesResult, ListToolsParams,
    ListToolsResult, MediaContent, RawJson, ReadResourceParams, ReadResourceResult, Resource,
    ResourceContents, ResourceTemplate, ResourcesCapability, ResultFields, ResultType, Role,
    SamplingCapability, ServerCapabilities, SubscribeParams, TextContent, Tool, ToolAnnotations,
    UnsubscribeParams,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const REVISIONS: [&str; 5] = [
    "2024-11-05",
    "2025-03-26",
    "2025-06-18",
    "2025-11-25",
    "2026-07-28",
];

fn spec() -> Option<PathBuf> {
    let directory = std::env::var_os("PLAINLY_SPEC").map(PathBuf::from);
    if directory.is_none() {
        println!("skipped: PLAINLY_SPEC is not set");
    }
    directory
}

fn parse(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads the text as a type and writes it again.
type Again = fn(&str) -> serde_json::Result<Value>;

fn again<T: for<'de> Deserialize<'de> + Serialize>(text: &str) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_str::<T>(text)?)
}

fn call_again(text: &str) -> serde_json::Result<Value> {
    serde_json::to_value(serde_json::from_str::<CallToolParams<'_>>(text)?)
}

/// What stands in the examples of a type.
enum Holds {
    /// The type itself.
    Type,
    /// A request with it as `params`.
    Request,
    /// It as parameters, with the request's `_meta`.
    Params,
    /// It as a result.
    Result,
    /// A response with it as `result`.
    Response,
}

#[rustfmt::skip]
const EXAMPLES: &[(&str, Holds, Again)] = &[
    ("AudioContent", Holds::Type, again::<Content>),
    ("BlobResourceContents", Holds::Type, again::<ResourceContents>),
    ("CallToolRequest", Holds::Request, call_again),
    ("CallToolRequestParams", Holds::Params, call_again),
    ("CallToolResult", Holds::Result, again::<CallToolResult>),
    ("CallToolResultResponse", Holds::Response, again::<CallToolResult>),
    ("ClientCapabilities", Holds::Type, again::<ClientCapabilities>),
    ("DiscoverResult", Holds::Result, again::<DiscoverResult>),
    ("DiscoverResultResponse", Holds::Response, again::<DiscoverResult>),
    ("EmbeddedResource", Holds::Type, again::<Content>),
    ("ImageContent", Holds::Type, again::<Content>),
    ("ListResourceTemplatesRequest", Holds::Request, again::<ListResourceTemplatesParams>),
    ("ListResourceTemplatesResult", Holds::Result, again::<ListResourceTemplatesResult>),
    ("ListResourceTemplatesResultResponse", Holds::Response, again::<ListResourceTemplatesResult>),
    ("ListResourcesRequest", Holds::Request, again::<ListResourcesParams>),
    ("ListResourcesResult", Holds::Result, again::<ListResourcesResult>),
    ("ListResourcesResultResponse", Holds::Response, again::<ListResourcesResult>),
    ("ListToolsRequest", Holds::Request, again::<ListToolsParams>),
    ("ListToolsResult", Holds::Result, again::<ListToolsResult>),
    ("ListToolsResultResponse", Holds::Response, again::<ListToolsResult>),
    ("PaginatedRequestParams", Holds::Params, again::<ListResourcesParams>),
    ("ReadResourceRequest", Holds::Request, again::<ReadResourceParams>),
    ("ReadResourceResult", Holds::Result, again::<ReadResourceResult>),
    ("ReadResourceResultResponse", Holds::Response, again::<ReadResourceResult>),
    ("Resource", Holds::Type, again::<Resource>),
    ("ResourceLink", Holds::Type, again::<Content>),
    ("ServerCapabilities", Holds::Type, again::<ServerCapabilities>),
    ("TextContent", Holds::Type, again::<Content>),
    ("TextResourceContents", Holds::Type, again::<ResourceContents>),
    ("Tool", Holds::Type, again::<Tool>),
];

#[test]
fn examples_come_back() {
    let Some(spec) = spec() else { return };
    for (name, holds, again) in EXAMPLES {
        let directory = spec.join("2026-07-28/examples").join(name);
        let files: Vec<_> = fs::read_dir(&directory)
            .unwrap_or_else(|error| panic!("{}: {error}", directory.display()))
            .map(|entry| entry.unwrap().path())
            .collect();
        assert!(!files.is_empty(), "{name} has no examples");
        for path in files {
            let expected = body(parse(&path), holds);
            let actual = again(&expected.to_string())
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(
                actual,
                with_both_annotations(expected),
                "{}",
                path.display()
            );
        }
    }
}

/// The part of an example that is of the type, without what others write around it.
fn body(mut example: Value, holds: &Holds) -> Value {
    let mut body = match holds {
        Holds::Type | Holds::Params | Holds::Result => example,
        Holds::Request => example["params"].take(),
        Holds::Response => example["result"].take(),
    };
    let members = body.as_object_mut().unwrap();
    match holds {
        Holds::Type => {}
        Holds::Request | Holds::Params => {
            members.remove("_meta");
        }
        Holds::Result | Holds::Response => {
            for field in ["resultType", "ttlMs", "cacheScope"] {
                members.remove(field);
            }
        }
    }
    body
}

/// We write an embedded resource's annotations into the resource as well.
fn with_both_annotations(mut block: Value) -> Value {
    if block["type"] == "resource" && block["annotations"].is_object() {
        block["resource"]["annotations"] = block["annotations"].clone();
    }
    block
}

#[test]
fn result_fields_of_examples_are_read() {
    let Some(spec) = spec() else { return };
    let examples = spec.join("2026-07-28/examples");
    let list = parse(&examples.join("ListToolsResult/tools-list-with-cursor-and-ttl.json"));
    let fields: ResultFields = serde_json::from_value(list.clone()).unwrap();
    assert_eq!(fields.result_type, ResultType::Complete);
    assert_eq!(
        fields.cache.ttl,
        Duration::from_millis(list["ttlMs"].as_u64().unwrap())
    );
    assert_eq!(
        serde_json::to_value(fields.cache.scope).unwrap(),
        list["cacheScope"]
    );

    let discovery = parse(&examples.join("DiscoverResult/server-capabilities-discovery.json"));
    let fields: ResultFields = serde_json::from_value(discovery).unwrap();
    assert_eq!(fields.server_info().unwrap().name, "ExampleServer");

    for entry in fs::read_dir(examples.join("InputRequiredResult")).unwrap() {
        let fields: ResultFields = serde_json::from_value(parse(&entry.unwrap().path())).unwrap();
        assert_eq!(fields.result_type, ResultType::InputRequired);
    }
}

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
fn documents(revision: &str) -> Vec<(&'static str, Value)> {
    let modern = revision == "2026-07-28";
    let mut documents = vec![
        ("Resource", value(&Resource::new("file:///a", "a"))),
        ("Resource", value(&resource())),
        (
            "ResourceTemplate",
            value(&ResourceTemplate::new("file:///{a}", "a")),
        ),
        ("ResourceTemplate", value(&template())),
        (
            "TextResourceContents",
            value(&ResourceContents::new(resource(), "x")),
        ),
        (
            "BlobResourceContents",
            value(&ResourceContents::new(resource(), vec![0, 255])),
        ),
        ("Tool", value(&Tool::new("a", schema()))),
        ("Tool", value(&tool())),
        ("ServerCapabilities", value(&server_capabilities())),
        ("ClientCapabilities", value(&client_capabilities())),
        ("Implementation", value(&implementation())),
        ("EmbeddedResource", value(&embedded())),
        ("TextContent", value(&text())),
        ("ImageContent", value(&Content::image(*b"abc", "image/png"))),
    ];
    documents.extend(
        contents_by_revision(revision)
            .into_iter()
            .map(|block| match block {
                Content::Audio(_) => ("AudioContent", value(&block)),
                Content::ResourceLink(_) => ("ResourceLink", value(&block)),
                other => panic!("{other:?} is in every revision"),
            }),
    );
    documents.extend(
        results(revision)
            .into_iter()
            .map(|(name, body)| (name, if modern { shaped(body) } else { body })),
    );
    documents.extend(requests(modern));
    documents
}

fn results(revision: &str) -> Vec<(&'static str, Value)> {
    let mut content = vec![text(), Content::image(*b"abc", "image/png"), embedded()];
    content.extend(contents_by_revision(revision));
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
    if revision == "2026-07-28" {
        let discovery =
            DiscoverResult::new([revision.to_owned()], server_capabilities()).instructions("Ask.");
        results.push(("DiscoverResult", value(&discovery.meta(meta()))));
    } else {
        let initialized = InitializeResult::new(revision, server_capabilities(), implementation())
            .instructions("Ask.");
        results.push(("InitializeResult", value(&initialized.meta(meta()))));
        results.push(("EmptyResult", value(&EmptyResult::new())));
    }
    results
}

/// The kinds of content that not every revision has.
fn contents_by_revision(revision: &str) -> Vec<Content> {
    let audio = MediaContent::new(*b"abc", "audio/wav")
        .annotations(annotations())
        .meta(meta());
    match revision {
        "2024-11-05" => vec![],
        "2025-03-26" => vec![Content::Audio(audio)],
        _ => vec![Content::Audio(audio), Content::resource_link(resource())],
    }
}

fn requests(modern: bool) -> Vec<(&'static str, Value)> {
    let arguments = serde_json::value::to_raw_value(&json!({"a": 1})).unwrap();
    let initialize = InitializeParams::new("2025-11-25", client_capabilities(), implementation());
    let list = ListResourcesParams::new().cursor("x").uri("file:///a/");
    let mut requests = vec![
        (
            "ListResourcesRequest",
            "resources/list",
            value(&ListResourcesParams::new()),
        ),
        ("ListResourcesRequest", "resources/list", value(&list)),
        (
            "ListResourceTemplatesRequest",
            "resources/templates/list",
            value(&ListResourceTemplatesParams::new().cursor("x")),
        ),
        (
            "ReadResourceRequest",
            "resources/read",
            value(&ReadResourceParams::new("file:///a")),
        ),
        (
            "ListToolsRequest",
            "tools/list",
            value(&ListToolsParams::new().cursor("x")),
        ),
        (
            "CallToolRequest",
            "tools/call",
            value(&CallToolParams::new("a")),
        ),
        (
            "CallToolRequest",
            "tools/call",
            value(&CallToolParams::new("a").arguments(&arguments)),
        ),
    ];
    if !modern {
        requests.extend([
            ("InitializeRequest", "initialize", value(&initialize)),
            (
                "SubscribeRequest",
                "resources/subscribe",
                value(&SubscribeParams::new("file:///a")),
            ),
            (
                "UnsubscribeRequest",
                "resources/unsubscribe",
                value(&UnsubscribeParams::new("file:///a")),
            ),
        ]);
    }
    let request = |(definition, method, mut params): (&'static str, &str, Value)| {
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
    requests.into_iter().map(request).collect()
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

fn schema() -> RawJson {
    RawJson::parse(r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#)
        .unwrap()
}

fn meta() -> JsonObject {
    JsonObject::from_iter([("dev.plainly/x", json!([1]))])
}

fn icon() -> Icon {
    let icon = Icon::new("data:image/png;base64,AAAA").mime_type("image/png");
    icon.sizes(["48x48".to_owned()]).theme(IconTheme::Dark)
}

fn annotations() -> Annotations {
    let annotations = Annotations::new()
        .audience([Role::User, Role::Assistant])
        .priority(0.7);
    annotations.last_modified("2025-01-12T15:00:58Z")
}

fn implementation() -> Implementation {
    let implementation = Implementation::new("a", "1.0")
        .title("A")
        .description("It is.");
    implementation
        .icons([icon()])
        .website_url("https://example.com/")
}

fn resource() -> Resource {
    let resource = Resource::new("file:///a", "a")
        .title("A")
        .description("It is.")
        .mime_type("text/plain");
    let resource = resource.size(1).is_collection(false).icons([icon()]);
    resource.annotations(annotations()).meta(meta())
}

fn template() -> ResourceTemplate {
    let template = ResourceTemplate::new("file:///{a}", "a")
        .title("A")
        .description("They are.");
    template
        .mime_type("text/plain")
        .icons([icon()])
        .annotations(annotations())
        .meta(meta())
}

fn tool() -> Tool {
    let hints = ToolAnnotations::new()
        .title("A")
        .read_only_hint(true)
        .destructive_hint(false);
    let hints = hints.idempotent_hint(true).open_world_hint(false);
    let tool = Tool::new("a", schema())
        .title("A")
        .description("It does.")
        .output_schema(schema());
    tool.annotations(hints).icons([icon()]).meta(meta())
}

fn text() -> Content {
    Content::Text(
        TextContent::new("x")
            .annotations(annotations())
            .meta(meta()),
    )
}

fn embedded() -> Content {
    Content::resource(ResourceContents::new(resource(), "x"))
}

fn server_capabilities() -> ServerCapabilities {
    let named = || JsonObject::from_iter([("dev.plainly/resources", json!({}))]);
    let list = || ListCapability::new().list_changed(true);
    let resources = ResourcesCapability::new()
        .subscribe(true)
        .list_changed(false);
    let capabilities = ServerCapabilities::new()
        .tools(list())
        .prompts(list())
        .resources(resources);
    let capabilities = capabilities
        .logging(JsonObject::new())
        .completions(JsonObject::new());
    capabilities
        .experimental(named())
        .extensions(named())
        .tasks(JsonObject::from_iter([("list", json!({}))]))
}

fn client_capabilities() -> ClientCapabilities {
    let named = || JsonObject::from_iter([("dev.plainly/resources", json!({}))]);
    let elicitation = ElicitationCapability::new()
        .form(JsonObject::new())
        .url(JsonObject::new());
    let sampling = SamplingCapability::new()
        .context(JsonObject::new())
        .tools(JsonObject::new());
    let capabilities = ClientCapabilities::new()
        .elicitation(elicitation)
        .sampling(sampling);
    let capabilities = capabilities
        .roots(ListCapability::new().list_changed(true))
        .experimental(named());
    capabilities
        .extensions(named())
        .tasks(JsonObject::from_iter([("cancel", json!({}))]))
}
