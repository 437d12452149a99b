//! The spec's examples of these types come back as they were.

use std::collections::BTreeMap;
use std::fs;
use std::time::Duration;

use plainly_protocol::types::{
    AcknowledgedParams, CallToolParams, CallToolResult, ClientCapabilities, CompleteParams,
    CompleteResult, Content, CreateMessageParams, CreateMessageResult, DiscoverResult,
    ElicitParams, ElicitResult, Field, GetPromptParams, GetPromptResult, InputRequest,
    InputRequiredResult, InputResponses, ListChangedParams, ListPromptsParams, ListPromptsResult,
    ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams,
    ListResourcesResult, ListRootsResult, ListToolsParams, ListToolsResult, ListenParams,
    ListenResult, LoggingMessageParams, ModelPreferences, ProgressParams, ReadResourceParams,
    ReadResourceResult, Resource, ResourceContents, ResourceUpdatedParams, ResultFields,
    ResultType, Root, SamplingContent, SamplingMessage, ServerCapabilities, Tool,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::spec::{parse, spec};

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
    /// It with an id, as where questions were requests.
    Question,
    /// A notification with it as `params`.
    Notification,
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
    ("BooleanSchema", Holds::Type, again::<Field>),
    ("CallToolRequest", Holds::Request, call_again),
    ("CallToolRequestParams", Holds::Params, call_again),
    ("CallToolResult", Holds::Result, again::<CallToolResult>),
    ("CallToolResultResponse", Holds::Response, again::<CallToolResult>),
    ("ClientCapabilities", Holds::Type, again::<ClientCapabilities>),
    ("CreateMessageRequest", Holds::Type, again::<InputRequest>),
    ("CreateMessageRequestParams", Holds::Type, again::<CreateMessageParams>),
    ("CreateMessageResult", Holds::Type, again::<CreateMessageResult>),
    ("DiscoverResult", Holds::Result, again::<DiscoverResult>),
    ("DiscoverResultResponse", Holds::Response, again::<DiscoverResult>),
    ("EmbeddedResource", Holds::Type, again::<Content>),
    ("ImageContent", Holds::Type, again::<Content>),
    ("ListResourceTemplatesRequest", Holds::Request, again::<ListResourceTemplatesParams>),
    ("ListResourceTemplatesResult", Holds::Result, again::<ListResourceTemplatesResult>),
    ("ListResourceTemplatesResultResponse", Holds::Response, again::<ListResourceTemplatesResult>),
    ("ElicitRequest", Holds::Type, again::<InputRequest>),
    ("ElicitRequestFormParams", Holds::Type, again::<ElicitParams>),
    ("ElicitRequestURLParams", Holds::Type, again::<ElicitParams>),
    ("ElicitResult", Holds::Type, again::<ElicitResult>),
    ("InputRequests", Holds::Type, again::<BTreeMap<String, InputRequest>>),
    ("InputRequiredResult", Holds::Result, again::<InputRequiredResult>),
    ("InputResponses", Holds::Type, again::<InputResponses>),
    ("ListRootsRequest", Holds::Question, again::<InputRequest>),
    ("ListRootsResult", Holds::Type, again::<ListRootsResult>),
    ("ModelPreferences", Holds::Type, again::<ModelPreferences>),
    ("NumberSchema", Holds::Type, again::<Field>),
    ("Root", Holds::Type, again::<Root>),
    ("SamplingMessage", Holds::Type, again::<SamplingMessage>),
    ("StringSchema", Holds::Type, again::<Field>),
    ("TitledMultiSelectEnumSchema", Holds::Type, again::<Field>),
    ("TitledSingleSelectEnumSchema", Holds::Type, again::<Field>),
    ("ToolResultContent", Holds::Type, again::<SamplingContent>),
    ("ToolUseContent", Holds::Type, again::<SamplingContent>),
    ("UntitledMultiSelectEnumSchema", Holds::Type, again::<Field>),
    ("UntitledSingleSelectEnumSchema", Holds::Type, again::<Field>),
    ("ListResourcesRequest", Holds::Request, again::<ListResourcesParams>),
    ("ListResourcesResult", Holds::Result, again::<ListResourcesResult>),
    ("ListResourcesResultResponse", Holds::Response, again::<ListResourcesResult>),
    ("CompleteRequest", Holds::Request, again::<CompleteParams>),
    ("CompleteRequestParams", Holds::Params, again::<CompleteParams>),
    ("CompleteResult", Holds::Result, again::<CompleteResult>),
    ("CompleteResultResponse", Holds::Response, again::<CompleteResult>),
    ("GetPromptRequest", Holds::Request, again::<GetPromptParams>),
    ("GetPromptRequestParams", Holds::Params, again::<GetPromptParams>),
    ("GetPromptResult", Holds::Result, again::<GetPromptResult>),
    ("GetPromptResultResponse", Holds::Response, again::<GetPromptResult>),
    ("ListPromptsRequest", Holds::Request, again::<ListPromptsParams>),
    ("ListPromptsResult", Holds::Result, again::<ListPromptsResult>),
    ("ListPromptsResultResponse", Holds::Response, again::<ListPromptsResult>),
    ("ListToolsRequest", Holds::Request, again::<ListToolsParams>),
    ("ListToolsResult", Holds::Result, again::<ListToolsResult>),
    ("ListToolsResultResponse", Holds::Response, again::<ListToolsResult>),
    ("LoggingMessageNotification", Holds::Notification, again::<LoggingMessageParams>),
    ("LoggingMessageNotificationParams", Holds::Type, again::<LoggingMessageParams>),
    ("PaginatedRequestParams", Holds::Params, again::<ListResourcesParams>),
    ("ReadResourceRequest", Holds::Request, again::<ReadResourceParams>),
    ("ReadResourceResult", Holds::Result, again::<ReadResourceResult>),
    ("ReadResourceResultResponse", Holds::Response, again::<ReadResourceResult>),
    ("Resource", Holds::Type, again::<Resource>),
    ("ResourceLink", Holds::Type, again::<Content>),
    ("ProgressNotification", Holds::Notification, again::<ProgressParams>),
    ("ProgressNotificationParams", Holds::Type, again::<ProgressParams>),
    ("PromptListChangedNotification", Holds::Notification, again::<ListChangedParams>),
    ("ResourceListChangedNotification", Holds::Notification, again::<ListChangedParams>),
    ("ResourceUpdatedNotification", Holds::Notification, again::<ResourceUpdatedParams>),
    ("ResourceUpdatedNotificationParams", Holds::Type, again::<ResourceUpdatedParams>),
    ("ServerCapabilities", Holds::Type, again::<ServerCapabilities>),
    ("SubscriptionsAcknowledgedNotification", Holds::Notification, again::<AcknowledgedParams>),
    ("SubscriptionsListenRequest", Holds::Request, again::<ListenParams>),
    ("SubscriptionsListenResult", Holds::Result, again::<ListenResult>),
    ("SubscriptionsListenResultResponse", Holds::Response, again::<ListenResult>),
    ("TextContent", Holds::Type, again::<Content>),
    ("TextResourceContents", Holds::Type, again::<ResourceContents>),
    ("Tool", Holds::Type, again::<Tool>),
    ("ToolListChangedNotification", Holds::Notification, again::<ListChangedParams>),
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
        Holds::Type | Holds::Question | Holds::Params | Holds::Result => example,
        Holds::Request | Holds::Notification => example["params"].take(),
        Holds::Response => example["result"].take(),
    };
    let members = body.as_object_mut().unwrap();
    match holds {
        Holds::Type | Holds::Notification => {}
        Holds::Question => {
            members.remove("id");
        }
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
