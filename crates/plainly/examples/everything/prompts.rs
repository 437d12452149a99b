//! Prompts: without and with arguments, with a resource, with an image; and argument completion.

use plainly::protocol::types::{self, Content, PromptMessage, ResourceContents, Role};
use plainly::server::ServerBuilder;
use plainly::server::extract::PartialArgument;
use plainly::{Args, Prompt};
use schemars::JsonSchema;
use serde::Deserialize;

use super::media::PNG;

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    let with_arguments = Prompt::new("test_prompt_with_arguments", with_arguments)
        .description("Says its arguments")
        .complete("arg1", cities);
    let with_resource = Prompt::new("test_prompt_with_embedded_resource", with_resource)
        .description("Begins with a resource");
    server
        .prompt(Prompt::new("test_simple_prompt", simple).description("Says one thing"))
        .prompt(with_arguments)
        .prompt(with_resource)
        .prompt(
            Prompt::new("test_prompt_with_image", with_image).description("Begins with an image"),
        )
}

async fn simple() -> &'static str {
    "This is a simple prompt for testing."
}

#[derive(Deserialize, JsonSchema)]
struct Two {
    /// The first argument.
    arg1: String,
    /// The second argument.
    arg2: String,
}

async fn with_arguments(Args(Two { arg1, arg2 }): Args<Two>) -> String {
    format!("Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")
}

async fn cities(typed: PartialArgument) -> Vec<String> {
    typed.matching(["paris", "park", "party", "berlin"])
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct About {
    /// The URI of the resource to begin with.
    resource_uri: String,
}

async fn with_resource(Args(About { resource_uri }): Args<About>) -> Vec<PromptMessage> {
    let resource = types::Resource::new(resource_uri, "embedded").mime_type("text/plain");
    let contents = ResourceContents::new(resource, "Embedded resource content for testing.");
    vec![
        PromptMessage::new(Role::User, Content::resource(contents)),
        PromptMessage::user("Please process the embedded resource above."),
    ]
}

async fn with_image() -> Vec<PromptMessage> {
    vec![
        PromptMessage::new(Role::User, Content::image(PNG, "image/png")),
        PromptMessage::user("Please analyze the image above."),
    ]
}
