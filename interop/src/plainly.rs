//! The cases served by this project.

use plainly::server::extract::Args;
use plainly::server::reply::Text;
use plainly::server::{BuildErrors, Resource, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{RESOURCE_URI, resource_text};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

/// A server of the cases.
///
/// # Errors
/// Never, unless a case is declared wrong.
pub fn server() -> Result<Server, BuildErrors> {
    let text = resource_text();
    let read = move || {
        let text = text.clone();
        async move { Text::plain(text) }
    };
    Server::builder("bench", "1.0.0")
        .tool(Tool::new("echo", echo))
        .resource(Resource::new(RESOURCE_URI, read).name("text.txt"))
        .build()
}
