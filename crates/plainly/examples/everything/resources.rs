//! Resources: text, bytes, one that changes, and a template with a resource for every number.

use plainly::server::ServerBuilder;
use plainly::{Blob, Resource, ResourceTemplate, Text, Vars};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::media::PNG;

/// The resource that clients can subscribe to.
pub(crate) const WATCHED: &str = "test://watched-resource";

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    let text = Resource::new("test://static-text", static_text)
        .name("static-text")
        .description("Text that is always the same")
        .mime_type("text/plain");
    let binary = Resource::new("test://static-binary", static_binary)
        .name("static-binary")
        .description("An image that is always the same")
        .mime_type("image/png");
    let watched = Resource::new(WATCHED, watched)
        .name("watched-resource")
        .description("What one can subscribe to")
        .mime_type("text/plain");
    let template = ResourceTemplate::new("test://template/{id}/data", data)
        .name("template")
        .description("Data by its id")
        .mime_type("application/json");
    server
        .resource(text)
        .resource(binary)
        .resource(watched)
        .resource_template(template)
}

async fn static_text() -> Text {
    Text::plain("This is the content of the static text resource.")
}

async fn static_binary() -> Blob {
    Blob::new(PNG, "image/png")
}

async fn watched() -> Text {
    Text::plain("This is the content of the watched resource.")
}

#[derive(Deserialize, JsonSchema)]
struct Of {
    id: String,
}

async fn data(Vars(Of { id }): Vars<Of>) -> Text {
    let data = json!({
        "id": id,
        "templateTest": true,
        "data": format!("Data for ID: {id}"),
    });
    Text::json(data.to_string())
}
