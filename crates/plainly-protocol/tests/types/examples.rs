//! The spec's examples of these types come back as they were.

use std::collections::BTreeMap;
use std::fs::{self, DirEntry};
use std::path::{Path, PathBuf};
use std::time::Duration;

use plainly_errors::{Revision, WireError};
use plainly_protocol::envelope::{
    Envelope, Limits, Message, Object, parse as parse_message, parse_object,
};
use plainly_protocol::meta::{
    CLIENT_CAPABILITIES, CLIENT_INFO, LOG_LEVEL, PROGRESS_TOKEN, PROTOCOL_VERSION, RequestMeta,
};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    AcknowledgedParams, CallToolResult, CancelledParams, ClientCapabilities, CompleteParams,
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
use serde_json::{Map, Value, json};

use crate::spec::{parse, spec};
use crate::{again, call_again};

type Again = fn(&str) -> serde_json::Result<String>;

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
    /// An error response with it as `error`.
    ErrorResponse,
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
    ("CancelledNotification", Holds::Notification, again::<CancelledParams>),
    ("CancelledNotificationParams", Holds::Type, again::<CancelledParams>),
    ("DiscoverRequest", Holds::Request, again::<Nothing>),
    ("HeaderMismatchError", Holds::ErrorResponse, again::<WireError>),
    ("InternalError", Holds::Type, again::<WireError>),
    ("InvalidParamsError", Holds::Type, again::<WireError>),
    ("MethodNotFoundError", Holds::Type, again::<WireError>),
    ("MissingRequiredClientCapabilityError", Holds::ErrorResponse, again::<WireError>),
    ("ParseError", Holds::Type, again::<WireError>),
    ("UnsupportedProtocolVersionError", Holds::ErrorResponse, again::<WireError>),
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

/// The parameters of a method that has none of its own.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[test]
fn examples_come_back() {
    let Some(spec) = spec() else { return };
    for (name, path) in all_of(&spec.join("2026-07-28/examples")) {
        let row = EXAMPLES.iter().find(|(of, ..)| *of == name);
        let (_, holds, again) = row.unwrap_or_else(|| panic!("{name} has no type"));
        let example = parse(&path);
        check_around(&example, holds);
        let expected = body(example, holds);
        let actual = again(&expected.to_string())
            .and_then(|text| serde_json::from_str::<Value>(&text))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let expected = with_both_annotations(expected);
        assert_eq!(actual, expected, "{}", path.display());
    }
}

#[test]
fn each_type_has_examples() {
    let Some(spec) = spec() else { return };
    let found = all_of(&spec.join("2026-07-28/examples"));
    for (name, ..) in EXAMPLES {
        assert!(found.iter().any(|(of, _)| of == name), "{name} has none");
    }
}

/// Every example, with the name of its directory.
fn all_of(examples: &Path) -> Vec<(String, PathBuf)> {
    let entries = |directory: &Path| -> Vec<_> {
        let entries = fs::read_dir(directory).unwrap();
        entries.map(|entry| entry.unwrap()).collect()
    };
    let of = |directory: DirEntry| {
        let name = directory.file_name().into_string().unwrap();
        let files = entries(&directory.path());
        files
            .into_iter()
            .map(move |file| (name.clone(), file.path()))
    };
    entries(examples).into_iter().flat_map(of).collect()
}

/// What stands around the type is read as well: the envelope, the method, `_meta` and the fields of any result.
fn check_around(example: &Value, holds: &Holds) {
    let text = example.to_string();
    let message = || match parse_message(text.as_bytes(), &Limits::default()) {
        Ok(Envelope::Single(message)) => message,
        other => panic!("{text}: {other:?}"),
    };
    let has_method = |name: &str| Method::find(name, Revision::LATEST).is_some();
    match holds {
        Holds::Type | Holds::Question => {}
        Holds::Request => match message() {
            Message::Request(request) if has_method(&request.method) => {
                check_meta(request.params.as_ref(), &example["params"]["_meta"]);
            }
            other @ (Message::Request(_) | Message::Notification(_) | Message::Response(_)) => {
                panic!("{other:?}")
            }
        },
        Holds::Notification => {
            assert!(matches!(message(), Message::Notification(sent) if has_method(&sent.method)));
        }
        Holds::Params => {
            let params = parse_object(&text, &Limits::default()).unwrap();
            check_meta(Some(&params), &example["_meta"]);
        }
        Holds::Result => check_fields(example),
        Holds::Response => {
            assert!(matches!(message(), Message::Response(_)));
            check_fields(&example["result"]);
        }
        Holds::ErrorResponse => assert!(matches!(message(), Message::Response(_))),
    }
}

/// The `_meta` of a request, as it is read, says all that is written.
fn check_meta(params: Option<&Object<'_>>, expected: &Value) {
    let meta = RequestMeta::of(params);
    let mut read = Map::new();
    if let Some(token) = meta.progress_token() {
        read.insert(PROGRESS_TOKEN.to_owned(), json!(token));
    }
    if let Some(level) = meta.log_level().unwrap() {
        read.insert(LOG_LEVEL.to_owned(), json!(level));
    }
    if let Some(version) = meta.protocol_version() {
        read.insert(PROTOCOL_VERSION.to_owned(), json!(version));
    }
    let introduction = meta.introduction().unwrap();
    let capabilities = json!(introduction.capabilities);
    read.insert(CLIENT_CAPABILITIES.to_owned(), capabilities);
    if let Some(client) = introduction.implementation {
        read.insert(CLIENT_INFO.to_owned(), json!(client));
    }
    assert_eq!(&Value::Object(read), expected);
}

/// The fields that any result has, as they are read, say what is written.
fn check_fields(result: &Value) {
    let fields: ResultFields = serde_json::from_value(result.clone()).unwrap();
    assert_eq!(fields.result_type.as_str(), result["resultType"]);
    if let Some(ttl) = result.get("ttlMs") {
        assert_eq!(json!(fields.cache.ttl.as_millis() as u64), *ttl);
        assert_eq!(json!(fields.cache.scope), result["cacheScope"]);
    }
}

/// The part of an example that is of the type, without what others write around it.
fn body(mut example: Value, holds: &Holds) -> Value {
    let mut body = match holds {
        Holds::Type | Holds::Question | Holds::Params | Holds::Result => example,
        Holds::Request | Holds::Notification => example["params"].take(),
        Holds::Response => example["result"].take(),
        Holds::ErrorResponse => example["error"].take(),
    };
    // Notifications without parameters may leave them out.
    if body.is_null() {
        body = json!({});
    }
    let members = body.as_object_mut().unwrap();
    match holds {
        Holds::Type | Holds::Notification | Holds::ErrorResponse => {}
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
    let found = serde_json::to_value(fields.cache.scope).unwrap();
    assert_eq!(found, list["cacheScope"]);

    let discovery = parse(&examples.join("DiscoverResult/server-capabilities-discovery.json"));
    let fields: ResultFields = serde_json::from_value(discovery).unwrap();
    assert_eq!(fields.server_info().unwrap().name, "ExampleServer");

    for entry in fs::read_dir(examples.join("InputRequiredResult")).unwrap() {
        let fields: ResultFields = serde_json::from_value(parse(&entry.unwrap().path())).unwrap();
        assert_eq!(fields.result_type, ResultType::InputRequired);
    }
}
