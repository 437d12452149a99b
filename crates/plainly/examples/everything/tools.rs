//! Tools that reply at once: each kind of content, a failure, and replies that depend on more than
//! the arguments.

use plainly::protocol::types::{Content, Resource, ResourceContents};
use plainly::server::{Changes, ServerBuilder};
use plainly::{Context, Failure, ProtocolError, State, Tool};
use serde_json::{Map, json};

use super::media::{PNG, WAV};
use super::resources::WATCHED;

/// Adds the tools. The first one listed takes no arguments, so that a client that wants to call any
/// tool can call it.
pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    server
        .tool(Tool::new("test_simple_text", simple_text).description("Answers with text"))
        .tool(Tool::new("test_image_content", image).description("Answers with an image"))
        .tool(Tool::new("test_audio_content", audio).description("Answers with a recording"))
        .tool(Tool::new("test_embedded_resource", embedded).description("Answers with a resource"))
        .tool(Tool::new("test_multiple_content_types", several).description("Answers with several"))
        .tool(Tool::new("test_error_handling", failing).description("Fails"))
        .tool(Tool::new("test_missing_capability", capable).description("Wants one that samples"))
        .tool(Tool::new("test_trigger_tool_change", change_tools).description("Changes the tools"))
        .tool(
            Tool::new("test_trigger_prompt_change", change_prompts)
                .description("Changes the prompts"),
        )
        .tool(
            Tool::new("test_trigger_resource_update", update_resource)
                .description("Changes the watched resource"),
        )
}

async fn simple_text() -> &'static str {
    "This is a simple text response for testing."
}

async fn image() -> Content {
    Content::image(PNG, "image/png")
}

async fn audio() -> Content {
    Content::audio(WAV, "audio/wav")
}

async fn embedded() -> Content {
    let resource = Resource::new("test://embedded-resource", "embedded").mime_type("text/plain");
    let text = "This is an embedded resource content.";
    Content::resource(ResourceContents::new(resource, text))
}

async fn several() -> Vec<Content> {
    let resource =
        Resource::new("test://mixed-content-resource", "mixed").mime_type("application/json");
    let contents = ResourceContents::new(resource, r#"{"test":"data","value":123}"#);
    vec![
        Content::text("Multiple content types test:"),
        Content::image(PNG, "image/png"),
        Content::resource(contents),
    ]
}

/// Fails with an error that the model reads, although the call itself succeeded.
async fn failing() -> Result<String, Failure> {
    Err(Failure::text(
        "This tool intentionally returns an error for testing",
    ))
}

/// Checks a capability that the client declares, with each request or once at the start.
async fn capable(context: Context) -> Result<&'static str, ProtocolError> {
    if context.capabilities().sampling.is_some() {
        return Ok("The client can sample.");
    }
    let required = Map::from_iter([("sampling".to_owned(), json!({}))]);
    Err(ProtocolError::missing_client_capability(required))
}

/// Notifies subscribers that the list of tools has changed.
async fn change_tools(State(changes): State<Changes>) -> &'static str {
    changes.tools_changed();
    "The tools have changed."
}

async fn change_prompts(State(changes): State<Changes>) -> &'static str {
    changes.prompts_changed();
    "The prompts have changed."
}

async fn update_resource(State(changes): State<Changes>) -> &'static str {
    changes.resource_updated(WATCHED);
    "The resource has changed."
}
