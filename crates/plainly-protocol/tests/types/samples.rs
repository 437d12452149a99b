//! A sample of each type, with every field filled.

use plainly_protocol::types::{
    Annotations, ClientCapabilities, Content, ElicitationCapability, Icon, IconTheme,
    Implementation, JsonObject, ListCapability, Prompt, PromptArgument, RawJson, Resource,
    ResourceContents, ResourceTemplate, ResourcesCapability, Role, SamplingCapability,
    ServerCapabilities, SubscriptionFilter, TextContent, Tool, ToolAnnotations,
};
use serde_json::json;

pub(crate) fn schema() -> RawJson {
    RawJson::parse(r#"{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}"#)
        .unwrap()
}

pub(crate) fn meta() -> JsonObject {
    JsonObject::from_iter([("dev.plainly/x", json!([1]))])
}

pub(crate) fn icon() -> Icon {
    let icon = Icon::new("data:image/png;base64,AAAA").mime_type("image/png");
    icon.sizes(["48x48".to_owned()]).theme(IconTheme::Dark)
}

pub(crate) fn annotations() -> Annotations {
    let annotations = Annotations::new()
        .audience([Role::User, Role::Assistant])
        .priority(0.7);
    annotations.last_modified("2025-01-12T15:00:58Z")
}

pub(crate) fn implementation() -> Implementation {
    let implementation = Implementation::new("a", "1.0")
        .title("A")
        .description("It is.");
    implementation
        .icons([icon()])
        .website_url("https://example.com/")
}

pub(crate) fn resource() -> Resource {
    let resource = Resource::new("file:///a", "a")
        .title("A")
        .description("It is.")
        .mime_type("text/plain");
    let resource = resource.size(1).is_collection(false).icons([icon()]);
    resource.annotations(annotations()).meta(meta())
}

pub(crate) fn template() -> ResourceTemplate {
    let template = ResourceTemplate::new("file:///{a}", "a")
        .title("A")
        .description("They are.");
    template
        .mime_type("text/plain")
        .icons([icon()])
        .annotations(annotations())
        .meta(meta())
}

pub(crate) fn tool() -> Tool {
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

pub(crate) fn prompt() -> Prompt {
    let argument = PromptArgument::new("a")
        .title("A")
        .description("It is.")
        .required(true);
    let prompt = Prompt::new("a").title("A").description("It says.");
    prompt
        .arguments([argument, PromptArgument::new("b")])
        .icons([icon()])
        .meta(meta())
}

pub(crate) fn text() -> Content {
    Content::Text(
        TextContent::new("x")
            .annotations(annotations())
            .meta(meta()),
    )
}

pub(crate) fn embedded() -> Content {
    Content::resource(ResourceContents::new(resource(), "x"))
}

pub(crate) fn server_capabilities() -> ServerCapabilities {
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

pub(crate) fn filter() -> SubscriptionFilter {
    let filter = SubscriptionFilter::new()
        .tools_list_changed(true)
        .prompts_list_changed(false);
    filter
        .resources_list_changed(true)
        .resource_subscriptions(["file:///a".to_owned()])
}

pub(crate) fn client_capabilities() -> ClientCapabilities {
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
