//! The cases served by this project.

use plainly::server::extract::Args;
use plainly::server::reply::{Blob, Text};
use plainly::server::{BuildErrors, Resource, Server, ServerBuilder, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::Case;
use crate::contents::{Content, Held, TOOL_DESCRIPTION, TOOL_SCHEMA, tool_names};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

async fn search(Args(_): Args<Map<String, Value>>) -> &'static str {
    "nothing found"
}

/// Builds a server for the case.
///
/// # Errors
/// Never fails, unless a case is declared incorrectly.
pub fn server(case: Case) -> Result<Server, BuildErrors> {
    let builder = Server::builder("bench", "1.0.0");
    let builder = match (case, case.held()) {
        (Case::Echo, _) => builder.tool(Tool::new("echo", echo)),
        (Case::List, _) => tool_names().fold(builder, |builder, name| {
            builder.tool(
                Tool::new(name, search)
                    .description(TOOL_DESCRIPTION)
                    .input_schema(TOOL_SCHEMA),
            )
        }),
        (_, Some(held)) => resource(builder, held),
        (_, None) => builder,
    };
    builder.build()
}

fn resource(builder: ServerBuilder, held: Held) -> ServerBuilder {
    match held.content {
        Content::Text(text) => {
            let read = move || std::future::ready(Text::plain(text.clone()));
            builder.resource(Resource::new(held.uri, read))
        }
        Content::Binary(bytes) => {
            let read =
                move || std::future::ready(Blob::new(bytes.clone(), "application/octet-stream"));
            builder.resource(Resource::new(held.uri, read))
        }
    }
}
