//! Each type with every field it has, as it stands on the wire: names, order, and that reading loses none of them.

use plainly_protocol::types::{
    AcknowledgedParams, Annotations, CallToolResult, CancelledParams, ClientCapabilities,
    CompleteParams, CompleteResult, Content, DiscoverResult, EmptyResult, GetPromptParams,
    GetPromptResult, Icon, Implementation, InitializeParams, InitializeResult, ListChangedParams,
    ListPromptsParams, ListPromptsResult, ListResourceTemplatesParams, ListResourceTemplatesResult,
    ListResourcesParams, ListResourcesResult, ListToolsParams, ListToolsResult, ListenParams,
    ListenResult, LoggingMessageParams, ProgressParams, Prompt, PromptArgument, PromptMessage,
    ReadDirectoryParams, ReadResourceParams, ReadResourceResult, Resource, ResourceContents,
    ResourceMetadataParams, ResourceMetadataResult, ResourceTemplate, ResourceUpdatedParams,
    ServerCapabilities, SetLevelParams, SubscribeParams, SubscriptionFilter, Tool, ToolAnnotations,
    UnsubscribeParams,
};

use crate::again;

type Again = fn(&str) -> serde_json::Result<String>;

#[rustfmt::skip]
const WIRE: &[(Again, &str)] = &[
    (again::<Implementation>, r#"{"name":"a","version":"1","title":"A","description":"d","icons":[],"websiteUrl":"https://a.example/"}"#),
    (again::<Icon>, r#"{"src":"data:,","mimeType":"image/png","sizes":["any"],"theme":"light"}"#),
    (again::<Annotations>, r#"{"audience":["user","assistant"],"priority":0.5,"lastModified":"2025-01-12T15:00:58Z"}"#),
    (again::<ServerCapabilities>, r#"{"completions":{},"experimental":{"x":{}},"extensions":{"a/b":{}},"logging":{},"prompts":{"listChanged":true},"resources":{"subscribe":true,"listChanged":true},"tasks":{"list":{}},"tools":{"listChanged":false}}"#),
    (again::<ClientCapabilities>, r#"{"elicitation":{"form":{},"url":{}},"experimental":{"x":{}},"extensions":{"a/b":{}},"roots":{"listChanged":true},"sampling":{"context":{},"tools":{}},"tasks":{"list":{}}}"#),
    (again::<InitializeParams>, r#"{"protocolVersion":"v","capabilities":{},"clientInfo":{"name":"a","version":"1"}}"#),
    (again::<InitializeResult>, r#"{"protocolVersion":"v","capabilities":{},"serverInfo":{"name":"a","version":"1"},"instructions":"i","_meta":{"x":1}}"#),
    (again::<DiscoverResult>, r#"{"supportedVersions":["v"],"capabilities":{},"instructions":"i","_meta":{"x":1}}"#),
    (again::<EmptyResult>, r#"{"_meta":{"x":1}}"#),
    (again::<Resource>, r#"{"uri":"a:b","name":"b","title":"B","description":"d","mimeType":"text/plain","size":1,"isCollection":true,"icons":[],"annotations":{},"_meta":{"x":1}}"#),
    (again::<ResourceTemplate>, r#"{"uriTemplate":"a:{b}","name":"b","title":"B","description":"d","mimeType":"text/plain","icons":[],"annotations":{},"_meta":{"x":1}}"#),
    (again::<ResourceContents>, r#"{"uri":"a:b","name":"b","title":"B","description":"d","mimeType":"text/plain","size":1,"isCollection":true,"icons":[],"annotations":{},"_meta":{"x":1},"text":"x"}"#),
    (again::<ListResourcesParams>, r#"{"cursor":"c","uri":"a:b"}"#),
    (again::<ReadDirectoryParams>, r#"{"uri":"a:b","cursor":"c"}"#),
    (again::<ListResourcesResult>, r#"{"resources":[],"nextCursor":"c","_meta":{"x":1}}"#),
    (again::<ListResourceTemplatesParams>, r#"{"cursor":"c"}"#),
    (again::<ListResourceTemplatesResult>, r#"{"resourceTemplates":[],"nextCursor":"c","_meta":{"x":1}}"#),
    (again::<ReadResourceParams>, r#"{"uri":"a:b"}"#),
    (again::<ReadResourceResult>, r#"{"contents":[],"_meta":{"x":1}}"#),
    (again::<ResourceMetadataParams>, r#"{"uri":"a:b"}"#),
    (again::<ResourceMetadataResult>, r#"{"resource":{"uri":"a:b","name":"b"},"_meta":{"x":1}}"#),
    (again::<SubscribeParams>, r#"{"uri":"a:b"}"#),
    (again::<UnsubscribeParams>, r#"{"uri":"a:b"}"#),
    (again::<SubscriptionFilter>, r#"{"toolsListChanged":true,"promptsListChanged":false,"resourcesListChanged":true,"resourceSubscriptions":["a:b"],"taskIds":["t"]}"#),
    (again::<ListenParams>, r#"{"notifications":{}}"#),
    (again::<AcknowledgedParams>, r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":"1"},"notifications":{"toolsListChanged":true}}"#),
    (again::<ResourceUpdatedParams>, r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"uri":"a:b"}"#),
    (again::<ResourceUpdatedParams>, r#"{"uri":"a:b"}"#),
    (again::<ListChangedParams>, r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}"#),
    (again::<ListChangedParams>, r#"{}"#),
    (again::<ListenResult>, r#"{"_meta":{"io.modelcontextprotocol/subscriptionId":1}}"#),
    (again::<Tool>, r#"{"name":"a","title":"A","description":"d","inputSchema":{},"outputSchema":{},"annotations":{},"icons":[],"_meta":{"x":1}}"#),
    (again::<ToolAnnotations>, r#"{"title":"A","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}"#),
    (again::<ListToolsParams>, r#"{"cursor":"c"}"#),
    (again::<ListToolsResult>, r#"{"tools":[],"nextCursor":"c","_meta":{"x":1}}"#),
    (again::<CallToolResult>, r#"{"content":[],"structuredContent":{"a":1},"isError":false,"_meta":{"x":1}}"#),
    (again::<Prompt>, r#"{"name":"a","title":"A","description":"d","arguments":[],"icons":[],"_meta":{"x":1}}"#),
    (again::<PromptArgument>, r#"{"name":"a","title":"A","description":"d","required":false}"#),
    (again::<PromptMessage>, r#"{"role":"assistant","content":{"type":"text","text":"x"}}"#),
    (again::<ListPromptsParams>, r#"{"cursor":"c"}"#),
    (again::<ListPromptsResult>, r#"{"prompts":[],"nextCursor":"c","_meta":{"x":1}}"#),
    (again::<GetPromptParams>, r#"{"name":"a","arguments":{"a":"1","b":""}}"#),
    (again::<GetPromptResult>, r#"{"description":"d","messages":[],"_meta":{"x":1}}"#),
    (again::<CompleteParams>, r#"{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"a","value":"x"},"context":{"arguments":{"b":"y"}}}"#),
    (again::<CompleteParams>, r#"{"ref":{"type":"ref/resource","uri":"a:{b}"},"argument":{"name":"b","value":""},"context":{}}"#),
    (again::<CompleteResult>, r#"{"completion":{"values":["x"],"total":2,"hasMore":true},"_meta":{"x":1}}"#),
    (again::<CancelledParams>, r#"{"requestId":1,"reason":"r"}"#),
    (again::<SetLevelParams>, r#"{"level":"debug"}"#),
    (again::<LoggingMessageParams>, r#"{"level":"error","logger":"l","data":[1.0]}"#),
    (again::<ProgressParams>, r#"{"progressToken":"t","progress":1,"total":2.5,"message":"m"}"#),
    (again::<Content>, r#"{"type":"text","text":"x","annotations":{},"_meta":{"x":1}}"#),
    (again::<Content>, r#"{"type":"image","data":"YWJj","mimeType":"image/png","annotations":{},"_meta":{"x":1}}"#),
    (again::<Content>, r#"{"type":"audio","data":"YWJj","mimeType":"audio/wav","annotations":{},"_meta":{"x":1}}"#),
    (again::<Content>, r#"{"type":"resource","resource":{"uri":"a:b","annotations":{},"blob":"YWJj"},"annotations":{},"_meta":{"x":1}}"#),
    (again::<Content>, r#"{"type":"resource_link","uri":"a:b","name":"b","title":"B","description":"d","mimeType":"text/plain","size":1,"isCollection":true,"icons":[],"annotations":{},"_meta":{"x":1}}"#),
];

#[test]
fn every_field_comes_back() {
    for (again, wire) in WIRE {
        let written = again(wire).unwrap_or_else(|error| panic!("{wire}: {error}"));
        assert_eq!(written, *wire);
    }
}
